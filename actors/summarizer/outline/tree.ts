// Leaves in a row become a tree: each node is divided into two to twelve parts where what is seen and said
// differs most, and into as many as stand out from each other.
import { divisionsOf } from './grouping.ts';
import { mostChildren } from './scale.ts';
import type { Spreads } from './spread.ts';

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
/** What the second gain ahead counts. Found likewise. */
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
