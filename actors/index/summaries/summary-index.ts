// The texts of summaries that are in memory: of the folder that was searched last, and of small ones searched before.
import type { Log } from '../../../runtime/log.ts';
import type { Store } from '../store/store.ts';
import type { SummaryName } from './contract.ts';
import { SummaryTexts } from './summary-texts.ts';

/** Folders kept beside the one that is asked for, and bytes of them all together. */
const mostKept = 4;
const keptBytes = 64 << 20;

export class SummaryIndex {
  readonly #log: Log;
  /** By folder, the one used last at the end. */
  readonly #kept = new Map<string, SummaryTexts>();
  #told: SummaryTexts | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Goes on bringing the texts of a folder into memory; null while there is more to do. */
  step(store: Store): SummaryTexts | null {
    store.requireReadable();
    const texts = this.#of(store);
    if (!texts.step(store)) return null;
    const unreadable = texts.unreadable();
    if (unreadable.length > 0 && this.#told !== texts) {
      this.#told = texts;
      this.#log.warn('Summaries cannot be searched whole', {
        folder: store.folder,
        summaries: named(unreadable),
      });
    }
    return texts;
  }

  #of(store: Store): SummaryTexts {
    const known = this.#kept.get(store.folder);
    const texts = known?.source === store.identity ? known : new SummaryTexts(store);
    this.#kept.delete(store.folder);
    if (texts !== known) this.#makeRoom();
    this.#kept.set(store.folder, texts);
    return texts;
  }

  #makeRoom(): void {
    let bytes = 0;
    for (const [i, [folder, texts]] of [...this.#kept].reverse().entries()) {
      bytes += texts.bytes;
      if (i >= mostKept || bytes > keptBytes) this.#kept.delete(folder);
    }
  }

  /** What was read of a folder is not what lies there now. */
  forget(store: Store): void {
    this.#kept.delete(store.folder);
  }

  drop(): void {
    this.#kept.clear();
    this.#told = null;
  }
}

const named = (names: readonly SummaryName[]) =>
  names.map(({ hash_str, analysis_id }) => `${hash_str}/${analysis_id}`);
