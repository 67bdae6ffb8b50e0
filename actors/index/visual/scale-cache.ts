// What the library has of the queries asked last: a page asks for the relevance along many films of one answer, and for
// the same query again as one scrolls, and what is usual in the library is the same for all of them.
import { type Background, sampledRows } from './background.ts';
import { type Catalog, everything } from './catalog.ts';
import type { Scale } from './relevance.ts';

/** Values of some vectors; typed arrays are compared by value. */
export class VectorCache<T> {
  readonly #kept = new Map<string, T>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  of(query: readonly (Float32Array | number | null)[], make: () => T): T {
    const key = query.map(keyOf).join(' ');
    const value = this.#kept.get(key) ?? make();
    this.#kept.delete(key);
    this.#kept.set(key, value);
    for (const oldest of [...this.#kept.keys()].slice(0, -this.#most)) this.#kept.delete(oldest);
    return value;
  }

  clear(): void {
    this.#kept.clear();
  }
}

function keyOf(value: Float32Array | number | null): string {
  if (value === null || typeof value === 'number') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
}

export class ScaleCache {
  readonly scales = new VectorCache<Scale>(8);
  readonly backgrounds = new VectorCache<Background>(64);
  #rows: Int32Array | null = null;

  /** Of the frames that stand for everything that is loaded. */
  rows(catalog: Catalog): Int32Array {
    this.#rows ??= sampledRows(catalog.picks(everything));
    return this.#rows;
  }

  /** What is loaded changed. */
  clear(): void {
    this.scales.clear();
    this.backgrounds.clear();
    this.#rows = null;
  }
}
