// The transcripts that can be searched: those of one folder, and the load that is under way.
import type { Log } from '../../../runtime/log.ts';
import { OpenLoads } from '../open-loads.ts';
import { storeErrors } from '../store/contract.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { TranscriptLoadReport } from './contract.ts';
import { isOf, refresh, TranscriptLoading } from './load.ts';
import { LoadedTranscripts } from './loaded.ts';

export class TranscriptIndex {
  readonly #log: Log;
  #loaded: LoadedTranscripts | null = null;
  /** What loads add to: what is loaded, or what another folder has of which no load has ended yet. */
  #target: LoadedTranscripts | null = null;
  readonly #loads = new OpenLoads<TranscriptLoading>();
  /** How far the changes of the loaded folder are known. */
  #seen: number | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * One step of a load: a new one for null, or the one of that number. What is loaded of another folder gives
   * way with the last.
   */
  load(store: Store, number: number | null): TranscriptLoadReport {
    store.requireReadable();
    this.#follow(store);
    const target = this.#targetOf(store);
    const goesOn = (loading: TranscriptLoading) => loading.target === target;
    const begin = () => new TranscriptLoading(store, target);
    const [load, loading] = this.#loads.resume(number, goesOn, begin);
    let done = true;
    try {
      done = loading.step(store);
    } finally {
      if (done) this.#loads.end(load);
    }
    const { unreadable } = loading;
    if (done) {
      this.#loaded = target;
      this.#seen = loading.seenBefore;
      if (unreadable.length > 0) {
        this.#log.warn('Transcripts cannot be read', { folder: store.folder, hashes: unreadable });
      }
    }
    return { done, load, media: target.media, segments: target.segments, unreadable };
  }

  #targetOf(store: Store): LoadedTranscripts {
    if (this.#loaded !== null && isOf(this.#loaded, store)) this.#target = this.#loaded;
    if (this.#target === null || !isOf(this.#target, store)) this.#target = new LoadedTranscripts(store);
    return this.#target;
  }

  /**
   * Takes out what was removed from the folder since, by whatever process. Transcripts are in the order of
   * their paths: when one moved, nothing is loaded any more, and the next search loads anew.
   */
  #follow(store: Store): void {
    const loaded = this.#loaded;
    if (loaded === null || !isOf(loaded, store)) return;
    const { seen, changed } = store.media.changes(this.#seen);
    if (changed === null && seen !== this.#seen && !sweep(loaded, store)) this.drop();
    else this.#seen = seen;
  }

  /**
   * What is loaded of a folder, without what was removed since; NOT_LOADED when nothing is, or what lay there
   * before the folder was replaced. STORE_UNAVAILABLE while the folder is gone.
   */
  of(store: Store): LoadedTranscripts {
    const { folder } = store;
    if (this.#loaded?.folder === folder) {
      store.requireStill(this.#loaded.source);
      this.#follow(store);
      if (this.#loaded !== null && isOf(this.#loaded, store)) return this.#loaded;
    }
    throw storeErrors.NOT_LOADED(`The transcriptions of ${folder} are not loaded`, { folder });
  }

  /** What was loaded of a folder has to be loaded again. */
  forget(store: Store): void {
    if (this.#loaded?.folder === store.folder) this.#loaded = null;
    if (this.#target?.folder === store.folder) this.#target = null;
  }

  /** To be called after the transcript of a media or the names of its speakers were stored. */
  changed(store: Store, hash: string): void {
    for (const one of new Set([this.#loaded, this.#target])) {
      if (one !== null && isOf(one, store)) refresh(one, store, hash);
    }
  }

  drop(): void {
    this.#loaded = null;
    this.#target = null;
    this.#loads.clear();
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
