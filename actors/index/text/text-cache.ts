// Texts that are in memory for searches: of the folder that was searched last, and of small ones searched
// before.
import type { Log } from '../../../runtime/log.ts';
import type { Store } from '../store/store.ts';

/** The texts of one folder, brought into step with what is stored. */
export interface FolderTexts {
  /** Identity of the loaded records; a folder that was replaced has another. */
  readonly source: string;
  /** In memory. */
  readonly bytes: number;
  /** Goes on for some 10 ms. True when everything that is stored can be searched. */
  step(store: Store): boolean;
  /** Names of damaged entries, which are left out. */
  damaged(): string[];
}

/** Folders kept beside the one that is asked for, and bytes of them all together. */
const mostKept = 4;
const keptBytes = 64 << 20;

export class TextCache<T extends FolderTexts> {
  readonly #log: Log;
  /** For the log: `summaries`. */
  readonly #what: string;
  readonly #open: (store: Store) => T;
  /** State by folder, the one used last at the end. */
  readonly #texts = new Map<string, T>();
  #latest: T | null = null;

  constructor(log: Log, what: string, open: (store: Store) => T) {
    this.#log = log;
    this.#what = what;
    this.#open = open;
  }

  /** Goes on bringing the texts of a folder into memory; null while there is more to do. */
  step(store: Store): T | null {
    store.requireReadable();
    const texts = this.#of(store);
    if (!texts.step(store)) return null;
    const damaged = texts.damaged();
    if (damaged.length > 0 && this.#latest !== texts) {
      this.#latest = texts;
      this.#log.warn(`${this.#what} cannot be searched whole`, { folder: store.folder, damaged });
    }
    return texts;
  }

  #of(store: Store): T {
    const cachedTexts = this.#texts.get(store.folder);
    const texts = cachedTexts?.source === store.identity ? cachedTexts : this.#open(store);
    this.#texts.delete(store.folder);
    if (texts !== cachedTexts) this.#makeRoom();
    this.#texts.set(store.folder, texts);
    return texts;
  }

  #makeRoom(): void {
    let bytes = 0;
    for (const [i, [folder, texts]] of [...this.#texts].reverse().entries()) {
      bytes += texts.bytes;
      if (i >= mostKept || bytes > keptBytes) this.#texts.delete(folder);
    }
  }

  /** The state of a folder is out of date. */
  forget(store: Store): void {
    this.#texts.delete(store.folder);
  }

  drop(): void {
    this.#texts.clear();
    this.#latest = null;
  }
}
