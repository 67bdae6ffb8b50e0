// One clustering: its entries, and how far the work on them is. The work begins anew when entries are added or something else
// is asked for.
import { engineErrors } from '../../../runtime/errors.ts';
import type { ClusterLabels } from '../contract.ts';
import { Dbscan } from './dbscan.ts';
import type { EarlierLabels } from './earlier.ts';
import { Entries } from './entries.ts';
import { findEps } from './find-eps.ts';
import type { Product } from './product.ts';

export interface ClusteringParameters {
  /** Null: found from the distances. */
  readonly eps: number | null;
  readonly minSamples: number;
}

/** The part of the fraction that finding eps is. */
const epsShare = 0.1;

export class Clustering {
  readonly entries: Entries;
  readonly #before: EarlierLabels | null;
  readonly #ownEps: number;
  #asked: ClusteringParameters | null = null;
  #work: AsyncGenerator<void, ClusterLabels> | null = null;
  #result: ClusterLabels | null = null;
  #fraction = 0;

  /** `ownEps`: the one that suits the model which made the vectors. */
  constructor(dimensions: number, before: EarlierLabels | null, ownEps: number) {
    if (before !== null && before.labels.length !== before.neighbours.length) {
      const { labels, neighbours } = before;
      throw engineErrors.INVALID_MESSAGE(
        `before: ${labels.length} labels and ${neighbours.length} neighbour counts`,
      );
    }
    this.entries = new Entries(dimensions);
    this.#before = before;
    this.#ownEps = ownEps;
  }

  /** Throws INVALID_MESSAGE. */
  add(vectors: Float32Array, weak: Uint8Array): void {
    this.entries.add(vectors, weak);
    this.#forget();
  }

  /** 0 to 1; never falls while the same is asked for. */
  get fraction(): number {
    return this.#fraction;
  }

  /** One multiplication; true when the labels are there. Never two at a time. Throws INVALID_MESSAGE. */
  async advance(asked: ClusteringParameters, product: Product): Promise<boolean> {
    if (asked.eps !== this.#asked?.eps || asked.minSamples !== this.#asked?.minSamples) this.#forget();
    if (this.#result !== null) return true;
    this.#asked = asked;
    const work = this.#work ?? this.#run(asked, product);
    this.#work = work;
    try {
      const { done, value } = await work.next();
      // Entries were added meanwhile.
      if (this.#work !== work) this.#forget();
      else if (done) this.#finish(value);
    } catch (error) {
      this.#forget();
      throw error;
    }
    return this.#result !== null;
  }

  /** Throws INVALID_MESSAGE before the last step is done. */
  labels(): ClusterLabels {
    if (this.#result === null)
      throw engineErrors.INVALID_MESSAGE('clustering: its last step is not done yet');
    return this.#result;
  }

  #finish(labels: ClusterLabels): void {
    this.#result = labels;
    this.#work = null;
    this.#fraction = 1;
  }

  #forget(): void {
    this.#asked = null;
    this.#work = null;
    this.#result = null;
    this.#fraction = 0;
  }

  async *#run(
    { eps: given, minSamples }: ClusteringParameters,
    product: Product,
  ): AsyncGenerator<void, ClusterLabels> {
    const before = this.#before;
    if (given === null && before !== null) {
      throw engineErrors.INVALID_MESSAGE('eps: is needed where `before` says what was found by it');
    }
    const share = given === null ? epsShare : 0;
    const eps = given ?? (yield* this.#finding(findEps(this.entries.strong, product, this.#ownEps)));
    const dbscan = new Dbscan(this.entries, product, { eps, minSamples, before });
    const work = dbscan.run();
    for (;;) {
      const { done, value } = await work.next();
      if (done) return value;
      this.#fraction = Math.max(this.#fraction, share + (1 - share) * dbscan.fraction);
      yield;
    }
  }

  async *#finding(work: AsyncGenerator<number, number>): AsyncGenerator<void, number> {
    for (;;) {
      const { done, value } = await work.next();
      if (done) return value;
      this.#fraction = Math.max(this.#fraction, epsShare * value);
      yield;
    }
  }
}
