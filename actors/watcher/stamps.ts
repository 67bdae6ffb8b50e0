// Numbers of polls, which are written beside each file, and when those polls were. A file is complete when it
// was the same in two polls; polls that come quickly one after the other prove nothing, because a file that
// is written over a network may stand still for a moment.

export interface Stamp {
  /** Of this poll: 0 to 255, and then 0 again. */
  readonly generation: number;
  /** Whether a mark that was new in the poll `generation` has stood for long enough. */
  isApart(generation: number): boolean;
}

export class Stamps {
  readonly #settleMs: number;
  #generation = 0;
  /** When the last poll of each generation ended; while it goes on, when it began. */
  readonly #ended = new Float64Array(256).fill(Number.NEGATIVE_INFINITY);

  /** `settleMs`: between the polls in which a file has to be the same. */
  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /** A poll begins. */
  begin(now: number): Stamp {
    this.#generation = (this.#generation + 1) & 255;
    this.#ended[this.#generation] = now;
    const own = this.#generation;
    return {
      generation: own,
      isApart: (generation) => generation !== own && now - this.#ended[generation]! >= this.#settleMs,
    };
  }

  end(now: number): void {
    this.#ended[this.#generation] = now;
  }
}
