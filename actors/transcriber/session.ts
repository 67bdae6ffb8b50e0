// One file being heard: for each channel where somebody speaks, the windows that are cut from it, and what the model wrote
// for them. It holds sound only for windows that are not transcribed yet.
import { engineErrors } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { Mutex } from '../../runtime/sync/mutex.ts';
import type { Heard, Segment, SpeechRegion } from './contract.ts';
import type { Spoken } from './family.ts';
import type { Job, WaitingTurn, WindowQueue } from './queue.ts';
import { cuesOf } from './text/cues.ts';
import { guard } from './text/guards.ts';
import { type LeveledSegment, mergeChannels } from './text/merge-channels.ts';
import { type VoiceDetector, voiceRate } from './voice/detector.ts';
import { type Window, type WindowRules, Windows } from './voice/windows.ts';

/** The model that transcribes a session. */
export interface HearingModel {
  readonly key: string;
  /** The language the model is told, one that it names; null to find out. */
  readonly language: string | null;
  readonly rules: WindowRules;
}

export interface HearingResult {
  readonly segments: Segment[];
  readonly language: string | null;
  readonly speech_seconds: number;
}

interface Channel {
  readonly detector: VoiceDetector;
  /** Null when no model was asked for. */
  readonly windows: Windows | null;
  /** Blocks of a channel are taken one after the other. */
  readonly mutex: Mutex;
  readonly speech: SpeechRegion[];
  readonly segments: LeveledSegment[];
  next: number | null;
  ended: boolean;
}

export class TranscriptionSession {
  readonly #model: HearingModel | null;
  readonly #queue: WindowQueue;
  readonly #log: Log;
  readonly #channels: readonly Channel[];
  /** Seconds of speech by language. */
  readonly #languages = new Map<string, number>();
  #open = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor(
    model: HearingModel | null,
    queue: WindowQueue,
    channels: number,
    detector: () => VoiceDetector,
    log: Log,
  ) {
    this.#model = model;
    this.#log = log;
    this.#queue = queue;
    this.#channels = Array.from({ length: channels }, () => ({
      detector: detector(),
      windows: model && new Windows(model.rules),
      mutex: new Mutex(),
      speech: [],
      segments: [],
      next: null,
      ended: false,
    }));
  }

  /**
   * `samples`: all finite, *borrowed until answered*. Throws what the model failed with before, and INVALID_MESSAGE for a
   * channel that there is not, that has ended, or a block that does not follow the one before.
   */
  hear(channel: number, firstSample: number, samples: Float32Array): Promise<Heard> {
    const one = this.#channel(channel);
    return one.mutex.run(async () => {
      this.#check();
      if (one.ended) throw wrong(`channel ${channel} has ended`);
      if (one.next !== null && one.next !== firstSample) {
        throw wrong(
          `channel ${channel}: a block begins at ${firstSample}, the one before ended at ${one.next}`,
        );
      }
      one.next = firstSample + samples.length;
      const heard = await one.detector.hear(samples, firstSample);
      this.#took(one, heard, one.windows?.push(samples, firstSample, heard) ?? []);
      return heard;
    });
  }

  end(channel: number): Promise<Heard> {
    const one = this.#channel(channel);
    return one.mutex.run(async () => {
      this.#check();
      if (one.ended) throw wrong(`channel ${channel} has ended already`);
      one.ended = true;
      const heard = await one.detector.end();
      this.#took(one, heard, one.windows?.end(heard) ?? []);
      return heard;
    });
  }

  /** Waits for the model. Throws what it failed with, INVALID_MESSAGE while a channel goes on, CANCELLED with the turn. */
  async finish(turn: WaitingTurn): Promise<HearingResult> {
    const going = this.#channels.findIndex(({ ended }) => !ended);
    if (going >= 0) throw wrong(`channel ${going} has not ended`);
    await this.#queue.until(() => this.#open === 0, turn);
    this.#check();
    const segments = mergeChannels(this.#channels.map(({ segments }) => segments));
    const [language] = [...this.#languages].toSorted(([, a], [, b]) => b - a)[0] ?? [null];
    return { segments, language, speech_seconds: secondsOf(this.#channels.flatMap(({ speech }) => speech)) };
  }

  #channel(index: number): Channel {
    const channel = this.#channels[index];
    if (channel) return channel;
    throw wrong(`channel ${index} of ${this.#channels.length}`);
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  #took(channel: Channel, { speech }: Heard, windows: readonly Window[]): void {
    for (const [start, end] of speech) {
      const last = channel.speech.at(-1);
      if (last?.[1] === start) last[1] = end;
      else channel.speech.push([start, end]);
    }
    const model = this.#model;
    if (model) for (const window of windows) this.#queue.add(this.#job(channel, window, model));
  }

  #job(channel: Channel, window: Window, model: HearingModel): Job {
    this.#open += 1;
    return {
      owner: this,
      model_key: model.key,
      language: model.language,
      window,
      done: (spoken) => {
        this.#wrote(channel, window, spoken);
        this.#open -= 1;
      },
      failed: (error) => {
        this.#failure ??= { error };
        this.#open = 0;
        // What is left of this file would only be thrown away.
        this.#queue.drop(this);
      },
    };
  }

  #wrote(channel: Channel, window: Window, { pieces, language, confidence }: Spoken): void {
    const offset = window.firstSample / voiceRate;
    const span = (start: number, end: number) => ({
      start_seconds: offset + start,
      end_seconds: offset + end,
    });
    const voices = window.voices.map(([start, end]) => span(start / voiceRate, end / voiceRate));
    const placed = pieces.map(({ text, start, end }) => ({ text, ...span(start, end) }));
    const voiceSeconds = voices.reduce(
      (sum, { start_seconds, end_seconds }) => sum + end_seconds - start_seconds,
      0,
    );
    const { pieces: kept, dropped } = guard({
      pieces: placed,
      seconds: window.samples.length / voiceRate,
      voiceSeconds,
      ...(confidence && { confidence }),
    });
    for (const drop of dropped) this.#log.info('text taken out', { ...drop, window_seconds: offset });
    const cues = cuesOf(kept, voices);
    for (const cue of cues) channel.segments.push({ ...cue, level_db: levelOf(window, cue) });
    if (language === null || cues.length === 0) return;
    this.#languages.set(language, (this.#languages.get(language) ?? 0) + voiceSeconds);
  }
}

/** Mean power of the channel while a segment is said, dB of full scale; −Infinity for silence. */
function levelOf({ firstSample, samples }: Window, { start_seconds, end_seconds }: Segment): number {
  const at = (seconds: number) => Math.round(seconds * voiceRate) - firstSample;
  const part = samples.subarray(Math.max(0, at(start_seconds)), Math.max(0, at(end_seconds)));
  let sum = 0;
  for (const sample of part) sum += sample * sample;
  return part.length === 0 ? Number.NEGATIVE_INFINITY : 10 * Math.log10(sum / part.length);
}

/** Seconds in which somebody speaks on any channel. */
function secondsOf(regions: readonly SpeechRegion[]): number {
  let total = 0;
  let until = 0;
  for (const [start, end] of regions.toSorted(([a], [b]) => a - b)) {
    total += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return total / voiceRate;
}

function wrong(what: string): Error {
  return engineErrors.INVALID_MESSAGE(`transcriber: ${what}`);
}
