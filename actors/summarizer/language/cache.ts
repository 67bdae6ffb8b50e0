// Keys and values of a decoder for the tokens so far. Two buffers for each tensor take turns: a run reads one
// and writes the other, so that no run allocates, copies in this program, or leaves hundreds of megabytes for
// the garbage collector.
import { modelErrors } from '../../models/contract.ts';
import type { TensorIn } from '../../models/session.ts';

/** One tensor of the cache: 1×heads×tokens×width float32. */
export interface CachePort {
  readonly past: string;
  readonly present: string;
  readonly heads: number;
  readonly width: number;
}

export class KeyValueCache {
  readonly #ports: readonly CachePort[];
  #buffers: Float32Array[][] = [];
  #capacity = 0;
  #length = 0;
  /** Which of the two buffers holds what is known. */
  #side = 0;

  constructor(ports: readonly CachePort[]) {
    this.#ports = ports;
  }

  /** Tokens that are cached. */
  get length(): number {
    return this.#length;
  }

  /**
   * Forgets all tokens, and has room for `capacity` then. Throws MODEL_RUN_FAILED where there is no memory
   * for them.
   */
  begin(capacity: number): void {
    this.#length = 0;
    if (capacity <= this.#capacity) return;
    // Freed first: both at once may not fit into memory.
    this.#buffers = [];
    this.#capacity = capacity;
    try {
      this.#buffers = [0, 1].map(() =>
        this.#ports.map(({ heads, width }) => new Float32Array(heads * capacity * width)),
      );
    } catch (error) {
      this.free();
      throw modelErrors.MODEL_RUN_FAILED(
        `no memory for the keys and values of ${capacity} tokens`,
        {},
        error,
      );
    }
  }

  /** What a run reads. *Borrowed until the run ends.* */
  past(): Record<string, TensorIn> {
    return this.#tensors(this.#side, this.#length, ({ past }) => past);
  }

  /** What a run of `tokens` more writes. *Borrowed until the run ends.* */
  present(tokens: number): Record<string, TensorIn> {
    return this.#tensors(1 - this.#side, this.#length + tokens, ({ present }) => present);
  }

  /** The run of `tokens` more has ended well. */
  grown(tokens: number): void {
    this.#length += tokens;
    this.#side = 1 - this.#side;
  }

  free(): void {
    this.#buffers = [];
    this.#capacity = 0;
    this.#length = 0;
  }

  #tensors(side: number, length: number, name: (port: CachePort) => string): Record<string, TensorIn> {
    if (length > this.#capacity) {
      throw new RangeError(`${length} tokens in a cache of ${this.#capacity}`);
    }
    return Object.fromEntries(
      this.#ports.map((port, at) => {
        const { heads, width } = port;
        const data = this.#buffers[side]![at]!.subarray(0, heads * length * width);
        return [name(port), { data, dims: [1, heads, length, width] }];
      }),
    );
  }
}
