// DBSCAN by cosine distance, a pair of blocks after the other.
//
// A strong entry with at least `minSamples` strong entries within eps, itself included, is core. Cores within
// eps of each other are one cluster. Every other entry joins the cluster of its nearest core within eps, of
// equally near ones the lowest. Weak entries are never core, and are no neighbours of others: pairs of them
// are never multiplied.
//
// Entries that an earlier clustering knew are not compared with each other again, but for those that become
// core, and for those whose cluster is in doubt since a core of another cluster came near.
import type { ClusterLabels } from '../contract.ts';
import { Cores } from './cores.ts';
import {
  type Block,
  dot,
  EarlierEntries,
  type EarlierLabels,
  type Entries,
  roundingError,
  type TiledRows,
} from './entries.ts';
import type { Product } from './product.ts';

interface DbscanOptions {
  readonly eps: number;
  readonly minSamples: number;
  readonly before: EarlierLabels | null;
}

/**
 * Neighbours that an entry keeps at most until it is core; where that is more, pairs are visited twice
 * instead.
 */
const mostKept = 64;
/** Entries whose kept neighbours are compared in one turn. */
const turnEntries = 1024;

export class Dbscan {
  readonly #entries: Entries;
  readonly #earlier: EarlierEntries;
  readonly #pairs: Pairs;
  readonly #cores: Cores;
  readonly #weakCounts: Int32Array;
  readonly #nearStrong: Nearest;
  readonly #nearWeak: Nearest;
  readonly #eps: number;
  readonly #isTwice: boolean;
  #done = 0;
  #total: number;

  /** Throws INVALID_MESSAGE when `before` cannot be of these entries. */
  constructor(entries: Entries, product: Product, { eps, minSamples, before }: DbscanOptions) {
    const { dimensions, strong, weak, strongAt, weakAt } = entries;
    this.#entries = entries;
    this.#eps = eps;
    this.#earlier = new EarlierEntries(before, entries, minSamples);
    this.#pairs = new Pairs(product, dimensions, eps);
    const neighboursAt = (at: number) => this.#earlier.neighbours(at);
    this.#cores = new Cores(Int32Array.from(strongAt, neighboursAt), minSamples);
    this.#weakCounts = Int32Array.from(weakAt, neighboursAt);
    const error = roundingError(dimensions);
    const exact = (rows: TiledRows) => (i: number, core: number) =>
      dot(rows.row(i), 0, strong.row(core), 0, dimensions);
    this.#nearStrong = new Nearest(strong.count, error, exact(strong));
    this.#nearWeak = new Nearest(weak.count, error, exact(weak));
    this.#isTwice = minSamples > mostKept;
    this.#total = this.#expected();
  }

  /** 0 to 1, of the cosines that are known to be needed. */
  get fraction(): number {
    return this.#total === 0 ? 0 : this.#done / this.#total;
  }

  /** Pairs so near to eps that their exact dot product decided. */
  get decided(): number {
    return this.#pairs.decided;
  }

  /** Cosines to be computed but for those of entries that become core or are in doubt. */
  #expected(): number {
    const { strong, weak } = this.#entries;
    const { strong: oldStrong, weak: oldWeak } = this.#earlier;
    let triangle = 0;
    for (const left of strong.blocks(oldStrong, strong.count)) {
      triangle += left.count * (left.at[left.count - 1]! + 1);
    }
    return (
      triangle * (this.#isTwice ? 2 : 1) +
      (weak.count - oldWeak) * strong.count +
      oldWeak * (strong.count - oldStrong)
    );
  }

  /** Yields after each multiplication; ends with the labels. */
  async *run(): AsyncGenerator<void, ClusterLabels> {
    const { strong, weak } = this.#entries;
    const { strong: oldStrong, weak: oldWeak } = this.#earlier;
    const cores = this.#cores;
    this.#joinEarlier();
    if (this.#isTwice) {
      yield* this.#triangle((i, j) => cores.count(i, j));
      cores.settle();
      yield* this.#triangle(this.#link);
    } else {
      yield* this.#triangle((i, j) => cores.meet(i, j));
      yield* this.#offerPending();
    }
    const promoted = this.#promoted();
    yield* this.#across(strong, promoted, 0, oldStrong, this.#link);
    yield* this.#rectangle(weak.blocks(oldWeak, weak.count), 0, strong.count, this.#weakMeets);
    yield* this.#rectangle(weak.blocks(0, oldWeak), oldStrong, strong.count, this.#weakMeets);
    yield* this.#promotedNearWeak(promoted);
    yield* this.#across(strong, this.#inDoubt(this.#nearStrong, 'strongAt'), 0, oldStrong, this.#link);
    yield* this.#across(weak, this.#inDoubt(this.#nearWeak, 'weakAt'), 0, oldStrong, this.#offerWeak);
    return this.#labels();
  }

