// The lists of one kind in memory: searches read all of a folder again and again.
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { ItemOf, ResultType } from './contract.ts';

/** One step, ms: other questions come in between. */
const stepMs = 10;

interface ReadItems<I> {
  /** Changes with what is stored. */
  readonly version: number;
  readonly items: readonly I[];
}

export class LoadedItems<T extends ResultType> {
  readonly #type: T;
  /** Items by hash. A folder that is opened again is another store. */
  readonly #read = new WeakMap<Store, Map<string, ReadItems<ItemOf<T>>>>();

  constructor(type: T) {
    this.#type = type;
  }

  /** Media in which somebody looked, ascending. */
  hashes(store: Store): string[] {
    const hashes = store.results(this.#type).hashes();
    const read = this.#of(store);
    // Forgotten contents are removed from memory.
    if (read.size > hashes.length) read.clear();
    return hashes;
  }

  #of(store: Store): Map<string, ReadItems<ItemOf<T>>> {
    const itemsByHash = this.#read.get(store) ?? new Map<string, ReadItems<ItemOf<T>>>();
    this.#read.set(store, itemsByHash);
    return itemsByHash;
  }

  /** Empty where nobody looked. Kept in memory until the record changes. Throws STORE_DAMAGED. */
  items(store: Store, hash: string): readonly ItemOf<T>[] {
    const read = this.#of(store);
    const result = store.results(this.#type).lookUp(hash);
    if (result === null) {
      read.delete(hash);
      return [];
    }
    const cachedItems = read.get(hash);
    if (cachedItems?.version === result.version) return cachedItems.items;
    const { items } = result.read();
    read.set(hash, { version: result.version, items });
    return items;
  }

  /** Goes on for some 10 ms with reading these into memory; true when all that can be read are there. */
  readOn(store: Store, hashes: readonly string[]): boolean {
    const end = performance.now() + stepMs;
    const read = this.#of(store);
    const before = read.size;
    for (const hash of hashes) {
      if (read.has(hash)) continue;
      // A damaged record is no progress, or the loop would not end.
      if (performance.now() >= end && read.size > before) return false;
      readable(() => this.items(store, hash));
    }
    return true;
  }
}
