// The printed words that are in memory: of the folder that was searched last.
import type { Log } from '../../../runtime/log.ts';
import type { Store } from '../store/store.ts';
import { WrittenTexts } from './written-texts.ts';

export class WrittenIndex {
  readonly #log: Log;
  #texts: WrittenTexts | null = null;
  #told: WrittenTexts | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Goes on bringing the lines of a folder into memory; null while there is more to do. */
  step(store: Store): WrittenTexts | null {
    store.requireReadable();
    const known = this.#texts;
    const isKnown = known?.folder === store.folder && known.source === store.identity;
    const texts = isKnown ? known : new WrittenTexts(store);
    this.#texts = texts;
    if (!texts.step(store)) return null;
    const unreadable = texts.unreadable();
    if (unreadable.length > 0 && this.#told !== texts) {
      this.#told = texts;
      this.#log.warn('Printed words cannot be read', { folder: store.folder, hashes: unreadable });
    }
    return texts;
  }

  /** What was read of a folder is not what lies there now. */
  forget(store: Store): void {
    if (this.#texts?.folder === store.folder) this.drop();
  }

  drop(): void {
    this.#texts = null;
    this.#told = null;
  }
}
