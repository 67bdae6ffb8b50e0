// An existing library joins: it is copied to the shared folder, and a change of the log brings it to every
// replica.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { rm } from '../../runtime/files/names.ts';
import { Store } from '../index/store/store.ts';
import type { LibraryTransfer, Manifest } from '../library/transfer/contract.ts';
import { exportLibrary } from '../library/transfer/export.ts';
import { takeLibrary, takeOwnLibrary } from '../library/transfer/import.ts';
import { mergeLibrary } from '../library/transfer/merge.ts';
import type { Database } from './database.ts';
import { ClusterExchange, resultPlace } from './exchange.ts';
import { addChange, lockLibrary, noteContents, readLibrary } from './log.ts';
import { RootPaths } from './places.ts';

/** `shared`: the folder of the cluster. SHARED_FOLDER, DATABASE_AWAY, and the errors of an import. */
export async function importForAll(
  database: Database,
  shared: string,
  given: LibraryTransfer,
): Promise<Manifest> {
  const { home, roots, signal } = given;
  const exchange = new ClusterExchange({ shared, home, roots, exportLibrary, takeLibrary, mergeLibrary });
  const { id: library } = await readLibrary(database);
  exchange.expect(library, false);
  const id = randomUUID();
  const copy = join(home, 'cluster', `import-${id}`);
  const place = resultPlace({ id, retryCount: 0 });
  try {
    const manifest = await takeOwnLibrary({ ...given, cacheDir: copy });
    const sealed = await exchange.sealWhole(place, copy, signal);
    const contents = new RootPaths(roots).shared(await contentsOf(copy));
    await database.transact(async (sql) => {
      await lockLibrary(sql, library);
      const seq = await addChange(sql, { library, node: library }, { kind: 'library', sealed });
      // Imported contents are not analysed again.
      await sql.query('update framehound.library set asked = $2 where id = $1', [library, seq]);
      await noteContents(sql, library, contents, seq);
    });
    return manifest;
  } catch (error) {
    await exchange.drop(place);
    throw error;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function contentsOf(folder: string): Promise<{ hash: string; path: string }[]> {
  const store = new Store(folder);
  try {
    return store.media.all().map(({ path, identity }) => ({ hash: identity.hash_str, path }));
  } finally {
    await store.close();
  }
}
