// One channel of a session without a segmentation model: takes sound in blocks and the speech detected in it, and answers
// the features of every subsegment of speech. It keeps the features of the last seconds only.
import { Fbank, type FbankOptions, fbankBands, fbankFrames, fbankHop } from '../acoustics/fbank.ts';
import type { SpeechRegion } from '../transcriber/contract.ts';
import { OverlapChannel } from './overlap/channel.ts';
import { type Subsegment, Subsegmenter, type SubsegmentOptions } from './subsegments.ts';

export interface SubsegmentFeatures {
  readonly subsegment: Subsegment;
  /** frames×80, *owned by the caller*. */
  readonly features: Float32Array;
}

export class SubsegmentChannel {
  /** Hears the same features; whoever pushes lets it `detect`. */
  readonly overlap = new OverlapChannel();
  readonly #subsegmenter: Subsegmenter;
  readonly #fbank: Fbank;
  /** Position of the first sample; null before the first block. */
  #start: number | null = null;
  /** Samples so far. */
  #count = 0;
  /** Features from frame `#first` on. */
  #frames = new Float32Array(0);
  #first = 0;

  constructor(fbank: FbankOptions, options?: SubsegmentOptions) {
    this.#fbank = new Fbank(fbank);
    this.#subsegmenter = new Subsegmenter(options);
  }

  get regions(): readonly (readonly [number, number])[] {
    return this.#subsegmenter.regions;
  }

  /** Where the next block has to begin; null before the first one. */
  get next(): number | null {
    return this.#start === null ? null : this.#start + this.#count;
  }

  /** `samples`: from `first` on, *copied*. `speech` and `settled` as the transcriber answered them. */
  push(
    first: number,
    samples: Float32Array,
    speech: readonly SpeechRegion[],
    settled: number,
  ): SubsegmentFeatures[] {
    this.#start ??= first;
    this.#count += samples.length;
    const made = this.#fbank.push(samples);
    this.overlap.push(this.#start, made, speech, settled);
    const frames = new Float32Array(this.#frames.length + made.length);
    frames.set(this.#frames);
    frames.set(made, this.#frames.length);
    this.#frames = frames;
    const found = this.#featuresOf(this.#subsegmenter.add(speech, settled));
    this.#drop(this.#subsegmenter.needed(settled));
    return found;
  }

  /** The channel has ended. */
  end(speech: readonly SpeechRegion[], settled: number): SubsegmentFeatures[] {
    this.overlap.end(speech);
    const subsegments = [...this.#subsegmenter.add(speech, settled), ...this.#subsegmenter.end()];
    const found = this.#featuresOf(subsegments);
    this.#frames = new Float32Array(0);
    return found;
  }

  #featuresOf(subsegments: readonly Subsegment[]): SubsegmentFeatures[] {
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

  /** The first frame that begins at or after a sample. */
  #frame(sample: number): number {
    return Math.max(0, Math.ceil((sample - (this.#start ?? 0)) / fbankHop));
  }

  #drop(before: number): void {
    const gone = Math.min(this.#frame(before) - 1 - this.#first, this.#frames.length / fbankBands);
    if (gone <= 0) return;
    this.#frames = this.#frames.slice(gone * fbankBands);
    this.#first += gone;
  }
}

/** Fewer say too little about a speaker, and graphs that convolve over frames refuse them. */
const minFrames = 20;
