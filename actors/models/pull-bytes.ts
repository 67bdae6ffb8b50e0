// How much of a model has been downloaded, in bytes, as its files come.
import type { PullProgress } from './contract.ts';
import { type ModelFile, transferSizes } from './model-file.ts';

export class PullBytes {
  readonly #sizes: number[];
  readonly #received: number[];

  constructor(files: readonly ModelFile[]) {
    // Sizes that are not pinned are known when the server announces them.
    this.#sizes = transferSizes(files).map((size) => size ?? 0);
    this.#received = files.map(() => 0);
  }

  get received(): number {
    return sum(this.#received);
  }

  get total(): number {
    return sum(this.#sizes);
  }

  take({ index, received, total }: Pick<PullProgress, 'index' | 'received' | 'total'>): void {
    this.#sizes[index] = Math.max(total ?? 0, received);
    this.#received[index] = received;
    // Each file comes when those before it are there.
    this.#complete(index);
  }

  /** Every file is there. */
  end(): void {
    this.#complete(this.#sizes.length);
  }

  #complete(files: number): void {
    for (let before = 0; before < files; before++) this.#received[before] = this.#sizes[before] ?? 0;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
