// Cache of the latest queries, by the values of their vectors.

type VectorKey = readonly (Float32Array | number | null)[];

/** Values of some vectors; typed arrays are compared by value. */
export class VectorCache<T> {
  readonly #values = new Map<string, T>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  of(query: VectorKey, make: () => T): T {
    const key = keyOf(query);
    const value = this.#values.get(key) ?? make();
    this.#keep(key, value);
    return value;
  }

  get(query: VectorKey): T | undefined {
    return this.#values.get(keyOf(query));
  }

  set(query: VectorKey, value: T): void {
    this.#keep(keyOf(query), value);
  }

  #keep(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const oldest of [...this.#values.keys()].slice(0, -this.#most)) this.#values.delete(oldest);
  }

  clear(): void {
    this.#values.clear();
  }
}

function keyOf(query: VectorKey): string {
  return query.map(textOf).join(' ');
}

function textOf(value: Float32Array | number | null): string {
  if (value === null || typeof value === 'number') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
}
