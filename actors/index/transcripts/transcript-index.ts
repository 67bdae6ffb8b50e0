// The transcripts that can be searched: those of one folder, and the load that is under way.
import type { Log } from '../../../runtime/log.ts';
import { realFolder } from '../real-folder.ts';
import { storeErrors } from '../store/contract.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { TranscriptLoadReport } from './contract.ts';
import { refresh, TranscriptLoading } from './load.ts';
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
    if (this.#loading?.target.folder !== store.folder) {
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
    if (loaded?.folder !== store.folder) return;
    const { seen, changed } = store.media.changes(this.#seen);
    if (changed === null && seen !== this.#seen && !sweep(loaded, store)) this.#loaded = null;
    this.#seen = seen;
  }

  /** True while transcripts of this folder are loaded. */
  holds(folder: string): boolean {
    return this.#loaded?.folder === realFolder(folder);
  }

  /** What is loaded of a folder; NOT_LOADED when nothing is. */
  of(folder: string): LoadedTranscripts {
    if (this.#loaded?.folder === realFolder(folder)) return this.#loaded;
    throw storeErrors.NOT_LOADED(`The transcriptions of ${folder} are not loaded`, { folder });
  }

  /** To be called after the transcript of a media or the names of its speakers were stored. */
  changed(store: Store, hash: string): void {
    if (this.#loading?.target.folder === store.folder) this.#loading.touched.add(hash);
    if (this.#loaded?.folder === store.folder) refresh(this.#loaded, store, hash);
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
