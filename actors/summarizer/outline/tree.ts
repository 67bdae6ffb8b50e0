// Leaves in a row become a tree: each node is divided into two to twelve parts where what is seen and said
// differs most, and into as many as stand out from each other.
import type { Steps } from '../../../runtime/sync/checkpoint.ts';
import { type OutlineChannel, stepNumbers } from './channels.ts';
import { dot } from './summary-inputs.ts';

/** Leaves `first` to before `end`. */
export interface Branch {
  readonly first: number;
  readonly end: number;
  readonly children: readonly Branch[];
}

/** At most so many leaves lie under one node without a level between. */
const flat = 3;
/**
 * How far the number of children may stray from the even one, as a deviation of its logarithm; half of it
 * downwards. Found on composed films.
 */
const stray = 1.4;
/** Weight of the gain two steps ahead, found likewise. */
const second = 0.9;

/** `costAt`: what it costs that a node begins at a leaf. `spreads` reach over all leaves. */
export function treeOf(
  spreads: Spreads,
  [first, end]: readonly [number, number],
  depth: number,
  costAt: (leaf: number) => number,
): Branch {
  const leaves = end - first;
  if (leaves === 1 || depth === 0) return { first, end, children: [] };
  const starts =
    leaves <= flat || depth === 1
      ? Array.from({ length: leaves }, (_, i) => first + i)
      : bestDivision(spreads, [first, end], depth, costAt);
  const children = starts.map((start, i) =>
    treeOf(spreads, [start, starts[i + 1] ?? end], depth - 1, costAt),
  );
  return { first, end, children };
}

/**
 * The number of parts after which more bring little: the last gain is large against the next two, weighed
 * with how near the number is to an even tree. Two, because a part that takes two cuts to come loose gains
 * little by the first of them.
 */
function bestDivision(
  spreads: Spreads,
  [first, end]: readonly [number, number],
  depth: number,
  costAt: (leaf: number) => number,
): number[] {
  const leaves = end - first;
  const largest = mostChildren ** (depth - 1);
  const most = Math.min(mostChildren, leaves);
  const divisions = divisionsOf(spreads, [first, end], { most: Math.min(leaves, most + 2), largest }, costAt);
  const { costs } = divisions;
  const even = leaves ** (1 / depth);
  const gainAfter = (parts: number) =>
    Math.max(0, (costs[parts] ?? 0) - (costs[parts + 1] ?? costs[parts] ?? 0));
  const noise = 0.02 * spreads.of(first, end) + 1e-9;
  let [best, chosen] = [Number.NEGATIVE_INFINITY, Math.max(2, Math.ceil(leaves / largest))];
  for (let parts = chosen; parts <= most; parts++) {
    const gain = Math.max(0, costs[parts - 1]! - costs[parts]!);
    const next = Math.max(gainAfter(parts), second * gainAfter(parts + 1));
    const knee = Math.log((Number.isFinite(gain) ? gain : next) + noise) - Math.log(next + noise);
    const worth = knee - Math.log(parts / even) ** 2 / (2 * (parts < even ? stray / 2 : stray) ** 2);
    if (worth > best) [best, chosen] = [worth, parts];
  }
  return divisions.starts(chosen);
}

// How fine an outline is, by the length of what it outlines.

export interface Scale {
  /** Seconds that a leaf usually has: 4 in 10 seconds, 14 in 10 minutes, 38 in 3 hours. */
  readonly leaf: number;
  /** No leaf is shorter where it can be avoided: a part is not a subtitle. */
  readonly shortestLeaf: number;
  /** No leaf is longer, as long as a minute can stay one leaf. */
  readonly longestLeaf: number;
  /** Levels of nodes below the root. */
  readonly depth: number;
  /** Bounds for the number of leaves. */
  readonly leaves: { readonly most: number };
  /** Seconds of the units that leaves are made of. */
  readonly unit: { readonly shortest: number; readonly longest: number };
}

const mostChildren = 12;

export function scaleOf(seconds: number): Scale {
  const leaf = 1.7 * Math.cbrt(seconds);
  const depth = seconds === 1 ? 0 : Math.max(1, Math.ceil(Math.log(seconds / leaf) / Math.log(9) + 0.12));
  return {
    leaf,
    shortestLeaf: Math.max(0.6 * leaf, Math.min(5, seconds / 6)),
    longestLeaf: Math.max(60, 3 * leaf),
    depth,
    leaves: { most: Math.max(1, Math.min(mostChildren ** depth, Math.floor(seconds / (0.6 * leaf)))) },
    unit: { shortest: Math.max(1, leaf / 12), longest: Math.max(2, leaf / 3) },
  };
}

// Divides a row of neighbours into groups, so that what a group holds is as much alike as it can be: dynamic
// programming over all ways to do it.

export interface Rules {
  /** Cost of each group, in the unit of the spreads. */
  readonly penalty: number;
  /** How many items from `from` on a group may have at most, at least 1. */
  mostFrom(from: number): number;
  /** Added when a group begins at an item that is not the first. */
  costAt(item: number): number;
}

