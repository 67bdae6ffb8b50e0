// One channel cut into windows of ten seconds, one every second, and the voices that a segmentation finds in each: which
// frames they speak in, and the sound of those in which nobody else does.
import { Fbank, type FbankOptions, fbankBands, fbankHop } from '../acoustics/fbank.ts';
import { soundRate } from '../decoder/contract.ts';
import type { SpeechRegion } from '../transcriber/contract.ts';
import {
  localVoices,
  type Segmentation,
  segmentationFirst,
  segmentationFrames,
  segmentationStep,
  segmentationWindow,
} from './segmentation.ts';

/** What was found in one window. */
export interface LocalWindow {
  /** First sample. */
  readonly start: number;
  /** The voices that speak in each frame, as bits. */
  readonly voices: Uint8Array;
  /** Row of the vector of each voice; -1 for one that has none. */
  readonly rows: readonly number[];
}

/** The sound of one voice of a window. */
export interface LocalVoice {
  /** frames×80. */
  readonly features: Float32Array;
  readonly voice: number;
}

export type TakeVoices = (voices: readonly LocalVoice[]) => Promise<readonly number[]>;

const step = soundRate;
/** Seconds by itself under which a voice says too little. */
const leastFrames = Math.ceil((0.4 * soundRate) / segmentationStep);

export class LocalChannel {
  readonly windows: LocalWindow[] = [];
  readonly #fbank: FbankOptions;
  #start: number | null = null;
  /** Sound from sample `#first` on. */
  #samples = new Float32Array(0);
  #first = 0;
  /** Speech that lies behind the window that comes next, ascending. */
  #speech: SpeechRegion[] = [];

  constructor(fbank: FbankOptions) {
    this.#fbank = fbank;
  }

  get next(): number | null {
    return this.#start === null ? null : this.#first + this.#samples.length;
  }

  /** Windows without speech are left out. `take` answers the row of each voice's vector. */
  async hear(
    first: number,
    samples: Float32Array,
    speech: readonly SpeechRegion[],
    settled: number,
    segmentation: Segmentation,
    take: TakeVoices,
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
    while (this.#first + segmentationWindow <= settled && this.#samples.length >= segmentationWindow) {
      await this.#look(this.#samples.slice(0, segmentationWindow), segmentation, take);
      this.#samples = this.#samples.slice(step);
      this.#first += step;
      this.#speech = this.#speech.filter(([, end]) => end > this.#first);
    }
  }

  /** The rest, which is shorter than a window. */
  async end(speech: readonly SpeechRegion[], segmentation: Segmentation, take: TakeVoices): Promise<void> {
    const end = this.next;
    if (end === null) return;
    await this.hear(end, new Float32Array(0), speech, end, segmentation, take);
    const last = new Float32Array(segmentationWindow);
    last.set(this.#samples);
    if (this.#samples.length > 0) await this.#look(last, segmentation, take);
    this.#samples = new Float32Array(0);
    this.#speech = [];
    this.#first = end;
  }

  async #look(window: Float32Array, segmentation: Segmentation, take: TakeVoices): Promise<void> {
    const start = this.#first;
    const end = start + window.length;
    if (!this.#speech.some((region) => region[0] < end && region[1] > start)) return;
    const voices = await segmentation.voices(window);
    const features = new Fbank(this.#fbank).whole(window);
    const found = Array.from({ length: localVoices }, (_, voice) => voice).flatMap((voice) => {
      const own = soundOf(voices, voice, features);
      return own ? [{ voice, features: own }] : [];
    });
    const taken = await take(found);
    const rows = new Array<number>(localVoices).fill(-1);
    found.forEach(({ voice }, at) => {
      rows[voice] = taken[at]!;
    });
    if (voices.some((bits) => bits !== 0)) this.windows.push({ start, voices, rows });
  }
}

/** The features where the voice speaks alone, or, when that is too short, where it speaks; null when that is too. */
function soundOf(voices: Uint8Array, voice: number, features: Float32Array): Float32Array | null {
  const bit = 1 << voice;
  const count = (wanted: (bits: number) => boolean) =>
    voices.reduce((sum, bits) => sum + (wanted(bits) ? 1 : 0), 0);
  const alone = (bits: number) => bits === bit;
  const speaks = (bits: number) => (bits & bit) !== 0;
  const wanted = [alone, speaks].find((one) => count(one) >= leastFrames);
  if (!wanted) return null;
  const frames = features.length / fbankBands;
  const kept: number[] = [];
  for (let frame = 0; frame < frames; frame++) {
    const middle = frame * fbankHop + 200;
    const at = Math.round((middle - segmentationFirst) / segmentationStep);
    if (wanted(voices[Math.max(0, Math.min(segmentationFrames - 1, at))]!)) kept.push(frame);
  }
  const sound = new Float32Array(kept.length * fbankBands);
  kept.forEach((frame, place) => {
    sound.set(features.subarray(frame * fbankBands, (frame + 1) * fbankBands), place * fbankBands);
  });
  return sound;
}
