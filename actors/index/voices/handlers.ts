// Handlers about voices.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { IndexFolders } from '../folders.ts';
import type { OpenLoads } from '../numbered-work.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { Columns, Linked } from '../store/transcripts.ts';
import type { MediaVoices } from '../store/voices/voice-records.ts';
import type { TranscriptIndex } from '../transcripts/transcript-index.ts';
import type { AlikeVoice, VoiceRef, voiceMessages } from './contract.ts';
import { dot, type StoredVoice } from './follow.ts';

// Looks for voices of other files that are most like one, a part in each step, so that other searches come in
// between. Nothing is kept in memory for the next time: ten thousand files are some 20 MB of records.

const stepMedia = 256;
/** Seconds of a sample, at most. */
const longestSample = 15;

/** Somebody: a voice of whom nobody said anything, or all that are linked. */
interface Somebody {
  cosines: number;
  compared: number;
  voices: number;
  /** The voice that speaks longest. */
  hash: string;
  speaker: string;
  seconds: number;
}

export class VoiceSearch {
  readonly folder: string;
  readonly identity: string;
  /** Null where it is not known how the speaker sounds. */
  readonly model: string | null;
  readonly #limit: number;
  /** Vectors of who was asked about. */
  readonly #vectors: Float32Array[] = [];
  readonly #person: string;
  /** Media in which that person speaks: whoever speaks beside is somebody else. */
  readonly #personMedia: Set<string>;
  readonly #apart: Set<string>;
  readonly #candidates = new Map<string, Somebody>();
  #after: string | null = null;
  #isDone: boolean;

  /** Throws NOT_ANALYZED, UNKNOWN_SPEAKER. */
  constructor(store: Store, { hash_str, speaker }: VoiceRef, limit: number) {
    this.folder = store.folder;
    this.identity = store.identity;
    this.#limit = limit;
    const { transcripts } = store;
    transcripts.columnsWith(hash_str, [speaker], (at) => (at === null ? 'hash_str' : 'speaker'));
    const media = transcripts.voices.of(hash_str);
    const voice = media?.voices.find((candidate) => candidate.speaker === speaker);
    this.model = voice === undefined ? null : media!.model;
    this.#isDone = voice === undefined;
    this.#person = voice?.person ?? '';
    this.#personMedia = new Set([hash_str, ...transcripts.voices.mediaOf(this.#person)]);
    this.#apart = new Set(transcripts.voices.apartFrom(this.#person));
    const isAsked = (hash: string, voice: StoredVoice) => hash === hash_str && voice.speaker === speaker;
    for (const hash of this.#personMedia)
      this.#takeOwn(transcripts.voices.of(hash), (voice) => isAsked(hash, voice));
  }

  #takeOwn(media: MediaVoices | null, isAsked: (voice: StoredVoice) => boolean): void {
    for (const voice of media?.voices ?? []) {
      const isOwn = isAsked(voice) || (this.#person !== '' && voice.person === this.#person);
      if (!isOwn && voice.person !== '' && voice.speaker !== '') this.#apart.add(voice.person);
      if (isOwn && media?.model === this.model) this.#vectors.push(voice.vector);
    }
  }

  /** True when everything was looked at. */
  step({ transcripts }: Store): boolean {
    if (this.#isDone) return true;
    const { media, last } = transcripts.voices.some(this.#after, stepMedia);
    for (const mediaVoices of media)
      if (mediaVoices.model === this.model && !this.#personMedia.has(mediaVoices.hash))
        this.#compare(mediaVoices);
    this.#after = last;
    this.#isDone = last === null;
    return this.#isDone;
  }

  #compare({ hash, voices }: MediaVoices): void {
    for (const { speaker, person, seconds, vector } of voices) {
      if (speaker === '' || this.#apart.has(person)) continue;
      const key = person === '' ? `${hash} ${speaker}` : person;
      const somebody = this.#candidates.get(key) ?? {
        ...{ cosines: 0, compared: 0, voices: 0, hash, speaker, seconds: -1 },
      };
      this.#candidates.set(key, somebody);
      for (const ownVector of this.#vectors) somebody.cosines += dot(ownVector, vector);
      somebody.compared += this.#vectors.length;
      somebody.voices++;
      if (seconds > somebody.seconds) Object.assign(somebody, { hash, speaker, seconds });
    }
  }

  /** Most alike first. */
  suggestions(store: Store): AlikeVoice[] {
    const ranked = Array.from(this.#candidates.values(), (somebody) => ({
      ...somebody,
      cosine: somebody.cosines / somebody.compared,
    }));
    ranked.sort((a, b) => b.cosine - a.cosine || (a.hash < b.hash ? -1 : 1));
    return ranked.slice(0, this.#limit).flatMap(({ hash, speaker, cosine, seconds, voices }) => {
      // Forgotten or transcribed again since it was compared.
      const columns = readable(() => store.transcripts.columns(hash));
      const sample = columns && sampleOf(columns, speaker);
      if (sample === null) return [];
      return {
        hash_str: hash,
        path: readable(() => store.media.pathOf(hash)) ?? '',
        speaker,
        speaker_name: store.transcripts.shownName({ hash_str: hash, speaker }),
        ...{ cosine, seconds, voices, sample },
      };
    });
  }
}

/** The longest segment of a speaker; null when it says nothing. */
function sampleOf(
  { starts_ms, ends_ms, speakers, speakerIds }: Columns,
  speaker: string,
): [number, number] | null {
  const number = speakerIds.indexOf(speaker) + 1;
  let best = -1;
  for (let at = 0; at < speakers.length; at++) {
    if (number === 0 || speakers[at] !== number) continue;
    if (best < 0 || ends_ms[at]! - starts_ms[at]! > ends_ms[best]! - starts_ms[best]!) best = at;
  }
  if (best < 0) return null;
  const start = starts_ms[best]! / 1000;
  return [start, Math.min(ends_ms[best]! / 1000, start + longestSample)];
}

export interface VoiceParts {
  readonly folders: IndexFolders;
  readonly transcripts: TranscriptIndex;
  readonly voiceSearches: OpenLoads<VoiceSearch>;
}

export function voiceHandlers({
  folders,
  transcripts: index,
  voiceSearches,
}: VoiceParts): Handlers<Contract<typeof voiceMessages>> {
  return {
    suggest_speakers: ({ cache_dir, load = null, limit, ...voice }) =>
      folders.with(cache_dir, (store) => {
        store.requireReadable();
        const goesOn = ({ folder, identity }: VoiceSearch) =>
          folder === store.folder && identity === store.identity;
        const begin = () => new VoiceSearch(store, voice, limit);
        const step = (search: VoiceSearch) => search.step(store);
        const { number, load: search, done } = voiceSearches.step(load, goesOn, begin, step);
        const suggestions = done ? search.suggestions(store) : [];
        return { done, load: number, model: search.model, suggestions };
      }),
    link_speakers: ({ cache_dir, ...said }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return told(store, store.transcripts.link(said));
      }),
    take_back_speakers: ({ cache_dir }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return told(store, store.transcripts.takeBack());
      }),
  };

  function told(store: Store, { voices, changed }: Linked) {
    for (const hash of changed) index.changed(store, hash);
    return { voices: voices.map(({ name: speaker_name, ...voice }) => ({ ...voice, speaker_name })) };
  }
}
