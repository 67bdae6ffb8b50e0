// One channel of a session with a segmentation model: sliding windows of ten seconds. In each window the
// model says which of its local speakers speak in which frames. Pieces of sound in which the windows agree
// that one voice speaks alone are embedded; a local speaker without such a piece is embedded by itself.
import { type FbankOptions, fbankBands } from '../acoustics/fbank.ts';
import { soundRate } from '../decoder/contract.ts';
import { type ModelRow, modelErrors } from '../models/contract.ts';
import type { ModelSession } from '../models/session.ts';
import type { SpeechRegion } from '../transcriber/contract.ts';
import { RecentFeatures, type SubsegmentFeatures } from './recent-features.ts';
import { defaultSubsegments, type Subsegment, Subsegmenter } from './turns.ts';

// pyannote's segmentation model: which of up to three local speakers are active in each frame of a window of
// ten seconds.

/** Samples of a window. */
export const segmentationSamples = 10 * soundRate;
/** Samples from one frame to the next, and from the start of the window to the middle of the first frame. */
export const segmentationStep = 270;
export const segmentationFirst = 495;
export const segmentationFrames = 589;
/** Speakers it tells apart within a window; their numbers mean nothing in another window. */
const localSpeakers = 3;

/** The local speakers active in each of the seven classes, as bits. */
const powerset = [0, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110] as const;

export interface Segmentation {
  /** Windows in one run, at most. */
  readonly batch: number;
  /**
   * `windows`: the samples of each, at most `batch`. Answers the active speakers of each frame of each
   * window, as bits.
   */
  activity(windows: readonly Float32Array[]): Promise<Uint8Array[]>;
}

/** More windows in one run are not faster. */
const windowsPerRun = 4;

