// Blocks of samples: copied so that nothing but numbers gets in, and held for as long as somebody may still need them.

/**
 * Copies `from` to `into` from place `at` on. What is no number counts as silence: a single one would stay for ever in
 * whatever remembers, a running mean as much as the state of a graph.
 */
export function copyFinite(from: Float32Array, into: Float32Array, at: number): void {
  into.set(from, at);
  let sum = 0;
  for (let i = 0; i < from.length; i++) sum += from[i]!;
  // A sum is finite only if all its terms are.
  if (Number.isFinite(sum)) return;
  for (let i = 0; i < from.length; i++) if (!Number.isFinite(from[i]!)) into[at + i] = 0;
}

/** The end of a sound that arrives block by block; what lies before `forget` is gone. */
export class SoundTail {
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

  /** Place behind the newest one. */
  get end(): number {
    return this.#first + this.#count;
  }

  /** Samples there is room for: what this holds in memory. */
  get room(): number {
    return this.#buffer.length;
  }

  /** *Copied*; what is no number becomes silence. */
  add(samples: Float32Array): void {
    const needed = this.#count + samples.length;
    if (needed > this.#buffer.length) {
      // Room to spare, so that copying stays rare; no more than that, since it is never given back.
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

  /** The same, *borrowed until the next add or forget*. */
  view(from: number, to: number): Float32Array<ArrayBuffer> {
    if (from < this.#first || to > this.end || from > to) {
      throw new RangeError(`Samples ${from} to ${to} are not among ${this.#first} to ${this.end}`);
    }
    return this.#buffer.subarray(from - this.#first, to - this.#first);
  }

  /** Nobody needs what lies before `place` any more. */
  forget(place: number): void {
    const gone = Math.min(this.#count, Math.max(0, place - this.#first));
    if (gone === 0) return;
    this.#buffer.copyWithin(0, gone, this.#count);
    this.#first += gone;
    this.#count -= gone;
  }
}
