// The features of the last seconds of a channel, from which pieces of its speech are cut.
import {
  Fbank,
  type FbankOptions,
  fbankBands,
  fbankFrames,
  fbankHop,
  fbankSize,
} from '../acoustics/fbank.ts';
import type { Subsegment } from './turns.ts';

export interface SubsegmentFeatures {
  readonly subsegment: Subsegment;
  /** frames×80, *owned by the caller*. */
  readonly features: Float32Array;
}

/** Fewer frames say too little about a speaker, and graphs that convolve over frames refuse them. */
const minFrames = 20;

/** The features of the last seconds of a channel. */
export class RecentFeatures {
  readonly #fbank: Fbank;
  /** Position of the first sample; null before the first block. */
  #start: number | null = null;
  /** Samples so far. */
  #count = 0;
  /** Features from frame `#first` on. */
  #frames = new Float32Array(0);
  #first = 0;

  constructor(fbank: FbankOptions) {
    this.#fbank = new Fbank(fbank);
  }

  /** Position of the first sample; 0 before the first block. */
  get start(): number {
    return this.#start ?? 0;
  }

  /** Where the next block has to begin; null before the first one. */
  get next(): number | null {
    return this.#start === null ? null : this.#start + this.#count;
  }

  /** `samples`: from `first` on, *copied*. Answers the new features, frames×80. */
  push(first: number, samples: Float32Array): Float32Array {
    this.#start ??= first;
    this.#count += samples.length;
    const features = this.#fbank.push(samples);
    const frames = new Float32Array(this.#frames.length + features.length);
    frames.set(this.#frames);
    frames.set(features, this.#frames.length);
    this.#frames = frames;
    return features;
  }

  /** The features of each subsegment; those that are too short are left out. */
  of(subsegments: readonly Subsegment[]): SubsegmentFeatures[] {
    return subsegments.flatMap((subsegment) => {
      const from = Math.max(this.#first, this.#frame(subsegment.from));
      const to = Math.min(
        this.#first + this.#frames.length / fbankBands,
        this.#frame(subsegment.from) + fbankFrames(subsegment.to - subsegment.from),
      );
      // The detector may report speech past the end of the sound.
      if (to - from < minFrames) return [];
      const at = from - this.#first;
      return [{ subsegment, features: this.#frames.slice(at * fbankBands, (at + to - from) * fbankBands) }];
    });
  }

  /** The frames between two samples for whose middle `isWanted` is true, joined. */
  where(from: number, to: number, isWanted: (sample: number) => boolean): Float32Array {
    const last = Math.min(this.#frame(to), this.#first + this.#frames.length / fbankBands);
    const frames: Float32Array[] = [];
    for (let frame = Math.max(this.#first, this.#frame(from)); frame < last; frame++) {
      const at = (frame - this.#first) * fbankBands;
      if (isWanted(this.start + frame * fbankHop + fbankSize / 2))
        frames.push(this.#frames.subarray(at, at + fbankBands));
    }
    const joined = new Float32Array(frames.length * fbankBands);
    for (const [place, frame] of frames.entries()) joined.set(frame, place * fbankBands);
    return joined;
  }

  dropBefore(sample: number): void {
    const frameCount = Math.min(this.#frame(sample) - 1 - this.#first, this.#frames.length / fbankBands);
    if (frameCount <= 0) return;
    this.#frames = this.#frames.slice(frameCount * fbankBands);
    this.#first += frameCount;
  }

  clear(): void {
    this.#frames = new Float32Array(0);
  }

  /** The first frame that begins at or after a sample. */
  #frame(sample: number): number {
    return Math.max(0, Math.ceil((sample - this.start) / fbankHop));
  }
}
