// One channel of a session: takes sound in blocks and where speech was found in it, and gives out the features of
// every window of speech. It keeps the features of the last seconds only.
import { Fbank, type FbankOptions, fbankBands, fbankFrames, fbankHop } from '../acoustics/fbank.ts';
import type { SpeechRegion } from '../transcriber/contract.ts';
import { type Piece, PieceCutter, type PieceOptions } from './pieces.ts';

export interface Window {
  readonly piece: Piece;
  /** frames×80, owned by the receiver. */
  readonly features: Float32Array;
}

export class Channel {
  readonly #cutter: PieceCutter;
  readonly #fbank: Fbank;
  /** Position of the first sample heard; null before the first block. */
  #start: number | null = null;
  #heard = 0;
  /** Frames from number `#first` on. */
  #frames = new Float32Array(0);
  #first = 0;

  constructor(fbank: FbankOptions, options?: PieceOptions) {
    this.#fbank = new Fbank(fbank);
    this.#cutter = new PieceCutter(options);
  }

  get regions(): readonly (readonly [number, number])[] {
    return this.#cutter.regions;
  }

  /** Where the next block has to begin; null when any place will do. */
  get next(): number | null {
    return this.#start === null ? null : this.#start + this.#heard;
  }

  /** `samples`: from `first` on, *copied*. `speech` and `settled` as the transcriber said them. */
  hear(first: number, samples: Float32Array, speech: readonly SpeechRegion[], settled: number): Window[] {
    this.#start ??= first;
    this.#heard += samples.length;
    const made = this.#fbank.push(samples);
    const frames = new Float32Array(this.#frames.length + made.length);
    frames.set(this.#frames);
    frames.set(made, this.#frames.length);
    this.#frames = frames;
    const windows = this.#windows(this.#cutter.add(speech, settled));
    this.#forget(this.#cutter.needed(settled));
    return windows;
  }

  /** The channel has ended. */
  end(speech: readonly SpeechRegion[], settled: number): Window[] {
    const pieces = [...this.#cutter.add(speech, settled), ...this.#cutter.end()];
    const windows = this.#windows(pieces);
    this.#frames = new Float32Array(0);
    return windows;
  }

  #windows(pieces: readonly Piece[]): Window[] {
    return pieces.flatMap((piece) => {
      const from = Math.max(this.#first, this.#frame(piece.from));
      const to = Math.min(
        this.#first + this.#frames.length / fbankBands,
        this.#frame(piece.from) + fbankFrames(piece.to - piece.from),
      );
      // Speech said to lie behind the end of the sound.
      if (to - from < leastFrames) return [];
      const at = from - this.#first;
      return [{ piece, features: this.#frames.slice(at * fbankBands, (at + to - from) * fbankBands) }];
    });
  }

  /** The first frame that begins at or after a sample. */
  #frame(sample: number): number {
    return Math.max(0, Math.ceil((sample - (this.#start ?? 0)) / fbankHop));
  }

  #forget(before: number): void {
    const gone = Math.min(this.#frame(before) - 1 - this.#first, this.#frames.length / fbankBands);
    if (gone <= 0) return;
    this.#frames = this.#frames.slice(gone * fbankBands);
    this.#first += gone;
  }
}

/** Fewer say nothing about a voice, and graphs that look at neighbouring frames refuse them. */
const leastFrames = 20;
