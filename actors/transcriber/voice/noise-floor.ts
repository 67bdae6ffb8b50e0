// The noise level of each band of a spectrum, by minimum statistics: the lowest smoothed level of the last 2.4 s.

/** The lowest level is sought within this many blocks of this many frames. */
const blocks = 8;
const blockFrames = 15;

export class NoiseFloor {
  readonly #bands: number;
  readonly #smooth: Float64Array;
  readonly #floor: Float64Array;
  /** Ring buffer of the lowest levels of past blocks, and those of the current block. */
  readonly #past: Float64Array;
  readonly #now: Float64Array;
  #frames = 0;

  constructor(bands: number) {
    this.#bands = bands;
    this.#smooth = new Float64Array(bands).fill(Number.NaN);
    this.#floor = new Float64Array(bands).fill(Infinity);
    this.#past = new Float64Array(blocks * bands).fill(Infinity);
    this.#now = new Float64Array(bands).fill(Infinity);
  }

  /** `levels`: of the next frame. *Borrowed until the next call.* */
  follow(levels: Float64Array): Float64Array {
    for (let band = 0; band < this.#bands; band++) {
      const before = this.#smooth[band]!;
      const level = Number.isNaN(before) ? levels[band]! : 0.6 * before + 0.4 * levels[band]!;
      this.#smooth[band] = level;
      this.#now[band] = Math.min(this.#now[band]!, level);
      this.#floor[band] = Math.min(this.#floor[band]!, level);
    }
    this.#frames += 1;
    if (this.#frames % blockFrames === 0) this.#turnBlock();
    return this.#floor;
  }

  #turnBlock(): void {
    const block = (this.#frames / blockFrames - 1) % blocks;
    this.#past.set(this.#now, block * this.#bands);
    this.#now.fill(Infinity);
    for (let band = 0; band < this.#bands; band++) {
      let least = Infinity;
      for (let at = band; at < this.#past.length; at += this.#bands) least = Math.min(least, this.#past[at]!);
      this.#floor[band] = least;
    }
  }
}
