// The bundles of an analysis folder. They are written in `open/` and move to their place when a record names
// them. The records alone say which count: one that is named is also found where it was written, and one that
// nobody names is removed, by a key that the same transaction left.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../../runtime/files/make-folder.ts';
import { type About, aboutOf, BundleFile } from './bundle-file.ts';
import { type Disk, disk, flushFolder } from './disk.ts';
import type { Environment, Writes } from './environment.ts';
import { isMissing, readable, storeFault } from './faults.ts';
import { goneKey, gonePrefix, openFolder } from './names.ts';

export class Bundles {
  readonly #folder: string;
  readonly #on: Disk;
  /** Keys of bundles that were removed. */
  #removed: string[] = [];

  constructor(folder: string, on: Disk = disk) {
    this.#folder = folder;
    this.#on = on;
  }

  /** A new one, in `open/`. `name`: the last part of its place. */
  create(name: string, about: About): BundleFile {
    return BundleFile.create(join(openFolder(this.#folder), name), about, this.#on);
  }

  /** To go on with one that was being written; null when it is not there, or cannot be read. */
  takeUp(name: string): BundleFile | null {
    const file = join(openFolder(this.#folder), name);
    return readable(() => BundleFile.open(file, 'r+', this.#on));
  }

  /** Names in `open/` are *flushed*. */
  flushNames(): void {
    flushFolder(openFolder(this.#folder));
  }

  /** For reading; the caller closes it. Throws STORE_DAMAGED naming the file. `place`: within the folder. */
  open(place: string): BundleFile {
    return this.#openBy(place, (file) => BundleFile.open(file));
  }

  /** The same from byte `start` on; see `BundleFile.openAt`. */
  openAt(place: string, start: number): BundleFile {
    return this.#openBy(place, (file) => BundleFile.openAt(file, start));
  }

  #openBy(place: string, open: (file: string) => BundleFile): BundleFile {
    const file = join(this.#folder, place);
    for (const one of [file, this.#opened(place)]) {
      try {
        return open(one);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    // It moved in between.
    return open(file);
  }

  /** Size of the file; 0 when it is missing. */
  bytes(place: string): number {
    const file = join(this.#folder, place);
    try {
      for (const one of [file, this.#opened(place), file]) {
        const size = statSync(one, { throwIfNoEntry: false })?.size;
        if (size !== undefined) return size;
      }
      return 0;
    } catch (error) {
      throw storeFault(error, file, 'read');
    }
  }

  #opened(place: string): string {
    return join(openFolder(this.#folder), basename(place));
  }

  /** A record names it: moves it to its place. One that cannot be moved is found all the same. */
  settle(place: string): void {
    const file = join(this.#folder, place);
    try {
      makeFolder(dirname(file));
      renameSync(this.#opened(place), file);
    } catch {
      // The next writer tries again.
    }
  }

  /** Where bundles of a content lie, whether records name them or not. */
  placesOf(hash: string): string[] {
    const models = entriesOf(join(this.#folder, 'vectors')).map((model) => `vectors/${model}`);
    return ['previews', ...models].flatMap((kind) => {
      const within = `${kind}/${`${hash}.`.slice(0, 2)}`;
      const names = entriesOf(join(this.#folder, within)).filter((name) => name.startsWith(`${hash}.`));
      return names.map((name) => `${within}/${name}`);
    });
  }

  /** Within the transaction after which no record names them. */
  gone(writes: Writes, places: readonly string[]): void {
    for (const place of places) if (place !== '') writes.put(goneKey(place), new Uint8Array(1));
  }

  /** Removes those that no record names any more, also what a crash left of them. */
  removeGone(environment: Environment): void {
    environment.refresh();
    for (const key of environment.keys(gonePrefix)) {
      const place = key.slice(gonePrefix.length);
      try {
        for (const file of [join(this.#folder, place), this.#opened(place)]) rmSync(file, { force: true });
        this.#removed.push(key);
      } catch {
        // Open in another process on a system that keeps such names: the next writer tries again.
      }
    }
  }

  /** Within the next transaction of the writer. */
  forgetGone(writes: Writes): void {
    for (const key of this.#removed) writes.remove(key);
    this.#removed = [];
  }

  /**
   * For who has just taken the lease: moves what records name to its place, and removes what no work goes on
   * with. `placeOf`: where a bundle of `open/` is said to lie; null where no record names it.
   */
  tidyOpen(placeOf: (name: string, about: About) => string | null): void {
    const within = openFolder(this.#folder);
    try {
      for (const name of entriesOf(within)) {
        const about = aboutOf(join(within, name));
        const place = about && placeOf(name, about);
        if (place) this.settle(place);
        else if (about === null || about.span === null) rmSync(join(within, name), { force: true });
      }
    } catch (error) {
      throw storeFault(error, within, 'write');
    }
  }
}

/** Names in a folder; none where there is no such folder. */
function entriesOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
