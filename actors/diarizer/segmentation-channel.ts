// One channel of a session with a segmentation model: sliding windows of ten seconds, one every second. In
// each window the model says which of its local speakers speak in which frames, and the sound in which one
// speaks alone is embedded.
import { Fbank, type FbankOptions, fbankBands, fbankHop } from '../acoustics/fbank.ts';
import { soundRate } from '../decoder/contract.ts';
import { type ModelRow, modelErrors } from '../models/contract.ts';
import type { ModelSession } from '../models/session.ts';
import type { SpeechRegion } from '../transcriber/contract.ts';

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
  /**
   * `samples`: one window, *borrowed until the promise settles*. Answers the active speakers of each frame,
   * as bits.
   */
  activity(samples: Float32Array): Promise<Uint8Array>;
}

/** The session stays the caller's. Throws MODEL_LOAD_FAILED. */
export function segmentationOf(session: ModelSession, file: string): Segmentation {
  // Names of the export on Hugging Face, or of that of sherpa-onnx.
  const input = ['input_values', 'x'].find((name) => session.inputs.some((port) => port.name === name));
  const output = ['logits', 'y'].find((name) => session.outputs.some((port) => port.name === name));
  if (input === undefined || output === undefined) {
    const names = [...session.inputs, ...session.outputs].map(({ name }) => name).join(', ');
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: has ${names}, not input_values and logits`, { file });
  }
  return {
    activity: async (samples) => {
      const dims = [1, 1, segmentationSamples];
      const results = await session.run({ [input]: { data: samples, dims } }, [output]);
      const logits = results[output];
      const expected = segmentationFrames * powerset.length;
      if (!(logits?.data instanceof Float32Array) || logits.data.length !== expected) {
        throw modelErrors.MODEL_RUN_FAILED(
          `${file}: ${output} is ${logits?.dims.join('×') ?? 'missing'}, expected 1×589×7 floats`,
        );
      }
      return readPowerset(logits.data);
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

/** What the model found in one window. */
export interface SegmentationWindow {
  /** First sample. */
  readonly start: number;
  /** The local speakers active in each frame, as bits. */
  readonly activity: Uint8Array;
  /** Row of the embedding of each local speaker; -1 for one that has none. */
  readonly rows: readonly number[];
}

/** Features of the sound of one local speaker. */
interface LocalSpeaker {
  /** frames×80. */
  readonly features: Float32Array;
  readonly speaker: number;
}

/** Embeds local speakers; answers the row of each embedding. */
export type EmbedSpeakers = (speakers: readonly LocalSpeaker[]) => Promise<readonly number[]>;

const windowHop = soundRate;
/** Frames under which the sound of a speaker is too short to be embedded: 0.4 s. */
const minFrames = Math.ceil((0.4 * soundRate) / segmentationStep);
/** Samples from the start of a frame of the features to its middle. */
const fbankMiddle = 200;

export class SegmentationChannel {
  readonly windows: SegmentationWindow[] = [];
  readonly #fbank: FbankOptions;
  #start: number | null = null;
  /** Sound from sample `#first` on. */
  #samples = new Float32Array(0);
  #first = 0;
  /** Speech that ends after the start of the next window, ascending. */
  #speech: SpeechRegion[] = [];

  constructor(fbank: FbankOptions) {
    this.#fbank = fbank;
  }

  /** Where the next block has to begin; null before the first one. */
  get next(): number | null {
    return this.#start === null ? null : this.#first + this.#samples.length;
  }

  /** `samples`: from `first` on, *copied*. Windows without speech are skipped. */
  async push(
    first: number,
    samples: Float32Array,
    speech: readonly SpeechRegion[],
    settled: number,
    segmentation: Segmentation,
    embed: EmbedSpeakers,
  ): Promise<void> {
    if (this.#start === null) {
      this.#start = first;
      this.#first = first;
    }
    const joined = new Float32Array(this.#samples.length + samples.length);
    joined.set(this.#samples);
    joined.set(samples, this.#samples.length);
    this.#samples = joined;
    this.#speech.push(...speech);
    while (this.#first + segmentationSamples <= settled && this.#samples.length >= segmentationSamples) {
      await this.#segment(this.#samples.slice(0, segmentationSamples), segmentation, embed);
      this.#samples = this.#samples.slice(windowHop);
      this.#first += windowHop;
      this.#speech = this.#speech.filter(([, end]) => end > this.#first);
    }
  }

  /** The channel has ended: what is left is shorter than a window and is padded with zeros. */
  async end(
    speech: readonly SpeechRegion[],
    segmentation: Segmentation,
    embed: EmbedSpeakers,
  ): Promise<void> {
    const end = this.next;
    if (end === null) return;
    await this.push(end, new Float32Array(0), speech, end, segmentation, embed);
    const last = new Float32Array(segmentationSamples);
    last.set(this.#samples);
    if (this.#samples.length > 0) await this.#segment(last, segmentation, embed);
    this.#samples = new Float32Array(0);
    this.#speech = [];
    this.#first = end;
  }

  async #segment(window: Float32Array, segmentation: Segmentation, embed: EmbedSpeakers): Promise<void> {
    const start = this.#first;
    const end = start + window.length;
    if (!this.#speech.some((region) => region[0] < end && region[1] > start)) return;
    const activity = await segmentation.activity(window);
    const features = new Fbank(this.#fbank).whole(window);
    const found = Array.from({ length: localSpeakers }, (_, speaker) => speaker).flatMap((speaker) => {
      const own = featuresOf(activity, speaker, features);
      return own ? [{ speaker, features: own }] : [];
    });
    const embedded = await embed(found);
    const rows = new Array<number>(localSpeakers).fill(-1);
    found.forEach(({ speaker }, at) => {
      rows[speaker] = embedded[at]!;
    });
    if (activity.some((bits) => bits !== 0)) this.windows.push({ start, activity, rows });
  }
}

/**
 * The features where the speaker is alone; where that is too short, all of the speaker; null when that is too
 * short too.
 */
function featuresOf(activity: Uint8Array, speaker: number, features: Float32Array): Float32Array | null {
  const bit = 1 << speaker;
  const count = (expected: (bits: number) => boolean) =>
    activity.reduce((sum, bits) => sum + (expected(bits) ? 1 : 0), 0);
  const alone = (bits: number) => bits === bit;
  const active = (bits: number) => (bits & bit) !== 0;
  const expected = [alone, active].find((one) => count(one) >= minFrames);
  if (!expected) return null;
  const frames = features.length / fbankBands;
  const kept: number[] = [];
  for (let frame = 0; frame < frames; frame++) {
    const middle = frame * fbankHop + fbankMiddle;
    const at = Math.round((middle - segmentationFirst) / segmentationStep);
    if (expected(activity[Math.max(0, Math.min(segmentationFrames - 1, at))]!)) kept.push(frame);
  }
  const own = new Float32Array(kept.length * fbankBands);
  kept.forEach((frame, place) => {
    own.set(features.subarray(frame * fbankBands, (frame + 1) * fbankBands), place * fbankBands);
  });
  return own;
}
