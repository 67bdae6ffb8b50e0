// The voices of the library: who speaks in which file, their names, and where else the same voice may be
// heard.
import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, messageOf, type RequestState, useAsk } from '../../api.ts';
import { beforeAnalysis, useIsNew } from '../../folder.ts';
import { Empty, Failed, Icon, Loading } from '../../parts.ts';
import { routeHash } from '../../route.ts';
import { createSlice, get } from '../../store.ts';
import { clock, nameOf } from '../../times.ts';
import { toast } from '../../toasts.ts';
import { people, voices } from '../../words/people.ts';
import { speakerText } from '../../words/shell.ts';
import { t } from '../../words.ts';
import {
  changed,
  type FileSpeaker,
  nameBy,
  percent,
  say,
  slice,
  speakersOf,
  undoVoices,
  useCacheDir,
} from './change.ts';
import { Name } from './clusters.ts';

/** Media whose transcriptions are read at once. */
const FILES = 200;

/** Speakers of the first media with transcripts, and how many more media there are. */
async function askSpeakers(cache_dir: string, most: number, signal: AbortSignal) {
  const listed = api.listLibrary({ cache_dir, limit: most }, { signal });
  const { media, total } = await listed.catch(beforeAnalysis({ media: [], total: 0 }));
  const spoken = media
    .filter(({ transcript }) => (transcript?.speakers ?? 0) > 0)
    .map(({ media_path }) => media_path);
  const speakers: FileSpeaker[] = [];
  for (let open: readonly string[] = spoken; open.length > 0; ) {
    const request = { cache_dir, media_paths: open.slice(0, FILES) };
    const { transcription_data, remaining_media_paths = [] } = await api.transcriptions(request, { signal });
    for (const [path, data] of Object.entries(transcription_data)) speakers.push(...speakersOf(path, data));
    open = [...remaining_media_paths, ...open.slice(FILES)];
  }
  return { speakers, remaining: total - media.length };
}

export function Voices() {
  const cache_dir = useCacheDir();
  const changes = slice.use((state) => state.changes);
  const [most, setMost] = useState(FILES);
  const isNew = useIsNew();
  const loaded = useAsk(cache_dir === null ? null : (signal) => askSpeakers(cache_dir, most, signal), [
    cache_dir,
    changes,
    most,
    isNew,
  ]);
  if (loaded.state === 'failed') return html`<${Failed} error=${loaded.error} again=${loaded.again} />`;
  if (loaded.value === null) return html`<${Loading} />`;
  const { speakers, remaining } = loaded.value;
  const more =
    remaining > 0 &&
    html`<button class="more" onClick=${() => setMost(most + FILES)}>${t(voices.more)}</button>`;
  if (speakers.length === 0)
    return html`<${Empty} icon="speech" title=${t(voices.none)}><p class="quiet">${t(voices.noneHow)}</p>
      <a class="button" href=${routeHash({ view: 'library', argument: '' })}>${t(people.toLibrary)}</a>${more}<//>`;
  const files = Map.groupBy(speakers, ({ hash_str }) => hash_str);
  return html`<header class="row wrap"><p class="quiet grow">${t(voices.how)}</p>
      <button onClick=${() => void undoVoices()}>${t(voices.undoLast)}</button></header>
    ${[...files].map(
      ([
        hash_str,
        voices,
      ]) => html`<section key=${hash_str} class="speaking" aria-label=${nameOf(voices[0]!.media_path)}>
        <h2 class="cut" title=${voices[0]!.media_path}>${nameOf(voices[0]!.media_path)}</h2>
        ${voices[0]!.isUncertain && html`<p class="quiet">${uncertainText(voices[0]!)}</p>`}
        <ul>${voices.map((voice) => html`<${Voice} key=${voice.speaker} voice=${voice} />`)}</ul>
      </section>`,
    )}${more}`;
}

function uncertainText({ range }: FileSpeaker): string {
  return range ? t(voices.range, { least: range.least, most: range.most }) : t(voices.uncertain);
}

