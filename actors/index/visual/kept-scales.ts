// The scales of the queries asked last: a page asks for the relevance along many films of one answer, and what the library
// has of a query is the same for all of them.
import type { Scale } from './relevance.ts';

/** What was asked; typed arrays are compared by value. */
export interface ScaledQuery {
  readonly text: Float32Array | null;
  readonly picture: Float32Array | null;
  readonly exclude: Float32Array | null;
  readonly text_weight: number;
}

const mostKept = 8;

export class KeptScales {
  readonly #kept = new Map<string, Scale>();

  of(query: ScaledQuery, make: () => Scale): Scale {
    const key = keyOf(query);
    const scale = this.#kept.get(key) ?? make();
    this.#kept.delete(key);
    this.#kept.set(key, scale);
    for (const oldest of [...this.#kept.keys()].slice(0, -mostKept)) this.#kept.delete(oldest);
    return scale;
  }

  /** What is loaded changed. */
  clear(): void {
    this.#kept.clear();
  }
}

function keyOf({ text, picture, exclude, text_weight }: ScaledQuery): string {
  const bytes = (vector: Float32Array | null) =>
    vector === null
      ? ''
      : Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
  return [text_weight, ...[text, picture, exclude].map(bytes)].join(' ');
}
