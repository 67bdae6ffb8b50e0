// The analysis folders this actor has open: a few at a time, the one used longest ago is closed first.
import { realFolder } from './real-folder.ts';
import { storeErrors } from './store/contract.ts';
import { Store } from './store/store.ts';
import type { WriterOptions } from './store/writer.ts';

const mostOpen = 8;

/** After one of these a store has to be opened anew. */
const fatal = [storeErrors.STORE_READ_ONLY, storeErrors.STORE_DAMAGED, storeErrors.STORE_UNAVAILABLE];

export class Folders {
  readonly #options: WriterOptions;
  readonly #open = new Map<string, Store>();
  readonly #onFailed: (store: Store) => void;

  /** `onFailed`: what was read from this store has to be read again. */
  constructor(options: WriterOptions = {}, onFailed: (store: Store) => void = () => {}) {
    this.#options = options;
    this.#onFailed = onFailed;
  }

  /** Runs `use` on the store of a folder; a store that failed is opened anew by the next call. */
  async with<T>(folder: string, use: (store: Store) => T): Promise<T> {
    const store = await this.#store(folder);
    try {
      return use(store);
    } catch (error) {
      if (fatal.some((one) => one.is(error))) {
        this.#onFailed(store);
        await this.#forget(store);
      }
      throw error;
    }
  }

  /** *Borrowed until the end of the turn*; a store with an open stage is never closed here. */
  async #store(folder: string): Promise<Store> {
    const path = realFolder(folder);
    const store = this.#open.get(path) ?? new Store(path, this.#options);
    this.#open.delete(path);
    this.#open.set(path, store);
    for (const [other, idle] of [...this.#open]) {
      if (this.#open.size <= mostOpen) break;
      if (idle === store || idle.isBusy) continue;
      this.#open.delete(other);
      await idle.close();
    }
    return store;
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