function Voice({ voice }: { readonly voice: FileSpeaker }) {
  const { hash_str, media_path, speaker, name, seconds, sample } = voice;
  const [asks, setAsks] = useState(false);
  const called = name || speakerText(speaker);
  return html`<li>
    <div class="row wrap"><${Listen} part=${{ hash_str, ...sample }} name=${called} />
      <${Name} label=${t(voices.nameOf, { speaker: speakerText(speaker), file: nameOf(media_path) })} hint=${speakerText(speaker)} name=${name} save=${(text: string) => nameVoice(voice, text)} />
      <span class="quiet grow">${t(voices.speaks, { time: clock(seconds) })}</span>
      <button aria-expanded=${asks} aria-label=${t(voices.elsewhereOf, { name: called })} onClick=${() => setAsks(!asks)}>${t(voices.elsewhere)}</button></div>
    ${asks && html`<${Elsewhere} voice=${voice} />`}
  </li>`;
}

/** All voices that were linked with it have the name, too. */
function nameVoice({ hash_str, speaker, name: before }: FileSpeaker, name: string): Promise<boolean> {
  return nameBy(name, before, async (text) => {
    const assignments = [{ speaker, name: text }];
    await api.nameSpeakers({ cache_dir: get().folder.cache_dir!, hash_str, assignments });
    changed();
  });
}

// Voices of other files that may be one voice: listen, and say whether they are.

type Suggested = Awaited<ReturnType<typeof api.suggestSpeakers>>['suggestions'][number];

function Elsewhere({ voice }: { readonly voice: FileSpeaker }) {
  const { hash_str, speaker } = voice;
  const cache_dir = useCacheDir();
  const loaded = useQuestions(
    cache_dir === null
      ? null
      : (signal) => api.suggestSpeakers({ cache_dir, hash_str, speaker, limit: 20 }, { signal }),
    [cache_dir, hash_str, speaker],
  );
  if (loaded.state === 'failed') return html`<${Failed} error=${loaded.error} again=${loaded.again} />`;
  if (loaded.value === null) return html`<${Loading} />`;
  const { suggestions, warning } = loaded.value;
  if (suggestions.length === 0) return html`<p class="quiet">${warning ?? t(voices.noElsewhere)}</p>`;
  const onAnswer = (suggestion: Suggested, same: boolean) =>
    loaded.answer(() => answer(voice, suggestion, same));
  return html`<ol class="elsewhere" aria-busy=${loaded.isBusy}>${suggestions.map(
    (suggestion) =>
      html`<${Question} key=${`${suggestion.hash_str} ${suggestion.speaker}`} voice=${voice} suggested=${suggestion} isBusy=${loaded.isBusy} onAnswer=${onAnswer} />`,
  )}</ol>`;
}

interface QuestionProps {
  readonly voice: FileSpeaker;
  readonly suggested: Suggested;
  readonly isBusy: boolean;
  onAnswer(suggested: Suggested, same: boolean): void;
}

function Question({ voice, suggested, isBusy, onAnswer }: QuestionProps) {
  const { hash_str, media_path, speaker, similarity, speaking_seconds, sample, linked_voices: n } = suggested;
  const called = suggested.speaker_name ?? speakerText(speaker);
  const otherLabel = `${called} (${nameOf(media_path)})`;
  const ofPair = (text: string) => `${text}: ${voice.name || speakerText(voice.speaker)}, ${otherLabel}`;
  const links = n > 1 ? t(voices.linked, { n }) : '';
  return html`<li class="row wrap"><${Listen} part=${{ hash_str, ...sample }} name=${otherLabel} />
    <span class="grow cut" title=${media_path}>${called} <span class="quiet">${nameOf(media_path)} · ${t(voices.speaks, { time: clock(speaking_seconds) })} ${links}</span></span>
    <span class="quiet">${t(people.likeness, { n: percent(similarity) })}</span>
    <button class="primary" aria-disabled=${isBusy} aria-label=${ofPair(t(voices.same))} onClick=${() => onAnswer(suggested, true)}><${Icon} name="check" />${t(voices.same)}</button>
    <button aria-disabled=${isBusy} aria-label=${ofPair(t(people.notSame))} onClick=${() => onAnswer(suggested, false)}><${Icon} name="close" />${t(people.notSame)}</button>
  </li>`;
}

