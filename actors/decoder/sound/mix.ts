// The tracks of one recording as one channel. Tracks may come to the decoder one far ahead of another, so
// what was heard of some waits for the others, up to a limit.

/** Consecutive samples of a track, or of the mix. */
export interface TrackBlock {
  readonly firstSample: number;
  readonly count: number;
  /** One for each channel. */
  readonly planes: readonly Float32Array[];
}

/** Samples by which one track may be ahead of those that are behind; beyond it, they count as silent. */
const mostAhead = 30 * 16_000;

export class SoundMix {
  readonly #gain: number;
  readonly #block: number;
  /** Samples from each track so far. */
  readonly #ends: number[];
  #sum = new Float32Array(mostAhead);
  /** Samples given out so far, which is the position of the first one in the sum. */
  #start = 0;

  /** Mixes `tracks` tracks, in blocks of `block` samples at most. */
  constructor(tracks: number, block: number) {
    this.#gain = 1 / tracks;
    this.#block = block;
    this.#ends = new Array<number>(tracks).fill(0);
  }

  /** Adds samples of a track, each of which follows the one before, and answers what is complete. */
  *add(track: number, samples: Float32Array): Generator<TrackBlock> {
    const from = this.#ends[track]!;
    const end = from + samples.length;
    this.#grow(end - this.#start);
    for (let at = Math.max(from, this.#start); at < end; at++)
      this.#sum[at - this.#start]! += this.#gain * samples[at - from]!;
    this.#ends[track] = end;
    yield* this.#take(Math.max(Math.min(...this.#ends), Math.max(...this.#ends) - mostAhead));
  }

  /** The remaining blocks, once all tracks have ended. */
  *finish(): Generator<TrackBlock> {
    yield* this.#take(Math.max(...this.#ends));
  }

  *#take(end: number): Generator<TrackBlock> {
    while (this.#start < end) {
      const count = Math.min(this.#block, end - this.#start);
      const planes = [this.#sum.slice(0, count)];
      this.#sum.copyWithin(0, count);
      this.#sum.fill(0, this.#sum.length - count);
      const firstSample = this.#start;
      this.#start += count;
      yield { firstSample, count, planes };
    }
  }

  #grow(length: number) {
    if (length <= this.#sum.length) return;
    const grown = new Float32Array(length);
    grown.set(this.#sum);
    this.#sum = grown;
  }
}
