// What a picture of a film shows: looked for where it has changed since the picture that was looked at last.
import { blocksOf, changedBlocks } from '../../runtime/blocks.ts';
import type { Picture } from '../../runtime/picture.ts';
import type { Sight, Thing } from './contract.ts';

/** `picture` is *borrowed until the promise settles*. */
export async function sightOf(
  picture: Picture,
  before: Sight | null,
  look: () => Promise<Thing[]>,
): Promise<Sight> {
  const { values: blocks, columns } = blocksOf(picture);
  const then = before && { values: new Uint8Array(before.blocks), columns: before.columns };
  const changed = then && changedBlocks(then, { values: blocks, columns });
  // The blocks stay those that were looked at, so that slow changes add up.
  if (before && changed?.includes(1) === false) return before;
  return { things: await look(), blocks, columns };
}
