// One file being transcribed: for each channel its speech, the windows cut from it, and the segments the
// model wrote for them. Its language is detected once, on its first speech, and told with every window. It
// holds sound only for windows that are not transcribed yet.
import { crc32 } from 'node:zlib';
import { engineErrors } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { Mutex } from '../../runtime/sync/locks.ts';
import type { BatchingQueue, WaitingTurn, WindowJob } from './batching-queue.ts';
import type { DetectedSpeech, Segment, SpeechRegion, WrittenWindow } from './contract.ts';
import type { SpeechWindow, WindowTranscript } from './family.ts';
import { filterHallucinations } from './text/hallucinations.ts';
import { type LeveledSegment, mergeChannels } from './text/merge-channels.ts';
import { segmentsOf } from './text/segments.ts';
import { type VoiceDetector, voiceRate } from './voice/detector.ts';
import { type PlacedWindow, WindowCutter, type WindowRules } from './voice/windows.ts';

// The first speech of a file, without its pauses: what its language is detected from.

class SpeechSample {
  readonly #longest: number;
  readonly #parts: Float32Array[] = [];
  #length = 0;

  /** `longest`: samples from which on it is full. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  get isFull(): boolean {
    return this.#length >= this.#longest;
  }

  /** *Copied*: the speech of the window, as much of it as there is room for. */
  add({ samples, speech }: SpeechWindow): void {
    for (const [start, end] of speech) {
      if (this.isFull) return;
      const part = samples.slice(start, Math.min(end, start + this.#longest - this.#length));
      this.#parts.push(part);
      this.#length += part.length;
    }
  }

  /** All speech so far as one window, *owned by the caller*; nothing of it is kept. */
  take(): SpeechWindow {
    const samples = new Float32Array(this.#length);
    let at = 0;
    for (const part of this.#parts.splice(0)) {
      samples.set(part, at);
      at += part.length;
    }
    return { samples, speech: [[0, samples.length]] };
  }
}

/** Share of the speech in which another language than the one asked for is worth a warning. */
const WORTH_A_WARNING = 0.2;

/** The model that transcribes a session. */
export interface SessionModel {
  readonly key: string;
  /** The language the model is told, one that it names; null to detect it. */
  readonly language: string | null;
  readonly rules: WindowRules;
}

export interface SessionResult {
  readonly segments: Segment[];
  readonly language: string | null;
  /** Clearly heard in much of the speech, instead of the language the model was told. */
  readonly heard_instead?: string;
  readonly speech_seconds: number;
}

/** Opens detectors for one channel each. */
interface SessionDetectors {
  /** For windows of the model, and for answers. */
  readonly open: () => VoiceDetector;
  /** For answers alone, in place of the other one; null for the same. */
  readonly openAnswering: (() => VoiceDetector) | null;
}

interface SessionParts {
  readonly log: Log;
  /** Null when nobody keeps what is written. */
  readonly writtenWindows: WrittenWindows | null;
}

interface Channel {
  /** Counted from 0. */
  readonly index: number;
  readonly detector: VoiceDetector;
  /** Null where the other one answers. */
  readonly answering: VoiceDetector | null;
  /** Null when no model was asked for. */
  readonly cutter: WindowCutter | null;
  /** Blocks of a channel are processed one after the other. */
  readonly mutex: Mutex;
  readonly speech: SpeechRegion[];
  readonly segments: LeveledSegment[];
  next: number | null;
  ended: boolean;
}

export class TranscriptionSession {
  readonly #model: SessionModel | null;
  readonly #queue: BatchingQueue;
  readonly #log: Log;
  readonly #writtenWindows: WrittenWindows | null;
  readonly #channels: readonly Channel[];
  /** Seconds of speech by language. */
  readonly #languages = new Map<string, number>();
  /** The same of what is clearly heard. */
  readonly #heard = new Map<string, number>();
  /** Language of each window; undefined until it is detected. */
  #language: string | null | undefined;
  readonly #sample: SpeechSample;
  #isDetecting = false;
  /** Windows that wait for the language. */
  #waiting: { readonly channel: Channel; readonly window: PlacedWindow }[] = [];
  /** Windows that are held, in the queue or in a batch. */
  #unfinished = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor(
    model: SessionModel | null,
    queue: BatchingQueue,
    channels: number,
    { open, openAnswering }: SessionDetectors,
    { log, writtenWindows }: SessionParts,
  ) {
    this.#model = model;
    this.#log = log;
    this.#writtenWindows = writtenWindows;
    this.#queue = queue;
    this.#language = model?.language ?? writtenWindows?.language ?? undefined;
    this.#sample = new SpeechSample(model?.rules.longest ?? 0);
    this.#channels = Array.from({ length: channels }, (_, index) => ({
      index,
      detector: open(),
      answering: openAnswering?.() ?? null,
      cutter: model && new WindowCutter(model.rules),
      mutex: new Mutex(),
      speech: [],
      segments: [],
      next: null,
      ended: false,
    }));
  }

  /**
   * `samples`: all finite, *borrowed until answered*. Throws what the model failed with before, and
   * INVALID_MESSAGE for an unknown or ended channel, or a block that does not follow the one before.
   */
  append(index: number, firstSample: number, samples: Float32Array): Promise<DetectedSpeech> {
    const channel = this.#channel(index);
    return channel.mutex.run(async () => {
      this.#throwFailure();
      if (channel.ended) throw invalid(`channel ${index} has ended`);
      if (channel.next !== null && channel.next !== firstSample) {
        throw invalid(
          `channel ${index}: a block begins at ${firstSample}, the one before ended at ${channel.next}`,
        );
      }
      channel.next = firstSample + samples.length;
      const detected = await channel.detector.push(samples, firstSample);
      this.#add(channel, detected, channel.cutter?.push(samples, firstSample, detected) ?? []);
      return channel.answering?.push(samples, firstSample) ?? detected;
    });
  }

  end(index: number): Promise<DetectedSpeech> {
    const channel = this.#channel(index);
    return channel.mutex.run(async () => {
      this.#throwFailure();
      if (channel.ended) throw invalid(`channel ${index} has ended already`);
      channel.ended = true;
      const detected = await channel.detector.end();
      this.#add(channel, detected, channel.cutter?.end(detected) ?? []);
      return channel.answering?.end() ?? detected;
    });
  }

  /**
   * Waits for the model. Throws what it failed with, INVALID_MESSAGE before every channel has ended,
   * CANCELLED with the turn.
   */
  async finish(turn: WaitingTurn): Promise<SessionResult> {
    const open = this.#channels.findIndex(({ ended }) => !ended);
    if (open >= 0) throw invalid(`channel ${open} has not ended`);
    await this.#queue.waitUntil(() => this.#unfinished === 0, turn);
    this.#throwFailure();
    const segments = mergeChannels(this.#channels.map(({ segments }) => segments));
    const [language] = mostSpoken(this.#languages) ?? [null];
    const speech_seconds = secondsOf(this.#channels.flatMap(({ speech }) => speech));
    return { segments, language, ...this.#heardInstead(), speech_seconds };
  }

  #heardInstead(): Pick<SessionResult, 'heard_instead'> {
    const requested = this.#model?.language ?? null;
    const others = new Map([...this.#heard].filter(([language]) => language !== requested));
    const all = [...this.#languages.values()].reduce((sum, seconds) => sum + seconds, 0);
    const [language, seconds] = mostSpoken(others) ?? [null, 0];
    if (requested === null || language === null || seconds < WORTH_A_WARNING * all) return {};
    return { heard_instead: language };
  }

  /** The windows that were transcribed since the last call. Throws what the model failed with. */
  written(): WrittenWindow[] {
    this.#throwFailure();
    return this.#writtenWindows?.take() ?? [];
  }

  #channel(index: number): Channel {
    const channel = this.#channels[index];
    if (channel) return channel;
    throw invalid(`channel ${index} of ${this.#channels.length}`);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  #add(channel: Channel, { speech }: DetectedSpeech, windows: readonly PlacedWindow[]): void {
    for (const [start, end] of speech) {
      const last = channel.speech.at(-1);
      if (last?.[1] === start) last[1] = end;
      else channel.speech.push([start, end]);
    }
    if (!this.#model) return;
    for (const window of windows) {
      if (this.#language === undefined) this.#sample.add(window);
      const before = this.#writtenWindows?.find(channel.index, window);
      if (before) this.#addSegments(channel, window, before);
      else {
        this.#unfinished += 1;
        this.#waiting.push({ channel, window });
      }
    }
    this.#queueHeld(this.#model);
  }

  /** Queues the windows that are held, once the language is known. */
  #queueHeld(model: SessionModel): void {
    if (this.#language === undefined) {
      const hasEnough = this.#sample.isFull || this.#channels.every(({ ended }) => ended);
      if (hasEnough && this.#waiting.length > 0 && !this.#isDetecting) this.#detectLanguage(model);
      return;
    }
    for (const { channel, window } of this.#waiting.splice(0)) {
      const follows = model.language === null;
      this.#ask(model, { output: 'text', language: this.#language, follows, window }, (transcript) => {
        this.#addSegments(channel, window, transcript);
        this.#writtenWindows?.add(channel.index, window, transcript);
        this.#unfinished -= 1;
      });
    }
  }

  #detectLanguage(model: SessionModel): void {
    this.#isDetecting = true;
    const window = this.#sample.take();
    this.#ask(model, { output: 'language', language: null, follows: false, window }, ({ language }) => {
      this.#language = language;
      this.#queueHeld(model);
    });
  }

  #ask(
    { key }: SessionModel,
    request: Pick<WindowJob, 'output' | 'language' | 'follows' | 'window'>,
    done: (transcript: WindowTranscript) => void,
  ): void {
    this.#queue.add({
      ...request,
      owner: this,
      model_key: key,
      done,
      failed: (error) => {
        this.#failure ??= { error };
        this.#unfinished = 0;
        // A transcript with a gap is of no use: the rest of the file is not transcribed.
        this.#queue.drop(this);
      },
    });
  }

  #addSegments(
    channel: Channel,
    window: PlacedWindow,
    { pieces, language, heard, confidence }: WindowTranscript,
  ): void {
    const offset = window.firstSample / voiceRate;
    const span = (start: number, end: number) => ({
      start_seconds: offset + start,
      end_seconds: offset + end,
    });
    const speech = window.speech.map(([start, end]) => span(start / voiceRate, end / voiceRate));
    const placed = pieces.map(({ text, start, end }) => ({ text, ...span(start, end) }));
    const speechSeconds = speech.reduce(
      (sum, { start_seconds, end_seconds }) => sum + end_seconds - start_seconds,
      0,
    );
    const { pieces: credible, removed } = filterHallucinations({
      pieces: placed,
      seconds: window.samples.length / voiceRate,
      speechSeconds,
      ...(confidence && { confidence }),
    });
    for (const removal of removed)
      this.#log.info('hallucination removed', { ...removal, window_seconds: offset });
    const segments = segmentsOf(credible, speech);
    for (const segment of segments) {
      const middle = (segment.start_seconds + segment.end_seconds) / 2 - offset;
      const said = pieces.findLast(({ start }) => start <= middle)?.language ?? language;
      channel.segments.push({ ...segment, language: said, level_db: levelOf(window, segment) });
      if (said !== null) add(this.#languages, said, segment.end_seconds - segment.start_seconds);
    }
    if (heard && segments.length > 0) {
      const seconds = segments.reduce((sum, segment) => sum + segment.end_seconds - segment.start_seconds, 0);
      add(this.#heard, heard, seconds);
    }
  }
}

function add(sums: Map<string, number>, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

function mostSpoken(seconds: ReadonlyMap<string, number>): [string, number] | undefined {
  return [...seconds].toSorted(([, a], [, b]) => b - a)[0];
}

/** Mean power of the channel during a segment, dB of full scale; −Infinity for digital silence. */
function levelOf({ firstSample, samples }: PlacedWindow, { start_seconds, end_seconds }: Segment): number {
  const at = (seconds: number) => Math.round(seconds * voiceRate) - firstSample;
  const part = samples.subarray(Math.max(0, at(start_seconds)), Math.max(0, at(end_seconds)));
  let sum = 0;
  for (const sample of part) sum += sample * sample;
  return part.length === 0 ? Number.NEGATIVE_INFINITY : 10 * Math.log10(sum / part.length);
}

/** Seconds with speech on any channel. */
function secondsOf(regions: readonly SpeechRegion[]): number {
  let total = 0;
  let until = 0;
  for (const [start, end] of regions.toSorted(([a], [b]) => a - b)) {
    total += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return total / voiceRate;
}

function invalid(what: string): Error {
  return engineErrors.INVALID_MESSAGE(`transcriber: ${what}`);
}

// The windows of a session that a model has written: those of an interrupted run, found again by their sound,
// and new ones until somebody asks for them.

export class WrittenWindows {
  readonly #before = new Map<string, WrittenWindow>();
  #fresh: WrittenWindow[] = [];
  /** The language they are written in; null when there are none, or it is not known. */
  readonly language: string | null;

  constructor(before: readonly WrittenWindow[]) {
    for (const window of before) this.#before.set(nameOf(window), window);
    this.language = before.find(({ language }) => language !== null)?.language ?? null;
  }

  /** Stored transcript of this exact sound; null if there is none. */
  find(channel: number, window: PlacedWindow): WindowTranscript | null {
    if (this.#before.size === 0) return null;
    const name = nameOf({ channel, first_sample: window.firstSample, crc: crcOf(window) });
    const stored = this.#before.get(name);
    if (!stored) return null;
    this.#before.delete(name);
    const { pieces, language, heard = null, confidence } = stored;
    return { pieces, language, heard, ...(confidence && { confidence }) };
  }

  add(channel: number, window: PlacedWindow, transcript: WindowTranscript): void {
    const { pieces, language, heard = null, confidence } = transcript;
    // A confidence of minus infinity does not outlive a message: such a window is transcribed again.
    if (confidence && !Object.values(confidence).every(Number.isFinite)) return;
    this.#fresh.push({
      channel,
      first_sample: window.firstSample,
      crc: crcOf(window),
      pieces: [...pieces],
      language,
      heard,
      ...(confidence && { confidence }),
    });
  }

  /** Returns the windows added since the last call. */
  take(): WrittenWindow[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}

function nameOf({ channel, first_sample, crc }: Pick<WrittenWindow, 'channel' | 'first_sample' | 'crc'>) {
  return `${channel} ${first_sample} ${crc}`;
}

function crcOf({ samples, speech }: PlacedWindow): number {
  const { buffer, byteOffset, byteLength } = samples;
  return crc32(new Uint8Array(buffer, byteOffset, byteLength), crc32(JSON.stringify(speech)));
}
