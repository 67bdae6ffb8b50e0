// Cache of the latest queries, by the values of their vectors.

type VectorKey = readonly (Float32Array | number | null)[];

/** Values of some vectors; typed arrays are compared by value. */
export class VectorCache<T> {
  readonly #kept = new Map<string, T>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  of(query: VectorKey, make: () => T): T {
    const key = keyOf(query);
    const value = this.#kept.get(key) ?? make();
    this.#keep(key, value);
    return value;
  }

  get(query: VectorKey): T | undefined {
    return this.#kept.get(keyOf(query));
  }

  set(query: VectorKey, value: T): void {
    this.#keep(keyOf(query), value);
  }

  #keep(key: string, value: T): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    for (const oldest of [...this.#kept.keys()].slice(0, -this.#most)) this.#kept.delete(oldest);
  }

  clear(): void {
    this.#kept.clear();
  }
}

function keyOf(query: VectorKey): string {
  return query.map(textOf).join(' ');
}

function textOf(value: Float32Array | number | null): string {
  if (value === null || typeof value === 'number') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
}
