// Libraries that travel: an analysis folder as files with a manifest, for another disk or machine.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';

export const transferErrors = errorTable({
  NO_LIBRARY: { meaning: 'There is no library', status: 404 },
  FOLDER_TAKEN: { meaning: 'The folder is in use, or holds something else', status: 409 },
  INCOMPLETE: { meaning: 'The exported library is not complete', status: 400 },
  LIBRARY_DAMAGED: { meaning: 'The exported library is damaged', status: 400 },
  LIBRARY_CHANGES: { meaning: 'The library keeps changing', status: 409, retryable: true },
  TRANSFER_FAILED: { meaning: 'The library cannot be copied', status: 507 },
});

export const manifestFile = 'library.json';

export const Manifest = Type.Object({
  version: Type.Literal(1),
  format: Type.Integer(),
  /** Names of roots below which its media lie, and the paths by which they are stored. */
  roots: Type.Array(Type.Object({ name: Type.String(), stored_as: Type.String() })),
  /** Bundles that records name but that did not exist. */
  missing: Type.Array(Type.String()),
  /** In the order of paths, which are below the folder of the manifest; `/` between names. */
  files: Type.Array(
    Type.Object({
      path: Type.String(),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  ),
});
export type Manifest = Static<typeof Manifest>;

/** Result of an import into an analysis folder that was not empty. */
export interface Merged {
  /** Media that came, and those that were analysed there already. */
  readonly imported: number;
  readonly known: number;
  /** Paths of those that are another content with the same hash, which did not come. */
  readonly different: readonly string[];
  /** Face clusterings that did not come, because there is one of the same name. */
  readonly clusterings: readonly string[];
}

export interface Transferred {
  readonly manifest: Manifest;
  /** Null for an export, and where nothing was there before. */
  readonly merged: Merged | null;
}

export interface LibraryTransfer {
  /** Analysis folder, absolute. */
  readonly cacheDir: string;
  /** Folder of the exported library, absolute. */
  readonly folder: string;
  /** Home folder and the file of its roots, absolute. */
  readonly home: string;
  readonly roots: string;
  /** Bytes of those that are to be in the new place. */
  progress(done: number, total: number): void;
  readonly signal: AbortSignal;
}
