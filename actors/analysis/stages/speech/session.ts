// The sessions of one file: one of transcription, and one of diarization beside it when speakers are wanted.
import { soundRate } from '../../../decoder/contract.ts';
import {
  type ComputedVoices,
  type SpeakerRange,
  type SpeakerVoices,
  starterSpeakerKey,
} from '../../../diarizer/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import type { OtherLanguage, TranscriptMark } from '../../../index/transcripts/contract.ts';
import {
  type DetectedSpeech,
  type Segment,
  speechLanguages,
  type WrittenWindow,
} from '../../../transcriber/contract.ts';
import type { DecoderActor, IndexActor, ModelInUse, SpeechParts } from '../parts.ts';
import type { FileSpans } from '../stage.ts';
import { type SpeechJob, subtitlesKey } from './kind.ts';

interface DiarizerBlock {
  readonly channel: number;
  readonly first_sample: number;
  readonly count: number;
  readonly samples: { readonly slot: number; readonly generation: number } | null;
}

export class SpeechSession {
  readonly #work: SpeechWork;
  readonly #tools: SpeechTools;
  readonly #channels: number;
  #transcription: number | null = null;
  #diarization: number | null = null;
  #seconds = 0;

  constructor(work: SpeechWork, tools: SpeechTools) {
    this.#work = work;
    this.#tools = tools;
    this.#channels = work.job.channels?.length ?? 1;
  }

  async open(): Promise<void> {
    const { speech, loaded, signal, spans } = this.#tools;
    const { job, model } = this.#work;
    // Asked for every file, because an actor that came back after a crash has no model; one that has it
    // answers at once.
    if (model !== null) {
      const load = () => speech.transcriber.ask('load', { model_key: model }, { signal });
      await loaded.load(model, load, ({ state }) => state);
    }
    const speaker = job.detect_speakers ? await speech.diarizer.ask('load', {}, { signal }) : null;
    const channels = this.#channels;
    // Not cancellable: what was opened has to be known here, or nobody would close it.
    const answers_built_in = speaker?.model_key === starterSpeakerKey;
    const request = { model_key: model, language: job.language, channels, answers_built_in };
    const savedSpeech = spans && (await keptSpeech(spans));
    const written = savedSpeech && { written: savedSpeech.windows };
    this.#transcription = (await speech.transcriber.ask('open', { ...request, ...written })).session;
    if (!job.detect_speakers) return;
    const computed = savedSpeech && { computed: savedSpeech.voices };
    const voices = { channels, speaker_count: job.speaker_count, ...computed };
    const { session } = await speech.diarizer.ask('open', voices);
    this.#diarization = session;
  }

