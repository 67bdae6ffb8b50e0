// The analysis folders this actor has open: a few at a time, the one used longest ago is closed first.
import { realFolder } from '../../runtime/files/folder.ts';
import { storeErrors } from './store/contract.ts';
import { Store, type StoreOptions } from './store/store.ts';

const mostOpen = 8;

/** After one of these a store has to be opened anew. */
const fatal = [storeErrors.STORE_READ_ONLY, storeErrors.STORE_DAMAGED, storeErrors.STORE_UNAVAILABLE];
/** After one of these not even its stages can go on: the file under it is another one, or cut. */
const lostBy = [storeErrors.STORE_REPLACED, storeErrors.STORE_DAMAGED];

export interface FolderListener {
  /** The store is closed; the next one of this folder is another object. */
  reopened?(store: Store): void;
  /** Called when data read from this store is out of date. */
  lost?(store: Store): void;
}

export class IndexFolders {
  readonly #options: StoreOptions;
  readonly #open = new Map<string, Store>();
  readonly #listener: FolderListener;
  /** Folders that were gone or replaced once. */
  readonly #lost = new Set<string>();

  constructor(options: StoreOptions = {}, listener: FolderListener = {}) {
    this.#options = options;
    this.#listener = listener;
  }

  /** Runs `use` on the store of a folder; a store that failed is opened anew by the next call. */
  async with<T>(folder: string, use: (store: Store) => T): Promise<T> {
    const path = realFolder(folder);
    await this.#closeIfLost(path);
    const store = this.#store(path);
    try {
      store.followRoots();
      // At once: calls that begin together may close what nobody uses now.
      return use(store);
    } catch (error) {
      if (fatal.some((maker) => maker.is(error))) {
        this.#listener.reopened?.(store);
        await this.#forget(store);
      }
      throw error;
    } finally {
      await this.#closeIdle(store);
    }
  }

  #store(path: string): Store {
    const store =
      this.#open.get(path) ?? new Store(path, { ...this.#options, wasThere: this.#lost.has(path) });
    this.#open.delete(path);
    this.#open.set(path, store);
    return store;
  }

  /** A store with an open stage is never closed here. */
  async #closeIdle(used: Store): Promise<void> {
    for (const [otherFolder, idle] of this.#open) {
      if (this.#open.size <= mostOpen) break;
      if (idle === used || idle.isBusy) continue;
      this.#open.delete(otherFolder);
      await idle.close();
    }
  }

  /** A store whose files were replaced gives way to what lies there now, with its stages. */
  async #closeIfLost(path: string): Promise<void> {
    const store = this.#open.get(path);
    try {
      store?.requireSame();
    } catch (error) {
      if (store === undefined || !lostBy.some((maker) => maker.is(error))) throw error;
      this.#options.warn?.('An analysis folder changed while it was open', {
        folder: path,
        reason: error instanceof Error ? error.message : String(error),
      });
      this.#lost.add(path);
      await this.#leave(store);
    }
  }

  /** Reopens the folder, because the state in memory may differ from the disk. */
  async abandon(folder: string): Promise<void> {
    const store = this.#open.get(realFolder(folder));
    if (store !== undefined) await this.#leave(store);
  }

  async #leave(store: Store): Promise<void> {
    this.#open.delete(store.folder);
    this.#listener.reopened?.(store);
    this.#listener.lost?.(store);
    await store.close();
  }

  async #forget(store: Store): Promise<void> {
    if (store.isBusy || this.#open.get(store.folder) !== store) return;
    this.#open.delete(store.folder);
    await store.close();
  }

  async close(): Promise<void> {
    const stores = [...this.#open.values()];
    this.#open.clear();
    for (const store of stores) await store.close();
  }
}
