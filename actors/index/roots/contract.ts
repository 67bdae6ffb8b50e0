// Roots: folders of footage with a name, so that a library moves by saying where they are now.
import { type Static, Type } from 'typebox';
import { errorTable, restated } from '../../../runtime/errors.ts';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { described, field, nullable } from '../../../runtime/schema.ts';
import { mediaErrors } from '../../decoder/contract.ts';
import { CacheDir } from '../store/contract.ts';
import type { PathMap } from '../store/path-map.ts';

export const rootErrors = errorTable({
  ROOT_UNKNOWN: { meaning: 'Root not found', status: 404 },
  ROOT_EXISTS: { meaning: 'There is already such a root', status: 409 },
  ROOT_INVALID: { meaning: 'The folder cannot be a root', status: 400 },
  ROOT_NOT_THERE: { meaning: 'The footage is not in the new folder', status: 400 },
  ROOTS_UNWRITABLE: { meaning: 'Roots cannot be written', status: 507 },
});

const RootName = described(
  Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' }),
  'Name of the root: letters, digits, `.`, `_` and `-`.',
);
const RootFolder = described(AbsolutePath, 'Absolute path of its folder on the machine of the service.');

export const Root = Type.Object({
  name: field('Name of the root.', Type.String()),
  folder: field('Absolute path of its folder.', Type.String()),
  away: described(
    nullable(Type.String()),
    'Why its folder cannot be reached, for example because its volume is not mounted; null if it can.',
  ),
});
export type Root = Static<typeof Root>;

const Noting = Type.Optional(
  described(CacheDir, 'Analysis folder with media of the root. Default: that of the service.'),
);

export const NewRoot = Type.Object({ name: RootName, folder: RootFolder, cache_dir: Noting });
export type NewRoot = Static<typeof NewRoot>;

export const RootMove = Type.Object({ folder: RootFolder, cache_dir: Noting });
export type RootMove = Static<typeof RootMove>;

/**
 * The roots of a home folder, for this engine and all others that share it. Everywhere ROOTS_DAMAGED naming
 * the file. What is changed is *flushed* when answered.
 */
export interface Roots {
  /** In the order of names. */
  list(): Promise<Root[]>;
  /** ROOT_EXISTS, ROOT_INVALID, ROOTS_UNWRITABLE. */
  add(root: NewRoot, signal: AbortSignal): Promise<Root>;
  /** ROOT_UNKNOWN, ROOT_EXISTS, ROOT_INVALID, ROOT_NOT_THERE, IN_WORK, ROOTS_UNWRITABLE. */
  move(name: string, to: RootMove, signal: AbortSignal): Promise<Root>;
  /** Its media keep the paths they have. ROOT_UNKNOWN, ROOTS_UNWRITABLE. */
  remove(name: string): Promise<void>;
  /** How paths are stored in the home folder, as roots are now. */
  paths(): PathMap;
  /** The root below which a path lies, when its folder cannot be reached; else null. */
  awayOf(path: string): Promise<Root | null>;
}

/** Extends FILE_NOT_FOUND if the file's root is away. */
export async function tellAway(roots: Pick<Roots, 'awayOf'>, error: unknown): Promise<unknown> {
  const path = mediaErrors.FILE_NOT_FOUND.is(error) ? error.details['path'] : null;
  const root = typeof path === 'string' ? await roots.awayOf(path) : null;
  if (root === null || !mediaErrors.FILE_NOT_FOUND.is(error)) return error;
  return restated(error, {
    message: `${error.message}; root ${root.name} is away: ${root.folder} ${root.away}`,
  });
}
