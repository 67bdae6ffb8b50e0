// Peaks on an even grid of time. Its length is bounded: a grid that is full becomes coarser.
import { peaksPerSecond } from './contract.ts';

/** Those of a day. */
const mostValues = 24 * 3600 * peaksPerSecond;

export class PeakGrid {
  #values = new Uint8Array(4096);
  #length = 0;
  #perSecond = peaksPerSecond;

  get perSecond(): number {
    return this.#perSecond;
  }

  /** Copied. */
  get values(): Uint8Array<ArrayBuffer> {
    return this.#values.slice(0, this.#length);
  }

  /**
   * `count` samples from `seconds` on; `loudest` answers the loudest of those in [from, to), 0 to 1. What lies before 0 is
   * left out.
   */
  add(seconds: number, count: number, rate: number, loudest: (from: number, to: number) => number): void {
    this.#coarsenUntil(seconds + count / rate);
    const perSecond = this.#perSecond;
    let from = Math.max(0, Math.ceil(-seconds * rate));
    while (from < count) {
      // A sample on a border belongs to what follows it, however it was rounded.
      const index = Math.floor((seconds + from / rate) * perSecond + 1e-6);
      const next = Math.ceil(((index + 1) / perSecond - seconds) * rate - 1e-3);
      const to = Math.min(count, Math.max(from + 1, next));
      this.#set(index, loudest(from, to));
      from = to;
    }
  }

  #set(index: number, loudest: number): void {
    if (index >= this.#values.length) {
      const grown = new Uint8Array(Math.max(index + 1, this.#values.length * 2));
      grown.set(this.#values);
      this.#values = grown;
    }
    // What is not silent is never 0.
    const value = Math.ceil(Math.min(1, loudest) * 255 - 1e-6);
    if (value > this.#values[index]!) this.#values[index] = value;
    if (index >= this.#length) this.#length = index + 1;
  }

  #coarsenUntil(seconds: number): void {
    while (seconds * this.#perSecond > mostValues) {
      const values = this.#values;
      const length = Math.ceil(this.#length / 2);
      for (let i = 0; i < length; i++) values[i] = Math.max(values[2 * i]!, values[2 * i + 1] ?? 0);
      values.fill(0, length);
      this.#length = length;
      this.#perSecond /= 2;
    }
  }
}
