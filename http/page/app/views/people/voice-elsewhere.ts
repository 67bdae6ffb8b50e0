// Voices of other files that may be one voice: listen, and say whether they are.
import { html } from 'htm/preact';
import { api } from '../../api.ts';
import { Icon } from '../../parts/icon.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { clock, nameOf } from '../../times.ts';
import { people, voices } from '../../words/people.ts';
import { t } from '../../words.ts';
import { say } from './change.ts';
import { percent } from './choice.ts';
import { Listen } from './listen.ts';
import { useQuestions } from './questions.ts';
import type { Speaker } from './speakers.ts';
import { useCacheDir } from './state.ts';

type Suggested = Awaited<ReturnType<typeof api.suggestSpeakers>>['suggestions'][number];

export function Elsewhere({ voice }: { readonly voice: Speaker }) {
  const { hash_str, speaker } = voice;
  const cache_dir = useCacheDir();
  const asked = useQuestions(
    cache_dir === null
      ? null
      : (signal) => api.suggestSpeakers({ cache_dir, hash_str, speaker, limit: 20 }, { signal }),
    [cache_dir, hash_str, speaker],
  );
  if (asked.state === 'failed') return html`<${Failed} error=${asked.error} again=${asked.again} />`;
  if (asked.value === null) return html`<${Loading} />`;
  const { suggestions, warning } = asked.value;
  if (suggestions.length === 0) return html`<p class="quiet">${warning ?? t(voices.noElsewhere)}</p>`;
  const onAnswer = (one: Suggested, same: boolean) => asked.answer(() => answer(voice, one, same));
  return html`<ol class="elsewhere" aria-busy=${asked.isBusy}>${suggestions.map(
    (one) =>
      html`<${Question} key=${`${one.hash_str} ${one.speaker}`} voice=${voice} suggested=${one} isBusy=${asked.isBusy} onAnswer=${onAnswer} />`,
  )}</ol>`;
}

interface QuestionProps {
  readonly voice: Speaker;
  readonly suggested: Suggested;
  readonly isBusy: boolean;
  onAnswer(suggested: Suggested, same: boolean): void;
}

function Question({ voice, suggested, isBusy, onAnswer }: QuestionProps) {
  const { hash_str, media_path, speaker, similarity, speaking_seconds, sample, linked_voices: n } = suggested;
  const called = suggested.speaker_name ?? speaker;
  const values = { one: voice.name || voice.speaker, other: `${called} (${nameOf(media_path)})` };
  const links = n > 1 ? t(voices.linked, { n }) : '';
  return html`<li class="row wrap"><${Listen} part=${{ hash_str, ...sample }} name=${values.other} />
    <span class="grow cut" title=${media_path}>${called} <span class="quiet">${nameOf(media_path)} · ${t(voices.speaks, { time: clock(speaking_seconds) })} ${links}</span></span>
    <span class="quiet">${t(people.likeness, { n: percent(similarity) })}</span>
    <button class="primary" aria-disabled=${isBusy} aria-label=${t(people.ofPair, { answer: t(voices.same), ...values })} onClick=${() => onAnswer(suggested, true)}><${Icon} name="check" />${t(voices.same)}</button>
    <button aria-disabled=${isBusy} aria-label=${t(people.ofPair, { answer: t(people.notSame), ...values })} onClick=${() => onAnswer(suggested, false)}><${Icon} name="close" />${t(people.notSame)}</button>
  </li>`;
}

function answer(voice: Speaker, suggested: Suggested, same: boolean): Promise<boolean> {
  const name = voice.name || suggested.speaker_name || null;
  const own = [voice, suggested].map(({ hash_str, speaker }) => ({ hash_str, speaker }));
  return say({ voices: own, same, ...(same && { name }) }, t(same ? voices.isSame : voices.isNotSame));
}
