// The nearest core of entries that are none, of several equally near ones the lowest.

/** The exact cosine of an entry and a core. */
export type Exact = (entry: number, core: number) => number;

export class Nearest {
  /** The core of each entry; -1 when none was offered. */
  readonly core: Int32Array;
  readonly #cosine: Float64Array;
  readonly #isExact: Uint8Array;
  readonly #error: number;
  readonly #exact: Exact;

  /** `error`: how far an offered cosine may lie beside the exact one. */
  constructor(count: number, error: number, exact: Exact) {
    this.core = new Int32Array(count).fill(-1);
    this.#cosine = new Float64Array(count);
    this.#isExact = new Uint8Array(count);
    this.#error = error;
    this.#exact = exact;
  }

  offer(entry: number, core: number, cosine: number): void {
    const best = this.core[entry]!;
    if (best === core) return;
    const ahead = cosine - this.#cosine[entry]!;
    if (best < 0 || ahead > 2 * this.#error) this.#take(entry, core, cosine, false);
    else if (ahead >= -2 * this.#error) this.#compare(entry, core);
  }

  #compare(entry: number, core: number): void {
    const best = this.core[entry]!;
    if (this.#isExact[entry] === 0) this.#take(entry, best, this.#exact(entry, best), true);
    const cosine = this.#exact(entry, core);
    const known = this.#cosine[entry]!;
    if (cosine > known || (cosine === known && core < best)) this.#take(entry, core, cosine, true);
  }

  #take(entry: number, core: number, cosine: number, isExact: boolean): void {
    this.core[entry] = core;
    this.#cosine[entry] = cosine;
    this.#isExact[entry] = isExact ? 1 : 0;
  }
}
