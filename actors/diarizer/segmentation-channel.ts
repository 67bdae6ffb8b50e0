// One channel of a session with a segmentation model: sliding windows of ten seconds, one every second. In each window the
// model says which of its local speakers speak in which frames, and the sound in which one speaks alone is embedded.
import { Fbank, type FbankOptions, fbankBands, fbankHop } from '../acoustics/fbank.ts';
import { soundRate } from '../decoder/contract.ts';
import type { SpeechRegion } from '../transcriber/contract.ts';
import {
  localSpeakers,
  type Segmentation,
  segmentationFirst,
  segmentationFrames,
  segmentationSamples,
  segmentationStep,
} from './segmentation.ts';

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
export interface LocalSpeaker {
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

/** The features where the speaker is alone; where that is too short, all of the speaker; null when that is too short too. */
function featuresOf(activity: Uint8Array, speaker: number, features: Float32Array): Float32Array | null {
  const bit = 1 << speaker;
  const count = (wanted: (bits: number) => boolean) =>
    activity.reduce((sum, bits) => sum + (wanted(bits) ? 1 : 0), 0);
  const alone = (bits: number) => bits === bit;
  const active = (bits: number) => (bits & bit) !== 0;
  const wanted = [alone, active].find((one) => count(one) >= minFrames);
  if (!wanted) return null;
  const frames = features.length / fbankBands;
  const kept: number[] = [];
  for (let frame = 0; frame < frames; frame++) {
    const middle = frame * fbankHop + fbankMiddle;
    const at = Math.round((middle - segmentationFirst) / segmentationStep);
    if (wanted(activity[Math.max(0, Math.min(segmentationFrames - 1, at))]!)) kept.push(frame);
  }
  const own = new Float32Array(kept.length * fbankBands);
  kept.forEach((frame, place) => {
    own.set(features.subarray(frame * fbankBands, (frame + 1) * fbankBands), place * fbankBands);
  });
  return own;
}
