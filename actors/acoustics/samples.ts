// Blocks of samples: copied without NaN and infinities, and a buffer of the newest ones.

/**
 * Copies `from` to `into` from place `at` on, with zeros for NaN and infinities: a single one would stay for
 * ever in whatever has a state, such as a running mean or a recurrent graph.
 */
export function copyFinite(from: Float32Array, into: Float32Array, at: number): void {
  into.set(from, at);
  let sum = 0;
  for (let i = 0; i < from.length; i++) sum += from[i]!;
  // A sum is finite only if all its terms are.
  if (Number.isFinite(sum)) return;
  for (let i = 0; i < from.length; i++) if (!Number.isFinite(from[i]!)) into[at + i] = 0;
}

/** The newest samples of a sound that arrives block by block; those before `drop` are gone. */
export class SampleBuffer {
  #buffer = new Float32Array(0);
  #first: number;
  #count = 0;

  /** `first`: place of the first sample that will be added. */
  constructor(first: number) {
    this.#first = first;
  }

  /** Place of the oldest sample held. */
  get first(): number {
    return this.#first;
  }

  /** Place after the newest one. */
  get end(): number {
    return this.#first + this.#count;
  }

  /** Samples there is memory for. */
  get capacity(): number {
    return this.#buffer.length;
  }

  /** *Copied*; NaN and infinities become zeros. */
  add(samples: Float32Array): void {
    const needed = this.#count + samples.length;
    if (needed > this.#buffer.length) {
      // A quarter to spare keeps copying rare; not more, since memory is never given back.
      const larger = new Float32Array(Math.ceil(needed * 1.25));
      larger.set(this.#buffer.subarray(0, this.#count));
      this.#buffer = larger;
    }
    copyFinite(samples, this.#buffer, this.#count);
    this.#count = needed;
  }

  /** Samples `from` to `to`, *copied*. Throws RangeError for what is not held. */
  copy(from: number, to: number): Float32Array<ArrayBuffer> {
    return this.view(from, to).slice();
  }

  /** The same, *borrowed until the next add or drop*. */
  view(from: number, to: number): Float32Array<ArrayBuffer> {
    if (from < this.#first || to > this.end || from > to) {
      throw new RangeError(`Samples ${from} to ${to} are not among ${this.#first} to ${this.end}`);
    }
    return this.#buffer.subarray(from - this.#first, to - this.#first);
  }

  /** Samples before `place` are not needed any more. */
  drop(place: number): void {
    const gone = Math.min(this.#count, Math.max(0, place - this.#first));
    if (gone === 0) return;
    this.#buffer.copyWithin(0, gone, this.#count);
    this.#first += gone;
    this.#count -= gone;
  }
}