/** The session stays the caller's. Throws MODEL_LOAD_FAILED. */
export function segmentationOf(session: ModelSession, file: string): Segmentation {
  // Names of the export on Hugging Face, or of that of sherpa-onnx.
  const port = ['input_values', 'x']
    .map((name) => session.inputs.find((input) => input.name === name))
    .find((port) => port !== undefined);
  const output = ['logits', 'y'].find((name) => session.outputs.some((port) => port.name === name));
  if (port === undefined || output === undefined) {
    const names = [...session.inputs, ...session.outputs].map(({ name }) => name).join(', ');
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: has ${names}, not input_values and logits`, { file });
  }
  return {
    // Some exports take one window only.
    batch: typeof port.shape[0] === 'number' && port.shape[0] > 0 ? 1 : windowsPerRun,
    activity: async (windows) => {
      const data = new Float32Array(windows.length * segmentationSamples);
      for (const [at, samples] of windows.entries()) data.set(samples, at * segmentationSamples);
      const dims = [windows.length, 1, segmentationSamples];
      const results = await session.run({ [port.name]: { data, dims } }, [output]);
      const logits = results[output];
      const expected = segmentationFrames * powerset.length;
      if (!(logits?.data instanceof Float32Array) || logits.data.length !== windows.length * expected) {
        throw modelErrors.MODEL_RUN_FAILED(
          `${file}: ${output} is ${logits?.dims.join('×') ?? 'missing'}, expected ${windows.length}×589×7 floats`,
        );
      }
      const values = logits.data;
      return windows.map((_, at) => readPowerset(values.subarray(at * expected, (at + 1) * expected)));
    },
  };
}

/** `logits`: frames×7. The likeliest class of each frame; a frame of NaN is silent. */
export function readPowerset(logits: Float32Array): Uint8Array {
  const classes = powerset.length;
  return Uint8Array.from({ length: logits.length / classes }, (_, frame) => {
    let best = 0;
    for (let at = 1; at < classes; at++) {
      if (logits[frame * classes + at]! > logits[frame * classes + best]!) best = at;
    }
    return powerset[best]!;
  });
}

export function isSegmentation(row: ModelRow): boolean {
  return row.kind === 'turns' && row.family === 'pyannote';
}

/** Result of the model for one window. */
export interface SegmentationWindow {
  /** First sample. */
  readonly start: number;
  /** The local speakers active in each frame, as bits. */
  readonly activity: Uint8Array;
  /** Row of the embedding of each local speaker of whom there is no piece; -1 for the others. */
  readonly rows: number[];
}

/** A local speaker of a window of whom there is no piece. */
export interface LocalSpeaker {
  readonly window: SegmentationWindow;
  readonly speaker: number;
  /** frames×80. */
  readonly features: Float32Array;
}

/** Sound to be embedded. */
export interface HeardVoices {
  readonly subsegments: readonly SubsegmentFeatures[];
  readonly locals: readonly LocalSpeaker[];
}

/** Samples from one window to the next. */
const windowHop = 2 * soundRate;
/** Frames under which the sound of a speaker is too short to be embedded: 0.4 s. */
const minFrames = Math.ceil((0.4 * soundRate) / segmentationStep);
/** Pieces of one voice: shorter ones are too uncertain to be counted. */
const pieces = { ...defaultSubsegments, min: 0.8 * soundRate };

/** Number of a frame, counted from the start of the file. */
export const frameOf = (sample: number) => Math.round(sample / segmentationStep);
/** First sample for which a frame stands. */
export const sampleOf = (frame: number) =>
  Math.max(0, frame * segmentationStep + segmentationFirst - segmentationStep / 2);

export class SegmentationChannel {
  readonly windows: SegmentationWindow[] = [];
  readonly #features: RecentFeatures;
  readonly #subsegmenter = new Subsegmenter(pieces);
  readonly #frames = new FrameCounts();
  /** Sound from sample `#first` on, where the next window begins. */
  #samples = new Float32Array(0);
  #first = 0;
  /** Speech that ends after the start of the next window, ascending. */
  #speech: SpeechRegion[] = [];
  /** Windows whose pieces may not all be there yet, and the pieces in them. */
  #openWindows: SegmentationWindow[] = [];
  #recent: Subsegment[] = [];

  constructor(fbank: FbankOptions) {
    this.#features = new RecentFeatures(fbank);
  }

  /** Where the next block has to begin; null before the first one. */
  get next(): number | null {
    return this.#features.next;
  }

  /** The part of speech in which two or more speak at once, 0 to 1. */
  get overlapShare(): number {
    const { heard, overlapped } = this.#frames;
    return heard === 0 ? 0 : overlapped / heard;
  }

  /** `samples`: from `first` on, *copied*. Windows without speech are skipped. */
  async push(
    first: number,
    samples: Float32Array,
    speech: readonly SpeechRegion[],
    settled: number,
    segmentation: Segmentation,
  ): Promise<HeardVoices> {
    if (this.next === null) this.#first = first;
    this.#features.push(first, samples);
    const joined = new Float32Array(this.#samples.length + samples.length);
    joined.set(this.#samples);
    joined.set(samples, this.#samples.length);
    this.#samples = joined;
    this.#speech.push(...speech);
    const starts: number[] = [];
    let start = this.#first;
    for (; start + segmentationSamples <= Math.min(settled, this.#end); start += windowHop) {
      if (this.#isSpoken(start)) starts.push(start);
    }
    await this.#segment(starts, segmentation);
    this.#samples = this.#samples.slice(start - this.#first);
    this.#first = start;
    this.#speech = this.#speech.filter(([, end]) => end > start);
    const solos = this.#frames.settle(frameOf(start));
    return this.#heard(this.#subsegmenter.add(solos, sampleOf(frameOf(start))), start);
  }

  /** The channel has ended: what is left is shorter than a window and is padded with zeros. */
  async end(speech: readonly SpeechRegion[], segmentation: Segmentation): Promise<HeardVoices> {
    const end = this.next;
    if (end === null) return { subsegments: [], locals: [] };
    const before = await this.push(end, new Float32Array(0), speech, end, segmentation);
    if (this.#samples.length > 0 && this.#isSpoken(this.#first)) {
      await this.#segment([this.#first], segmentation);
    }
    const solos = this.#frames
      .settle(Number.POSITIVE_INFINITY)
      .map(([from, to]): SpeechRegion => [from, Math.min(to, end)])
      .filter(([from, to]) => to > from);
    const subsegments = [...this.#subsegmenter.add(solos, end), ...this.#subsegmenter.end()];
    const last = this.#heard(subsegments, Number.POSITIVE_INFINITY);
    this.#samples = new Float32Array(0);
    this.#speech = [];
    this.#first = end;
    this.#features.clear();
    return {
      subsegments: [...before.subsegments, ...last.subsegments],
      locals: [...before.locals, ...last.locals],
    };
  }

  get #end(): number {
    return this.#first + this.#samples.length;
  }

  #isSpoken(start: number): boolean {
    return this.#speech.some(([from, to]) => from < start + segmentationSamples && to > start);
  }

  /** Runs the model over the windows that begin at `starts`. */
  async #segment(starts: readonly number[], segmentation: Segmentation): Promise<void> {
    for (let from = 0; from < starts.length; from += segmentation.batch) {
      const batch = starts.slice(from, from + segmentation.batch);
      const sounds = batch.map((start) => {
        const window = new Float32Array(segmentationSamples);
        const at = start - this.#first;
        window.set(this.#samples.subarray(at, at + segmentationSamples));
        return window;
      });
      const activities = await segmentation.activity(sounds);
      for (const [at, activity] of activities.entries()) this.#add(batch[at]!, activity);
    }
  }

  #add(start: number, activity: Uint8Array): void {
    this.#frames.add(frameOf(start), activity);
    if (activity.every((bits) => bits === 0)) return;
    const window = { start, activity, rows: new Array<number>(localSpeakers).fill(-1) };
    this.windows.push(window);
    this.#openWindows.push(window);
  }

  /** No later piece begins before `settled`. */
  #heard(subsegments: readonly Subsegment[], settled: number): HeardVoices {
    this.#recent.push(...subsegments);
    const pieces = this.#features.of(subsegments);
    const needed = this.#subsegmenter.needed(settled);
    const isComplete = ({ start }: SegmentationWindow) => start + segmentationSamples <= needed;
    const complete = this.#openWindows.filter(isComplete);
    this.#openWindows = this.#openWindows.filter((window) => !isComplete(window));
    const locals = complete.flatMap((window) => this.#localsWithoutPiece(window));
    const oldest = Math.min(needed, this.#openWindows[0]?.start ?? this.#first);
    this.#recent = this.#recent.filter(({ to }) => to > oldest);
    this.#features.dropBefore(oldest);
    return { subsegments: pieces, locals };
  }

  #localsWithoutPiece(window: SegmentationWindow): LocalSpeaker[] {
    const shares = this.#recent.map((piece) => sharesOf(window, piece));
    return Array.from({ length: localSpeakers }, (_, speaker) => speaker).flatMap((speaker) => {
      if (shares.some((share) => share[speaker]! >= leastShare)) return [];
      const features = this.#featuresOf(window, speaker);
      return features ? [{ window, speaker, features }] : [];
    });
  }

  /**
   * The features where the speaker is alone; where that is too short, all of the speaker; null when that is
   * too short too.
   */
  #featuresOf({ start, activity }: SegmentationWindow, speaker: number): Float32Array | null {
    const bit = 1 << speaker;
    const alone = (bits: number) => bits === bit;
    const active = (bits: number) => (bits & bit) !== 0;
    const isHeard = [alone, active].find((isActive) => activity.filter(isActive).length >= minFrames);
    if (!isHeard) return null;
    const features = this.#features.where(start, start + segmentationSamples, (sample) => {
      const at = Math.round((sample - start - segmentationFirst) / segmentationStep);
      return isHeard(activity[Math.max(0, Math.min(segmentationFrames - 1, at))]!);
    });
    return features.length >= leastFeatures * fbankBands ? features : null;
  }
}

/** Frames of the features below which the model is not asked: the end of a sound may cut a speaker off. */
const leastFeatures = 20;

/** A piece is of a local speaker who speaks alone in at least this part of it. */
export const leastShare = 0.5;

/** The part of a piece in which each local speaker of a window speaks alone. */
export function sharesOf(
  { start, activity }: SegmentationWindow,
  { from, to }: Pick<Subsegment, 'from' | 'to'>,
): number[] {
  const first = frameOf(start);
  const [begin, end] = [frameOf(from - segmentationFirst), frameOf(to - segmentationFirst)];
  const counts = new Array<number>(localSpeakers).fill(0);
  for (let at = Math.max(0, begin - first); at < Math.min(segmentationFrames, end - first); at++) {
    const speaker = soleSpeaker[activity[at]!]!;
    if (speaker >= 0) counts[speaker]! += 1;
  }
  return counts.map((count) => count / Math.max(1, end - begin));
}

/** The local speaker that is alone, by bits; -1 for none or several. */
const soleSpeaker = [-1, 0, 1, -1, 2, -1, -1, -1] as const;
const speakersIn = [0, 1, 1, 2, 1, 2, 2, 3] as const;

interface FrameCount {
  /** Windows that cover the frame, and those that hear somebody in it. */
  windows: number;
  heard: number;
  /** Speakers active in it, summed over these windows. */
  active: number;
}

/** How many speak in each frame, by the mean of the windows that cover it. */
class FrameCounts {
  /** Frames so far in which somebody speaks, and in which two or more do. */
  heard = 0;
  overlapped = 0;
  readonly #frames = new Map<number, FrameCount>();

  add(first: number, activity: Uint8Array): void {
    activity.forEach((bits, at) => {
      const frame = this.#frames.get(first + at) ?? { windows: 0, heard: 0, active: 0 };
      this.#frames.set(first + at, frame);
      frame.windows += 1;
      frame.heard += bits === 0 ? 0 : 1;
      frame.active += speakersIn[bits]!;
    });
  }

  /** No later window covers a frame before `until`. Answers where one voice speaks alone, in samples. */
  settle(until: number): SpeechRegion[] {
    const regions: SpeechRegion[] = [];
    const settled = [...this.#frames.keys()].filter((at) => at < until).sort((a, b) => a - b);
    for (const at of settled) {
      const { windows, heard, active } = this.#frames.get(at)!;
      this.#frames.delete(at);
      const speakers = Math.round(active / windows);
      this.heard += speakers > 0 ? 1 : 0;
      this.overlapped += speakers > 1 ? 1 : 0;
      if (speakers !== 1 || heard * 2 < windows) continue;
      const [from, to] = [sampleOf(at), sampleOf(at + 1)];
      const last = regions.at(-1);
      if (last && last[1] >= from) regions[regions.length - 1] = [last[0], to];
      else regions.push([from, to]);
    }
    return regions;
  }
}
