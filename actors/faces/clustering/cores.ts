// How many neighbours each strong entry has, which are core, and which cores are connected, told pair by
// pair.
//
// A pair of cores is joined and forgotten. An entry that is not core keeps its neighbours until it is: fewer
// than `minSamples` of them, so that memory grows with the entries and not with the pairs, however many are
// alike.

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

// Which of many are connected: disjoint sets that join, each known by its lowest member.

class UnionFind {
  readonly #parent: Int32Array;

  constructor(count: number) {
    this.#parent = Int32Array.from({ length: count }, (_, i) => i);
  }

  /** The lowest member of the set; paths are halved on the way. */
  find(i: number): number {
    const parent = this.#parent;
    let at = i;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]!]!;
      at = parent[at]!;
    }
    return at;
  }

  join(i: number, j: number): void {
    const [a, b] = [this.find(i), this.find(j)];
    if (a < b) this.#parent[b] = a;
    else this.#parent[a] = b;
  }
}

// The neighbours of entries that are not core yet, in linked lists: as soon as an entry is core, its list is
// free again.

const none = -1;

class Pending {
  readonly #first: Int32Array;
  #values = new Int32Array(1024);
  #next = new Int32Array(1024);
  #used = 0;
  #free = none;

  constructor(count: number) {
    this.#first = new Int32Array(count).fill(none);
  }

  /** Places in memory, used or free: bounds what is held. */
  get size(): number {
    return this.#used;
  }

  add(i: number, neighbour: number): void {
    let cell = this.#free;
    if (cell !== none) this.#free = this.#next[cell]!;
    else {
      cell = this.#used++;
      if (cell === this.#values.length) this.#grow();
    }
    this.#values[cell] = neighbour;
    this.#next[cell] = this.#first[i]!;
    this.#first[i] = cell;
  }

  of(i: number): number[] {
    const neighbours: number[] = [];
    for (let cell = this.#first[i]!; cell !== none; cell = this.#next[cell]!) {
      neighbours.push(this.#values[cell]!);
    }
    return neighbours;
  }

  drop(i: number): void {
    let cell = this.#first[i]!;
    this.#first[i] = none;
    while (cell !== none) {
      const next = this.#next[cell]!;
      this.#next[cell] = this.#free;
      this.#free = cell;
      cell = next;
    }
  }

  #grow(): void {
    const grown = (old: Int32Array<ArrayBuffer>) => {
      const array = new Int32Array(old.length * 2);
      array.set(old);
      return array;
    };
    this.#values = grown(this.#values);
    this.#next = grown(this.#next);
  }
}
