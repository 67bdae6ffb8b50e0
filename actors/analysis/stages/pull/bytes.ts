// How much of a model is there, in bytes, as its files come.
import type { PullProgress } from '../../../models/contract.ts';
import type { PullDetail } from './kind.ts';

/** Shares of the whole between two that are told. */
const step = 0.001;

export interface PullStand {
  /** 0 to 1. */
  readonly fraction: number;
  readonly detail: PullDetail;
}

export class PullBytes {
  readonly #sizes: number[];
  readonly #received: number[];
  #told = '';

  /** `sizes`: of each file, null where nothing is pinned. */
  constructor(sizes: readonly (number | null)[]) {
    this.#sizes = sizes.map((size) => size ?? 0);
    this.#received = sizes.map(() => 0);
  }

  /** Null when that is nothing worth telling. */
  take({ file, phase, index, received, total }: PullProgress): PullStand | null {
    this.#sizes[index] = Math.max(total ?? 0, received);
    this.#received[index] = received;
    // Each file comes when those before it are there.
    for (let before = 0; before < index; before++) this.#received[before] = this.#sizes[before] ?? 0;
    const total_bytes = sum(this.#sizes);
    const received_bytes = sum(this.#received);
    const fraction = total_bytes > 0 ? received_bytes / total_bytes : 0;
    const text = `${index} ${phase} ${Math.floor(fraction / step)}`;
    if (text === this.#told) return null;
    this.#told = text;
    return { fraction, detail: { file, phase, received_bytes, total_bytes } };
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
