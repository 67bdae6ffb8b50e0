// Roots that are not kept anywhere.

import { type Roots, rootErrors } from '../../../actors/index/roots/contract.ts';
import { noRoots } from '../../../actors/index/store/path-map.ts';

/** Paths are stored as they are. */
export const noPaths = () => noRoots;

/** No path lies below one. */
export const noRootsHere: Pick<Roots, 'list' | 'paths' | 'awayOf'> = {
  paths: noPaths,
  list: async () => [],
  awayOf: async () => null,
};

/** The only one there is is called `footage`, whatever is done with it. */
export const onlyFootage: Roots = {
  ...noRootsHere,
  add: async (root) => ({ ...root, away: null }),
  move: async (name, { folder }) => ({ name: known(name), folder, away: null }),
  remove: async (name) => void known(name),
};

function known(name: string): string {
  if (name === 'footage') return name;
  throw rootErrors.ROOT_UNKNOWN(name);
}
