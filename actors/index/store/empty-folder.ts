// Whether an analysis folder without records is an empty one, or one that cannot be read now. One that is not there yet is
// empty; on a drive that is away it only looks so.
import { accessSync, constants, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../../../runtime/files/error-code.ts';
import { storeErrors } from './contract.ts';
import { mountFolders } from './volume.ts';

/** `wasThere`: it held something once. Throws STORE_UNAVAILABLE. */
export function requireEmpty(folder: string, wasThere: boolean): void {
  const reason = hindrance(folder, wasThere);
  if (reason === null) return;
  throw storeErrors.STORE_UNAVAILABLE(`${folder} cannot be read: ${reason}`, { folder, reason });
}

/** Null when it is empty. */
function hindrance(folder: string, wasThere: boolean): string | null {
  try {
    if (!statSync(folder).isDirectory()) return 'it is not a folder';
    accessSync(folder, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return reasonOf(error);
    return absence(folder, wasThere);
  }
}

/** Null when it is only not there yet. */
function absence(folder: string, wasThere: boolean): string | null {
  if (wasThere) return 'it no longer exists; its drive may be disconnected';
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return 'it is a broken link';
  const parent = dirname(folder);
  try {
    if (!statSync(parent).isDirectory()) return `${parent} is not a folder`;
    const isBare = mountFolders.test(parent) && readdirSync(parent).length === 0;
    return isBare ? `its drive may be disconnected: ${parent} is empty` : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `the folder ${parent} does not exist`;
    return reasonOf(error);
  }
}
