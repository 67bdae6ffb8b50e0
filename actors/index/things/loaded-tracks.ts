// Tracks of things in memory: searches read all of a folder again and again.
import type { Track } from '../../things/tracks.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';

/** One step, ms: other questions come in between. */
const stepMs = 10;

interface ReadTracks {
  /** Changes with what is stored. */
  readonly version: number;
  readonly tracks: readonly Track[];
}

export class LoadedTracks {
  /** Tracks by hash. A folder that is opened again is another store. */
  readonly #read = new WeakMap<Store, Map<string, ReadTracks>>();

  /** Media in which somebody looked, ascending. */
  hashes(store: Store): string[] {
    const hashes = store.results('things').hashes();
    const read = this.#of(store);
    // Forgotten contents are removed from memory.
    if (read.size > hashes.length) read.clear();
    return hashes;
  }

  #of(store: Store): Map<string, ReadTracks> {
    const known = this.#read.get(store) ?? new Map<string, ReadTracks>();
    this.#read.set(store, known);
    return known;
  }

  /** Empty where no detector looked. Kept in memory until the record changes. Throws STORE_DAMAGED. */
  tracks(store: Store, hash: string): readonly Track[] {
    const read = this.#of(store);
    const found = store.results('things').lookUp(hash);
    if (found === null) {
      read.delete(hash);
      return [];
    }
    const known = read.get(hash);
    if (known?.version === found.version) return known.tracks;
    const tracks = found.read().items;
    read.set(hash, { version: found.version, tracks });
    return tracks;
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
      readable(() => this.tracks(store, hash));
    }
    return true;
  }
}
