// Choosing rows of the list; those that were not in sight yet are read for it.
import { attempt } from '../../attempt.ts';
import { between, listing, nothing, rowAt, rowsBetween, toggled, withRows } from './listing.ts';

/** `isRange`: all from the one that was chosen before. */
export async function choose(index: number, isRange: boolean): Promise<void> {
  const { pages, chosen, anchor } = listing.get();
  const row = rowAt(pages, index);
  if (!row) return;
  if (!isRange) return listing.update({ chosen: toggled(chosen, row), anchor: index, cursor: index });
  await attempt(async () => {
    const rows = await rowsBetween(...between(anchor, index));
    listing.update(({ chosen: before }) => ({ chosen: withRows(before, rows), cursor: index }));
  });
}

export async function chooseAll(): Promise<void> {
  const { total, chosen } = listing.get();
  if (total === null) return;
  if (chosen.size >= total) return listing.update({ chosen: nothing });
  await attempt(async () => {
    const rows = await rowsBetween(0, total);
    listing.update({ chosen: withRows(nothing, rows) });
  });
}