/** Where groups begin, ascending, the first one `first`. O(items · longest group). */
export function groupsOf(spreads: Spreads, first: number, end: number, rules: Rules): number[] {
  const cheapest = new Float64Array(end - first + 1).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(end - first + 1);
  cheapest[0] = 0;
  for (let start = first; start < end; start++) {
    const base = cheapest[start - first]! + rules.penalty + (start > first ? rules.costAt(start) : 0);
    const most = Math.min(end, start + rules.mostFrom(start));
    for (let to = start + 1; to <= most; to++) {
      const cost = base + spreads.of(start, to);
      if (cost < cheapest[to - first]!) {
        cheapest[to - first] = cost;
        from[to - first] = start;
      }
    }
  }
  const starts: number[] = [];
  for (let at = end; at > first; at = from[at - first]!) starts.push(from[at - first]!);
  return starts.reverse();
}

/** The cheapest way for each number of groups. */
interface Divisions {
  /** Lowest cost by number of groups, from 1; infinite where it is impossible. Index 0 is unused. */
  readonly costs: Float64Array;
  /** Where the groups of the cheapest way with so many begin. */
  starts(groups: number): number[];
}

/** All of 1 to `most` groups, each of at most `largest` items. O(most · items · largest). */
function divisionsOf(
  spreads: Spreads,
  [first, end]: readonly [number, number],
  { most, largest }: { readonly most: number; readonly largest: number },
  costAt: (item: number) => number,
): Divisions {
  const items = end - first;
  const width = items + 1;
  const cheapest = new Float64Array((most + 1) * width).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array((most + 1) * width);
  cheapest[0] = 0;
  for (let groups = 1; groups <= most; groups++) {
    for (let start = groups - 1; start < items; start++) {
      const base = cheapest[(groups - 1) * width + start]! + (start > 0 ? costAt(first + start) : 0);
      if (base === Number.POSITIVE_INFINITY) continue;
      const last = Math.min(items, start + largest);
      for (let to = start + 1; to <= last; to++) {
        const cost = base + spreads.of(first + start, first + to);
        if (cost >= cheapest[groups * width + to]!) continue;
        cheapest[groups * width + to] = cost;
        from[groups * width + to] = start;
      }
    }
  }
  return {
    costs: Float64Array.from({ length: most + 1 }, (_, groups) => cheapest[groups * width + items]!),
    starts: (groups) => {
      const starts: number[] = [];
      for (let at = items, left = groups; left > 0; left--) {
        at = from[left * width + at]!;
        starts.push(first + at);
      }
      return starts.reverse();
    },
  };
}

// How unlike each other the seconds of a range are: the sum of their squared distances to its mean, by
// channel, for all ranges of neighbouring units within reach.

/** Starts of consecutive units without gaps, and the end of the last one. */
export type Bounds = readonly number[];

export interface Spreads {
  /**
   * The spread of units `from` to before `to`, weighted: of one unit, or of more that are no longer than was
   * asked for.
   */
  of(from: number, to: number): number;
}

/**
 * Spread of every range of units up to `longest` seconds; there is one bound more than units. O(units ·
 * ranges from one unit · dimensions) time, O(ranges) memory.
 */
export function* spreadsOf(
  channels: readonly OutlineChannel[],
  bounds: Bounds,
  longest = Number.POSITIVE_INFINITY,
): Steps<Spreads> {
  const width = widest(bounds, longest);
  const spreads = new Float64Array((bounds.length - 1) * width);
  for (const channel of channels) yield* addSpreads(channel, bounds, longest, width, spreads);
  return { of: (from, to) => spreads[from * width + to - from - 1]! };
}

/** The most units that a range has. */
function widest(bounds: Bounds, longest: number): number {
  let [width, from] = [1, 0];
  for (let to = 1; to < bounds.length; to++) {
    while (from < to - 1 && bounds[to]! - bounds[from]! > longest) from++;
    width = Math.max(width, to - from);
  }
  return width;
}

/** Adds those of one channel: number `from` · width + k is of the k + 1 units that begin with `from`. */
function* addSpreads(
  { dimensions: d, weight, add }: OutlineChannel,
  bounds: Bounds,
  longest: number,
  width: number,
  spreads: Float64Array,
): Steps<void> {
  const units = bounds.length - 1;
  const sums = new Float32Array(units * d);
  const counts = new Float64Array(units);
  let numbers = 0;
  for (let unit = 0; unit < units; unit++) {
    const [start, end] = [bounds[unit]!, bounds[unit + 1]!];
    counts[unit] = add(start, end, sums, unit * d);
    numbers += (end - start) * d;
    if (numbers < stepNumbers) continue;
    numbers = 0;
    yield;
  }
  // squares[from] is the squared length of the sum of the units from there to the one before `to`.
  const squares = new Float64Array(width);
  for (let to = 0; to < units; to++) {
    if (numbers >= stepNumbers) {
      numbers = 0;
      yield;
    }
    let across = 0;
    let count = 0;
    for (let from = to; from >= 0; from--) {
      if (from < to && bounds[to + 1]! - bounds[from]! > longest) break;
      const isKnown = counts[from]! > 0 && counts[to]! > 0;
      const product = isKnown ? dot(sums, from * d, sums, to * d, d) : 0;
      numbers += d;
      across += from === to ? product : 2 * product;
      count += counts[from]!;
      const square = (from === to ? 0 : squares[from % width]!) + across;
      squares[from % width] = square;
      if (count > 0) spreads[from * width + to - from]! += weight * Math.max(0, count - square / count);
    }
  }
}
