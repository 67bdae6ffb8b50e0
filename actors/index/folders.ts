// The analysis folders this actor has open: a few at a time, the one used longest ago is closed first.
import { resolve } from 'node:path';
import { Store } from './store/store.ts';
import type { WriterOptions } from './store/writer.ts';

const mostOpen = 8;

export class Folders {
  readonly #options: WriterOptions;
  readonly #open = new Map<string, Store>();

  constructor(options: WriterOptions = {}) {
    this.#options = options;
  }

  /** The store of a folder. *Borrowed until the end of the turn*; one with an open stage is never closed here. */
  async store(folder: string): Promise<Store> {
    const path = resolve(folder);
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

  /** Closes a store, so that the next call opens it anew: after its folder turned out to be read-only or damaged. */
  async forget(store: Store): Promise<void> {
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
