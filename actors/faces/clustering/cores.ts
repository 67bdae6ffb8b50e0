// How many neighbours each strong entry has, which are core, and which cores are connected, told pair by pair.
//
// A pair of cores is joined and forgotten. An entry that is not core keeps its neighbours until it is: fewer than
// `minSamples` of them, so that memory grows with the entries and not with the pairs, however many are alike.
import { Pending } from './pending.ts';
import { UnionFind } from './union-find.ts';

export class Cores {
  /** Strong entries within eps, itself included. */
  readonly counts: Int32Array;
  readonly isCore: Uint8Array;
  readonly groups: UnionFind;
  readonly pending: Pending;
  readonly #minSamples: number;

  /** `counts` as they are before the first pair; *taken over*. */
  constructor(counts: Int32Array, minSamples: number) {
    this.counts = counts;
    this.#minSamples = minSamples;
    this.isCore = new Uint8Array(counts.length);
    this.groups = new UnionFind(counts.length);
    this.pending = new Pending(counts.length);
    this.settle();
  }

  /** Every entry with enough neighbours is core. Joins nothing. */
  settle(): void {
    for (let i = 0; i < this.counts.length; i++) {
      if (this.counts[i]! >= this.#minSamples) this.isCore[i] = 1;
    }
  }

  count(i: number, j: number): void {
    this.counts[i]! += 1;
    this.counts[j]! += 1;
  }

  /** Counts a pair and joins all cores that are known to be neighbours by it; each pair is met once. */
  meet(i: number, j: number): void {
    const { counts, isCore } = this;
    counts[i]! += 1;
    counts[j]! += 1;
    if (isCore[i] === 1 && isCore[j] === 1) {
      this.groups.join(i, j);
      return;
    }
    if (isCore[i] === 0) this.pending.add(i, j);
    if (isCore[j] === 0) this.pending.add(j, i);
    if (isCore[i] === 0 && counts[i]! >= this.#minSamples) this.#becomeCore(i);
    if (isCore[j] === 0 && counts[j]! >= this.#minSamples) this.#becomeCore(j);
  }

  /** A neighbour that is no core yet has this pair in its own list. */
  #becomeCore(i: number): void {
    this.isCore[i] = 1;
    for (const neighbour of this.pending.of(i)) {
      if (this.isCore[neighbour] === 1) this.groups.join(i, neighbour);
    }
    this.pending.drop(i);
  }
}
