// The order in which people expect names: `take 2` before `take 10`, whatever the case. In steps, because a folder may hold
// very many.
import type { Steps } from '../../../runtime/sync/steps.ts';

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Names that differ only in case or accents have an order too, so that pages fit together. */
export function naturalOrder(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** Sorted and merged between two pauses. */
const together = 1024;

export function* inNaturalOrder<T extends { readonly name: string }>(items: readonly T[]): Steps<T[]> {
  const order = (a: T, b: T) => naturalOrder(a.name, b.name);
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += together) {
    runs.push(items.slice(at, at + together).sort(order));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergedRuns(runs[at]!, runs[at + 1] ?? [], order));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedRuns<T>(left: readonly T[], right: readonly T[], order: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = [];
  for (let [l, r] = [0, 0]; l < left.length || r < right.length; ) {
    const takesLeft = r === right.length || (l < left.length && order(left[l]!, right[r]!) <= 0);
    merged.push(takesLeft ? left[l++]! : right[r++]!);
    if (merged.length % together === 0) yield;
  }
  return merged;
}
