// Divides a row of neighbours into groups, so that what a group holds is as much alike as it can be: dynamic
// programming over all ways to do it.
import type { Spreads } from './spread.ts';

export interface Rules {
  /** What a group costs, in the unit of the spreads. */
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
export interface Divisions {
  /**
   * By number of groups, from 1: what they cost; infinite where there is no such way. Number 0 is not used.
   */
  readonly costs: Float64Array;
  /** Where the groups of the cheapest way with so many begin. */
  starts(groups: number): number[];
}

/** All of 1 to `most` groups, each of at most `largest` items. O(most · items · largest). */
export function divisionsOf(
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