  readonly #link: Visit = (i, j, cosine) => {
    const { isCore, groups } = this.#cores;
    if (i === j) return;
    if (isCore[i] === 1 && isCore[j] === 1) groups.join(i, j);
    else if (isCore[j] === 1) this.#nearStrong.offer(i, j, cosine);
    else if (isCore[i] === 1) this.#nearStrong.offer(j, i, cosine);
  };

  readonly #offerWeak: Visit = (i, j, cosine) => {
    if (this.#cores.isCore[j] === 1) this.#nearWeak.offer(i, j, cosine);
  };

  readonly #weakMeets: Visit = (i, j, cosine) => {
    this.#weakCounts[i]! += 1;
    this.#offerWeak(i, j, cosine);
  };

  /** New strong entries against all that come before them. */
  async *#triangle(visit: Visit): AsyncGenerator<void> {
    const { strong } = this.#entries;
    for (const left of strong.blocks(this.#earlier.strong, strong.count)) {
      for (const right of strong.blocks(0, left.at[left.count - 1]! + 1)) {
        yield* this.#multiplied(left, right, true, visit);
      }
    }
  }

  async *#rectangle(lefts: Iterable<Block>, from: number, to: number, visit: Visit): AsyncGenerator<void> {
    for (const left of lefts) {
      for (const right of this.#entries.strong.blocks(from, to)) {
        yield* this.#multiplied(left, right, false, visit);
      }
    }
  }

  async *#multiplied(left: Block, right: Block, isBelow: boolean, visit: Visit): AsyncGenerator<void> {
    await this.#pairs.visit(left, right, isBelow, visit);
    this.#done += left.count * right.count;
    yield;
  }

  /** Work that turned out to be needed: some rows against strong ones. */
  async *#across(
    rows: TiledRows,
    picked: number[],
    from: number,
    to: number,
    visit: Visit,
  ): AsyncGenerator<void> {
    this.#total += picked.length * (to - from);
    yield* this.#rectangle(rows.picked(picked), from, to, visit);
  }

  #joinEarlier(): void {
    for (let i = 0; i < this.#earlier.strong; i++) {
      if (this.#earlier.wasCore(i)) {
        this.#cores.groups.join(i, this.#earlier.coreOf(this.#entries.strongAt[i]!));
      }
    }
  }

  /** Entries that are core since new ones came: their earlier neighbours were never told. */
  #promoted(): number[] {
    const promoted: number[] = [];
    for (let i = 0; i < this.#earlier.strong; i++) {
      if (this.#cores.isCore[i] === 1 && !this.#earlier.wasCore(i)) promoted.push(i);
    }
    return promoted;
  }

  async *#offerPending(): AsyncGenerator<void> {
    const { strong, dimensions } = this.#entries;
    const { pending, isCore } = this.#cores;
    for (let i = 0; i < strong.count; i++) {
      if (i % turnEntries === turnEntries - 1) yield;
      if (isCore[i] === 1) continue;
      for (const j of pending.of(i)) {
        if (isCore[j] === 1) {
          this.#nearStrong.offer(i, j, dot(strong.row(i), 0, strong.row(j), 0, dimensions));
        }
      }
      pending.drop(i);
    }
  }

  async *#promotedNearWeak(promoted: number[]): AsyncGenerator<void> {
    const { strong, weak } = this.#entries;
    this.#total += this.#earlier.weak * promoted.length;
    for (const right of strong.picked(promoted)) {
      for (const left of weak.blocks(0, this.#earlier.weak)) {
        yield* this.#multiplied(left, right, false, this.#offerWeak);
      }
    }
  }

  /**
   * Entries of an earlier cluster whose nearest new core is of another: only their nearest earlier core can
   * tell.
   */
  #inDoubt(nearest: Nearest, side: 'strongAt' | 'weakAt'): number[] {
    const { groups, isCore } = this.#cores;
    const positions = this.#entries[side];
    const count = side === 'strongAt' ? this.#earlier.strong : this.#earlier.weak;
    const inDoubt: number[] = [];
    for (let i = 0; i < count; i++) {
      const [before, now] = [this.#earlier.coreOf(positions[i]!), nearest.core[i]!];
      if (side === 'strongAt' && isCore[i] === 1) continue;
      if (before >= 0 && now >= 0 && groups.find(before) !== groups.find(now)) inDoubt.push(i);
    }
    return inDoubt;
  }

  #labels(): ClusterLabels {
    const { strongAt, weakAt, count } = this.#entries;
    const { groups, isCore, counts } = this.#cores;
    const core = new Int32Array(count).fill(-1);
    const neighbours = new Int32Array(count).fill(1);
    const joined = (nearest: Nearest, i: number, at: number) =>
      nearest.core[i]! >= 0 ? nearest.core[i]! : this.#earlier.coreOf(at);
    for (const [i, at] of strongAt.entries()) {
      neighbours[at] = counts[i]!;
      core[at] = isCore[i] === 1 ? i : joined(this.#nearStrong, i, at);
    }
    for (const [i, at] of weakAt.entries()) {
      neighbours[at] = this.#weakCounts[i]!;
      core[at] = joined(this.#nearWeak, i, at);
    }
    const numbers = new Map<number, number>();
    const labels = core.map((i) => {
      if (i < 0) return -1;
      const group = groups.find(i);
      if (!numbers.has(group)) numbers.set(group, numbers.size);
      return numbers.get(group)!;
    });
    return { labels, neighbours, clusters: numbers.size, eps: this.#eps };
  }
}

// The nearest core of entries that are none, of several equally near ones the lowest.

type Exact = (entry: number, core: number) => number;

export class Nearest {
  /** The core of each entry; -1 when none was offered. */
  readonly core: Int32Array;
  readonly #cosine: Float64Array;
  readonly #isExact: Uint8Array;
  readonly #error: number;
  readonly #exact: Exact;

  /** `error`: how far an offered cosine may lie beside the exact one. */
  constructor(count: number, error: number, exact: Exact) {
    this.core = new Int32Array(count).fill(-1);
    this.#cosine = new Float64Array(count);
    this.#isExact = new Uint8Array(count);
    this.#error = error;
    this.#exact = exact;
  }

  offer(entry: number, core: number, cosine: number): void {
    const best = this.core[entry]!;
    if (best === core) return;
    const ahead = cosine - this.#cosine[entry]!;
    if (best < 0 || ahead > 2 * this.#error) this.#take(entry, core, cosine, false);
    else if (ahead >= -2 * this.#error) this.#compare(entry, core);
  }

  #compare(entry: number, core: number): void {
    const best = this.core[entry]!;
    if (this.#isExact[entry] === 0) this.#take(entry, best, this.#exact(entry, best), true);
    const cosine = this.#exact(entry, core);
    const bestCosine = this.#cosine[entry]!;
    if (cosine > bestCosine || (cosine === bestCosine && core < best)) this.#take(entry, core, cosine, true);
  }

  #take(entry: number, core: number, cosine: number, isExact: boolean): void {
    this.core[entry] = core;
    this.#cosine[entry] = cosine;
    this.#isExact[entry] = isExact ? 1 : 0;
  }
}

// The pairs of two blocks that lie within eps. Where the rounding of a multiplication leaves open whether a
// pair does, its exact dot product decides: so blocks of any shape, and any thread, find the same pairs.

/** Numbers of the rows of a pair, and their cosine but for the rounding. */
type Visit = (left: number, right: number, cosine: number) => void;

/** Vectors come as 32-bit numbers, so that the distance of a vector to itself is this far from 0 at most. */
const slack = 1e-6;

class Pairs {
  /** Pairs that were decided by their exact dot product. */
  decided = 0;
  readonly #product: Product;
  readonly #dimensions: number;
  readonly #least: number;

  constructor(product: Product, dimensions: number, eps: number) {
    this.#product = product;
    this.#dimensions = dimensions;
    this.#least = 1 - eps - slack;
  }

  /**
   * `isBelow`: only pairs whose right number is lower than the left one; numbers of `right` follow each other
   * then.
   */
  async visit(left: Block, right: Block, isBelow: boolean, visit: Visit): Promise<void> {
    await this.#product.multiply(left, right, this.#dimensions);
    const { cosines, matches } = this.#product;
    const error = roundingError(this.#dimensions);
    const [candidate, certain] = [this.#least - error, this.#least + error];
    // The bar is rounded to 32 bits, which moves it by less than the slack in `error`.
    for (let row = 0; row < left.count; row++) {
      const number = left.at[row]!;
      const to = isBelow ? Math.min(right.count, number - right.at[0]!) : right.count;
      if (to <= 0) continue;
      const count = this.#product.reaching(row, to, candidate);
      const first = row * right.count;
      for (let i = 0; i < count; i++) {
        const column = matches[i]!;
        const cosine = cosines[first + column]!;
        if (cosine >= certain || this.#decide(left, row, right, column)) {
          visit(number, right.at[column]!, cosine);
        }
      }
    }
  }

  #decide(left: Block, row: number, right: Block, column: number): boolean {
    this.decided += 1;
    return dot(left.vectors, row, right.vectors, column, this.#dimensions) >= this.#least;
  }
}
