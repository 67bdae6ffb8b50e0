// The voices of the library: who speaks in which file, their names, and where else the same voice may be heard.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { attempt } from '../../attempt.ts';
import { Empty, Failed, Loading } from '../../parts/states.ts';
import { routeHash } from '../../route.ts';
import { get } from '../../store.ts';
import { clock, nameOf } from '../../times.ts';
import { toast } from '../../toasts.ts';
import { people, voices } from '../../words/people.ts';
import { t } from '../../words.ts';
import { undoVoices } from './change.ts';
import { Listen } from './listen.ts';
import { Name } from './name.ts';
import { type Speaker, speakersOf } from './speakers.ts';
import { changed, slice, useCacheDir } from './state.ts';
import { Elsewhere } from './voice-elsewhere.ts';

/** Media whose transcriptions are read at once. */
const FILES = 200;

/** Speakers of the first media with transcripts, and how many more media there are. */
async function askSpeakers(cache_dir: string, most: number, signal: AbortSignal) {
  const { media, total } = await api.listLibrary({ cache_dir, limit: most }, { signal });
  const spoken = media
    .filter(({ transcript }) => (transcript?.speakers ?? 0) > 0)
    .map(({ media_path }) => media_path);
  const speakers: Speaker[] = [];
  for (let open: readonly string[] = spoken; open.length > 0; ) {
    const asked = { cache_dir, media_paths: open.slice(0, FILES) };
    const { transcription_data, remaining_media_paths = [] } = await api.transcriptions(asked, { signal });
    for (const [path, data] of Object.entries(transcription_data)) speakers.push(...speakersOf(path, data));
    open = [...remaining_media_paths, ...open.slice(FILES)];
  }
  return { speakers, left: total - media.length };
}

export function Voices() {
  const cache_dir = useCacheDir();
  const changes = slice.use((state) => state.changes);
  const [most, setMost] = useState(FILES);
  const asked = useAsk(cache_dir === null ? null : (signal) => askSpeakers(cache_dir, most, signal), [
    cache_dir,
    changes,
    most,
  ]);
  if (asked.state === 'failed') return html`<${Failed} error=${asked.error} again=${asked.again} />`;
  if (asked.value === null) return html`<${Loading} />`;
  const { speakers, left } = asked.value;
  const more =
    left > 0 && html`<button class="more" onClick=${() => setMost(most + FILES)}>${t(voices.more)}</button>`;
  if (speakers.length === 0)
    return html`<${Empty} icon="speech" title=${t(voices.none)}><p class="quiet">${t(voices.noneHow)}</p>
      <a class="button" href=${routeHash({ view: 'library', argument: '' })}>${t(people.toLibrary)}</a>${more}<//>`;
  const files = Map.groupBy(speakers, ({ hash_str }) => hash_str);
  return html`<header class="row wrap"><p class="quiet grow">${t(voices.how)}</p>
      <button onClick=${() => void undoVoices()}>${t(voices.undoLast)}</button></header>
    ${[...files].map(
      ([
        hash_str,
        own,
      ]) => html`<section key=${hash_str} class="speaking" aria-label=${nameOf(own[0]!.media_path)}>
        <h2 class="cut" title=${own[0]!.media_path}>${nameOf(own[0]!.media_path)}</h2>
        <ul>${own.map((one) => html`<${Voice} key=${one.speaker} voice=${one} />`)}</ul>
      </section>`,
    )}${more}`;
}

function Voice({ voice }: { readonly voice: Speaker }) {
  const { hash_str, media_path, speaker, name, seconds, sample } = voice;
  const [asks, setAsks] = useState(false);
  const called = name || speaker;
  return html`<li>
    <div class="row wrap"><${Listen} part=${{ hash_str, ...sample }} name=${called} />
      <${Name} label=${t(voices.nameOf, { speaker, file: nameOf(media_path) })} hint=${speaker} name=${name} save=${(text: string) => nameVoice(voice, text)} />
      <span class="quiet grow">${t(voices.speaks, { time: clock(seconds) })}</span>
      <button aria-expanded=${asks} aria-label=${t(voices.elsewhereOf, { name: called })} onClick=${() => setAsks(!asks)}>${t(voices.elsewhere)}</button></div>
    ${asks && html`<${Elsewhere} voice=${voice} />`}
  </li>`;
}

/** All voices that were linked with it have the name, too. */
async function nameVoice({ hash_str, speaker, name: before }: Speaker, name: string): Promise<boolean> {
  const give = (text: string) =>
    attempt(async () => {
      const assignments = [{ speaker, name: text }];
      await api.nameSpeakers({ cache_dir: get().folder.cache_dir!, hash_str, assignments });
      changed();
    });
  if (!(await give(name))) return false;
  const told = name === '' ? t(people.nameGone) : t(people.named, { name });
  toast(told, { action: { label: t(people.undo), run: () => void give(before) } });
  return true;
}