function answer(voice: FileSpeaker, suggested: Suggested, same: boolean): Promise<boolean> {
  const name = voice.name || suggested.speaker_name || null;
  const voicePair = [voice, suggested].map(({ hash_str, speaker }) => ({ hash_str, speaker }));
  return say({ voices: voicePair, same, ...(same && { name }) }, t(same ? voices.isSame : voices.isNotSame));
}

// A part of a file to listen to; one at a time.

interface Part {
  readonly hash_str: string;
  readonly start_seconds: number;
  readonly end_seconds: number;
}

const playing = createSlice<{ readonly key: string | null }>('listening', { key: null });
const audio = new Audio();
let end = 0;

audio.addEventListener('timeupdate', () => {
  if (audio.currentTime >= end) stop();
});
audio.addEventListener('ended', () => stop());
audio.addEventListener('error', () => {
  if (playing.get().key === null) return;
  stop();
  toast(t(voices.cannotPlay), { kind: 'error' });
});

function stop(): void {
  audio.pause();
  playing.update({ key: null });
}

async function play(key: string, { hash_str, start_seconds, end_seconds }: Part): Promise<void> {
  stop();
  playing.update({ key });
  try {
    const { url } = await api.mediaLink({ cache_dir: get().folder.cache_dir!, hash_str });
    // Something else was asked for meanwhile.
    if (playing.get().key !== key) return;
    end = end_seconds;
    audio.src = `${url}#t=${start_seconds},${end_seconds}`;
    await audio.play();
  } catch (error) {
    if (playing.get().key !== key || audio.error) return;
    stop();
    toast(messageOf(error), { kind: 'error' });
  }
}

interface ListenProps {
  readonly part: Part;
  readonly name: string;
}

function Listen({ part, name }: ListenProps) {
  const key = `${part.hash_str} ${part.start_seconds} ${part.end_seconds}`;
  const isPlaying = playing.use((state) => state.key === key);
  useEffect(
    () => () => {
      if (playing.get().key === key) stop();
    },
    [key],
  );
  const label = isPlaying ? t(voices.stop) : t(voices.listen, { name });
  return html`<button class="icon-only" aria-label=${label} title=${label} aria-pressed=${isPlaying} onClick=${() => (isPlaying ? stop() : void play(key, part))}>
    <${Icon} name=${isPlaying ? 'pause' : 'play'} /></button>`;
}

// Questions about people and voices, one answered at a time: an answer changes what the others are about.

interface Questions<T> extends RequestState<T> {
  /** Refuses another answer while one is being sent, or while an older state is shown. */
  readonly isBusy: boolean;
  /**
   * Answers one, where none is on its way; `work` is true when that worked. What is asked now is loaded after
   * it.
   */
  answer(work: () => Promise<boolean>): void;
}

/** Asked for again with every change; `load` null: nothing is asked. */
export function useQuestions<T>(
  load: ((signal: AbortSignal) => Promise<T>) | null,
  dependencies: readonly unknown[],
): Questions<T> {
  const changes = slice.use((state) => state.changes);
  const [isAnswering, setAnswering] = useState(false);
  // Known before the list is drawn again: a double click is one answer.
  const isTaken = useRef(false);
  const { value, ...request } = useAsk(load && (async (signal) => ({ list: await load(signal), changes })), [
    ...dependencies,
    changes,
  ]);
  const isBusy = isAnswering || request.state === 'loading' || value?.changes !== changes;
  const take = async (work: () => Promise<boolean>) => {
    isTaken.current = true;
    setAnswering(true);
    // One that is refused may be about what somebody else has changed.
    if (!(await work())) request.again();
    isTaken.current = false;
    setAnswering(false);
  };
  return {
    ...request,
    value: value === null ? null : value.list,
    isBusy,
    answer: (work) => {
      if (!isBusy && !isTaken.current) void take(work);
    },
  };
}