  async appendAll(audioDecoder: DecoderActor): Promise<void> {
    const { speech, signal, onAppended } = this.#tools;
    const { job, media } = this.#work;
    const transcription = this.#transcription ?? 0;
    const request = { path: media.path, channels: job.channels };
    for await (const block of audioDecoder.feed('sound', request, { signal, credit: 2 })) {
      const { channel, first_sample, count, samples } = block;
      const slots = [samples];
      const detected = await speech.transcriber.ask(
        'append',
        { session: transcription, channel, first_sample, count, samples },
        { signal, slots },
      );
      await this.#appendToDiarizer({ channel, first_sample, count, samples, ...detected });
      const seconds = count / soundRate / this.#channels;
      this.#seconds += seconds;
      await this.#keepWhenDue();
      onAppended(seconds);
    }
    for (let channel = 0; channel < this.#channels; channel++) {
      const detected = await speech.transcriber.ask('end', { session: transcription, channel }, { signal });
      await this.#appendToDiarizer({
        channel,
        first_sample: detected.settled,
        count: 0,
        samples: null,
        ...detected,
      });
    }
  }

  /** The words and voices so far; a span without any is kept with the next one. */
  async #keepWhenDue(): Promise<void> {
    const { speech, signal, spans } = this.#tools;
    if (!spans?.isDue(this.#seconds)) return;
    const { windows } = await speech.transcriber.ask(
      'written',
      { session: this.#transcription ?? 0 },
      { signal },
    );
    const voices =
      this.#diarization === null
        ? null
        : await speech.diarizer.ask('computed', { session: this.#diarization }, { signal });
    if (windows.length === 0 && !voices?.numbers.length) return;
    await spans.keep(this.#seconds, keptBytes({ windows, voices }));
  }

  async #appendToDiarizer(
    block: DetectedSpeech & Omit<DiarizerBlock, 'session' | 'speech' | 'settled'>,
  ): Promise<void> {
    if (this.#diarization === null) return;
    const { speech, signal } = this.#tools;
    const slots = block.samples === null ? [] : [block.samples];
    await speech.diarizer.ask('append', { session: this.#diarization, ...block }, { signal, slots });
  }

  async text() {
    const { speech, signal } = this.#tools;
    const answer = await speech.transcriber.ask('finish', { session: this.#transcription ?? 0 }, { signal });
    this.#transcription = null;
    return answer;
  }

  async speakersOf(segments: readonly Segment[]) {
    if (this.#diarization === null)
      return { speakers: null, count: null, voices: null, speaker_range: null, speaker_model: null };
    const { speech, signal } = this.#tools;
    const spans = segments.map(({ start_seconds, end_seconds }): [number, number] => [
      start_seconds,
      end_seconds,
    ]);
    const request = { session: this.#diarization, spans };
    const { speakers, voices, speaker_range } = await speech.diarizer.ask('finish', request, { signal });
    this.#diarization = null;
    const numbering = numbered(speakers, voices);
    const speaker_model = voices.model.slice(0, voices.model.lastIndexOf('@'));
    return { ...numbering, speaker_range: rangeAround(numbering.count, speaker_range), speaker_model };
  }

  /** Finished sessions are closed already. */
  async close(): Promise<void> {
    const { transcriber, diarizer } = this.#tools.speech;
    // An actor that is down keeps nothing; the error that led here is the one to tell.
    const ignore = () => {};
    if (this.#transcription !== null)
      await transcriber.ask('drop', { session: this.#transcription }).catch(ignore);
    if (this.#diarization !== null) await diarizer.ask('drop', { session: this.#diarization }).catch(ignore);
  }
}

/** Saved state of a file's speech: the words of windows, and the outputs of the models of voices. */
interface KeptSpeech {
  readonly windows: WrittenWindow[];
  readonly voices: ComputedVoices | null;
}

interface KeptText {
  readonly windows: WrittenWindow[];
  readonly model: string | null;
  /** In base64. */
  readonly numbers: string;
}

function keptBytes({ windows, voices }: KeptSpeech): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = voices?.numbers ?? new Float32Array(0);
  const numbers = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  const text: KeptText = { windows, model: voices?.model ?? null, numbers };
  return new TextEncoder().encode(JSON.stringify(text));
}

/** Content of all spans, for the model of the last one. Work resumes at the position of the last one. */
async function keptSpeech(spans: FileSpans): Promise<KeptSpeech & { readonly voices: ComputedVoices }> {
  const savedSpans = await spans.all();
  spans.takenUp(savedSpans.at(-1)?.position ?? 0);
  // Written here under a checksum.
  const texts = savedSpans.map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)) as KeptText);
  const model = texts.findLast((text) => text.model !== null)?.model ?? '';
  const parts = texts
    .filter((text) => text.model === model)
    .map((text) => Buffer.from(text.numbers, 'base64'));
  const joined = new Uint8Array(Buffer.concat(parts));
  const numbers = new Float32Array(joined.buffer, 0, joined.length / Float32Array.BYTES_PER_ELEMENT);
  return { windows: texts.flatMap(({ windows }) => windows), voices: { model, numbers } };
}

/**
 * The voices that say something in the transcript, in order of appearance there: other voices may have spoken
 * between its segments.
 */
function numbered(speakers: readonly (string | null)[], voices: SpeakerVoices) {
  const ids = new Map<string, string>();
  for (const speaker of speakers) {
    if (speaker !== null && !ids.has(speaker)) {
      ids.set(speaker, speakerId(ids.size));
    }
  }
  const named = speakers.map((speaker) => (speaker === null ? null : (ids.get(speaker) ?? null)));
  return { speakers: named, count: ids.size, voices: voicesUnder(ids, voices) };
}

/** The range with the number of speakers in the transcript in it; null for none, or where nothing is said. */
function rangeAround(count: number, range: SpeakerRange | null): SpeakerRange | null {
  if (range === null || count === 0) return null;
  return { least: Math.min(range.least || count, count), most: Math.max(range.most, count) };
}

/** The voices under the ids of the transcript; null when there are none. */
function voicesUnder(ids: ReadonlyMap<string, string>, { model, speakers, vectors }: SpeakerVoices) {
  const positions = [...speakers.keys()].filter((at) => ids.has(speakers[at]!.speaker));
  if (positions.length === 0) return null;
  const d = vectors.length / speakers.length;
  const speakerVectors = new Float32Array(positions.length * d);
  for (const [place, at] of positions.entries())
    speakerVectors.set(vectors.subarray(at * d, (at + 1) * d), place * d);
  const renamed = positions.map((at) => ({ ...speakers[at]!, speaker: ids.get(speakers[at]!.speaker)! }));
  return { model, speakers: renamed, vectors: speakerVectors };
}

// Speakers that subtitles name, as speakers of a transcript: an id each in the order of appearance, and the
// name as its display name.

interface IdentifiedSegments {
  readonly segments: readonly Segment[];
  /** The name that the subtitles give, by id. */
  readonly names: Readonly<Record<string, string>>;
  readonly count: number;
}

const speakerId = (number: number): string => `SPEAKER_${String(number).padStart(2, '0')}`;

/** Subtitles that were made of a transcript may have ids for names. */
const isId = (name: string) => /^SPEAKER_\d{2,}$/.test(name);

export function identifySpeakers(segments: readonly Segment[]): IdentifiedSegments {
  const said = new Set(segments.flatMap(({ speaker }) => speaker ?? []));
  const ids = new Map<string, string>();
  let next = 0;
  for (const name of said) {
    if (isId(name)) ids.set(name, name);
    else {
      while (said.has(speakerId(next))) next++;
      ids.set(name, speakerId(next++));
    }
  }
  const named = [...ids].filter(([name, id]) => name !== id).map(([name, id]) => [id, name] as const);
  return {
    segments: segments.map((segment) => ({ ...segment, speaker: ids.get(segment.speaker ?? '') ?? null })),
    names: Object.fromEntries(named),
    count: said.size,
  };
}

/**
 * Names for voices: each gets the name that most of what it says has in the subtitles, and no name two
 * voices.
 */
export function namesOfVoices(
  segments: readonly Segment[],
  voices: readonly (string | null)[],
): Record<string, string> {
  const seconds = new Map<string, { readonly voice: string; readonly name: string; seconds: number }>();
  for (const [i, { speaker: name, start_seconds, end_seconds }] of segments.entries()) {
    const voice = voices[i] ?? null;
    if (name === null || voice === null || isId(name)) continue;
    const key = JSON.stringify([voice, name]);
    const pair = seconds.get(key) ?? { voice, name, seconds: 0 };
    pair.seconds += end_seconds - start_seconds;
    seconds.set(key, pair);
  }
  const names: Record<string, string> = {};
  const given = new Set<string>();
  for (const { voice, name } of [...seconds.values()].sort((a, b) => b.seconds - a.seconds)) {
    if (Object.hasOwn(names, voice) || given.has(name)) continue;
    names[voice] = name;
    given.add(name);
  }
  return names;
}

/** Where the language changes; undefined for a transcript in one language. */
export function languageChanges(segments: readonly Segment[]): TranscriptMark['languages'] {
  const changes = segments.flatMap(({ language = null }, from) =>
    from > 0 && language === (segments[from - 1]!.language ?? null) ? [] : [{ from, language }],
  );
  return changes.length > 1 ? changes : undefined;
}

/** A warning about a language that is heard instead of the one asked for; undefined for none. */
export function otherLanguage(
  expectedLanguage: string | null,
  heardLanguage: string | undefined,
): string | undefined {
  if (expectedLanguage === null || heardLanguage === undefined) return undefined;
  const { name } = speechLanguages;
  return `${name(heardLanguage)} is heard, but ${name(expectedLanguage)} was expected; transcribe it again with language auto`;
}

/** Remark that there are fewer speakers than requested; undefined if there are not. */
export function fewerSpeakers(expectedCount: number | string, foundCount: number | null): string | undefined {
  if (typeof expectedCount !== 'number' || foundCount === null || foundCount >= expectedCount)
    return undefined;
  const were = `${expectedCount} ${expectedCount === 1 ? 'speaker was' : 'speakers were'} expected`;
  return `${were}, but ${foundCount === 0 ? 'none' : `only ${foundCount}`} could be told apart`;
}

// Work on the speech of one file, and the key by which equal work is recognised.

/** One file to write down. */
export interface SpeechWork {
  readonly job: SpeechJob;
  readonly media: MediaRecord;
  /** Null: only subtitles are read. */
  readonly model: string | null;
  /** Why there is no model, for a file that has no subtitles either; null when subtitles were asked for. */
  readonly reason: Error | null;
}

export interface SpeechTools {
  readonly speech: SpeechParts;
  readonly loaded: ModelInUse;
  readonly index: IndexActor;
  readonly cacheDir: string;
  readonly signal: AbortSignal;
  /** Where the words of the file are kept; null when they are not. */
  readonly spans: FileSpans | null;
  /** Seconds of the file that were appended to its sessions since the last call. */
  onAppended(seconds: number): void;
}

/** Transcript, made or read from subtitles. */
export interface WrittenTranscript {
  readonly segments: readonly Segment[];
  readonly language: string | null;
  readonly speakers: number | null;
  readonly speech_seconds: number | null;
  /** Which text the file beside the media had; null when it was not read. */
  readonly sidecar?: string | null;
  readonly others?: readonly OtherLanguage[];
  /** Names that the subtitles give, by id of the speaker. */
  readonly speaker_names?: Readonly<Record<string, string>>;
  /** How many speakers there may be; null or left out where their number is sure. */
  readonly speaker_range?: SpeakerRange | null;
  /** Key of the model that told them apart. */
  readonly speaker_model?: string | null;
  /** How the speakers sound; null or left out where nobody listened. */
  readonly voices?: SpeakerVoices | null;
  /** Remark for a person. */
  readonly warning?: string;
}

type Wish = Omit<
  TranscriptMark,
  'spoken' | 'languages' | 'sidecar' | 'speaker_names' | 'speakers_uncertain' | 'speaker_range' | 'others'
>;

/** With what the same work is known again. */
export function markOf({ job, model }: Pick<SpeechWork, 'job' | 'model'>): Wish {
  const { language, channels, detect_speakers, speaker_count } = job;
  return {
    model_key: model ?? subtitlesKey,
    language,
    channels,
    detect_speakers,
    speaker_count: detect_speakers ? String(speaker_count) : 'auto',
  };
}

/** True when what is stored came about as it would now. */
export function isSame(stored: TranscriptMark, wish: Wish): boolean {
  return (
    stored.model_key === wish.model_key &&
    stored.language === wish.language &&
    stored.detect_speakers === wish.detect_speakers &&
    stored.speaker_count === wish.speaker_count &&
    String(stored.channels) === String(wish.channels)
  );
}
