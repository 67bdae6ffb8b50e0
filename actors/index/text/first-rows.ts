// The rows of several shards that hold what is looked for. Of too many it takes the first ones by an order of
// the documents, so that which these are does not depend on how documents lie in shards.
import type { Picked, Shard, TextDocument } from './shard.ts';

export interface FoundRow<T> {
  readonly document: T;
  readonly row: number;
}

export interface RowSearch<T> {
  /** As `Shard.find` wants them. */
  readonly needles: readonly Uint8Array[];
  pickOf(document: T): Picked;
  readonly most: number;
  /** Called between shards; may throw to stop. */
  pause(): void;
}

/** In the order of `order` and of rows. It is fastest where the documents of earlier shards come first. */
export function firstRows<T extends TextDocument>(
  shards: readonly Shard<T>[],
  order: (a: T, b: T) => number,
  { needles, pickOf, most, pause }: RowSearch<T>,
): FoundRow<T>[] {
  const found: FoundRow<T>[] = [];
  let last: T | null = null;
  const cut = () => {
    found.sort((a, b) => order(a.document, b.document) || a.row - b.row);
    if (found.length < most) return;
    found.length = most;
    last = found.at(-1)!.document;
  };
  const pick = (document: T) => (last !== null && order(last, document) < 0 ? false : pickOf(document));
  for (const shard of shards) {
    pause();
    shard.find(needles, pick, Number.POSITIVE_INFINITY, (document, row) => found.push({ document, row }));
    // To put them in order takes longer than to look at some that are too many.
    if (found.length >= (last === null ? most : 1.5 * most)) cut();
  }
  cut();
  return found;
}
