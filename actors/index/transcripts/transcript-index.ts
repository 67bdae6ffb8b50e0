// The transcripts that can be searched: those of one folder, and the load that is under way.
import type { Log } from '../../../runtime/log.ts';
import { storeErrors } from '../store/contract.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { TranscriptLoadReport } from './contract.ts';
import { isOf, refresh, TranscriptLoading } from './load.ts';
import type { LoadedTranscripts } from './loaded.ts';

export class TranscriptIndex {
  readonly #log: Log;
  #loaded: LoadedTranscripts | null = null;
  #loading: TranscriptLoading | null = null;
  /** How far the changes of the loaded folder are known, and were when the load began. */
  #seen: number | null = null;
  #seenBefore: number | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** One step of a load. What is loaded of another folder gives way with the last one. */
  load(store: Store): TranscriptLoadReport {
    store.requireFolder();
    if (this.#loading === null || !isOf(this.#loading.target, store)) {
      this.follow(store);
      this.#seenBefore = store.media.changes(null).seen;
      this.#loading = new TranscriptLoading(store, this.#loaded);
    }
    const loading = this.#loading;
    let done = false;
    try {
      done = loading.step(store);
    } catch (error) {
      this.#loading = null;
      throw error;
    }
    const { target } = loading;
    const unreadable = [...loading.unreadable].sort();
    if (done) {
      this.#loaded = target;
      this.#loading = null;
      this.#seen = this.#seenBefore;
      if (unreadable.length > 0) {
        this.#log.warn('Transcripts cannot be read', { folder: store.folder, hashes: unreadable });
      }
    }
    return { done, media: target.media, segments: target.segments, unreadable };
  }

  /**
   * Takes out what was removed from the folder since, by whatever process. Transcripts are in the order of their paths:
   * when one moved, nothing is loaded any more, and the next search loads anew.
   */
  follow(store: Store): void {
    const loaded = this.#loaded;
    if (loaded === null || !isOf(loaded, store)) return;
    const { seen, changed } = store.media.changes(this.#seen);
    if (changed === null && seen !== this.#seen && !sweep(loaded, store)) this.#loaded = null;
    this.#seen = seen;
  }

  /**
   * What is loaded of a folder, without what was removed since; NOT_LOADED when nothing is, or what lay there before the
   * folder was replaced. STORE_UNAVAILABLE while the folder is gone.
   */
  of(store: Store): LoadedTranscripts {
    const { folder } = store;
    if (this.#loaded?.folder === folder) {
      store.requireFolder();
      this.follow(store);
      if (this.#loaded !== null && isOf(this.#loaded, store)) return this.#loaded;
    }
    throw storeErrors.NOT_LOADED(`The transcriptions of ${folder} are not loaded`, { folder });
  }

  /** What was loaded of a folder has to be loaded again. */
  forget(store: Store): void {
    if (this.#loaded?.folder === store.folder) this.#loaded = null;
    if (this.#loading?.target.folder === store.folder) this.#loading = null;
  }

  /** To be called after the transcript of a media or the names of its speakers were stored. */
  changed(store: Store, hash: string): void {
    if (this.#loading !== null && isOf(this.#loading.target, store)) this.#loading.touched.add(hash);
    if (this.#loaded !== null && isOf(this.#loaded, store)) refresh(this.#loaded, store, hash);
  }

  drop(): void {
    this.#loaded = null;
    this.#loading = null;
    this.#seen = null;
  }
}

/** False when a media moved. */
function sweep(loaded: LoadedTranscripts, store: Store): boolean {
  for (const hash of [...loaded.hashes()]) {
    const known = loaded.get(hash);
    if (!store.transcripts.stored([hash])[0]) loaded.remove(hash);
    else if (known && (readable(() => store.media.pathOf(hash)) ?? known.path) !== known.path) return false;
  }
  return true;
}
