// Which nodes answer together: those that hold the parts of one division of the library. Nodes may be on
// their way from one division to another, so there can be several at once. Pure.
import type { Hold } from '../index/visual/contract.ts';

/** A node that others can ask for a part. */
export interface Holder {
  readonly id: string;
  /** Host and port. */
  readonly address: string;
  readonly hold: Hold;
}

/** For each part, from the first on, who holds it. */
export type Division<H = Holder> = readonly (readonly H[])[];

/**
 * The division of which the smallest share is missing; of several the one that `own` is a part of, else the
 * one with fewest parts. Null where nobody holds anything.
 */
export function divisionOf<H extends { readonly hold: Hold }>(
  holders: readonly H[],
  own: Hold | null,
): Division<H> | null {
  const divisions = [...Map.groupBy(holders, ({ hold }) => hold.of)].map(([of, some]) =>
    Array.from({ length: of }, (_, i) => some.filter(({ hold }) => hold.part === i + 1)),
  );
  const distance = (of: number) => (of === own?.of ? 0 : of);
  const [best = null] = divisions.toSorted(
    (a, b) => shareMissing(a) - shareMissing(b) || distance(a.length) - distance(b.length),
  );
  return best;
}

function shareMissing(division: Division<unknown>): number {
  return missingIn(division).length / division.length;
}

/** The parts that nobody holds. */
export function missingIn(division: Division<unknown>): Hold[] {
  return division.flatMap((holders, i) =>
    holders.length === 0 ? [{ part: i + 1, of: division.length }] : [],
  );
}
