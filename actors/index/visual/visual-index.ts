// The vectors that can be searched: those of one folder by one model.
import type { Log } from '../../../runtime/log.ts';
import { storeErrors } from '../store/contract.ts';
import type { Store } from '../store/store.ts';
import type { LoadReport } from './contract.ts';
import { wantedStages } from './load.ts';
import { LoadedVectors } from './loaded.ts';

export class VisualIndex {
  readonly #log: Log;
  readonly #segmentBytes: number | undefined;
  #loaded: LoadedVectors | null = null;
  /** How far the changes of the folder are known. */
  #seen: number | null = null;

  constructor(log: Log, segmentBytes?: number) {
    this.#log = log;
    this.#segmentBytes = segmentBytes;
  }

  /** `hashes` null: everything. What is loaded of another folder or model gives way. `pause` may throw to stop. */
  load(store: Store, modelKey: string, hashes: readonly string[] | null, pause: () => void): LoadReport {
    store.requireFolder();
    this.follow(store);
    const wanted = wantedStages(store, modelKey, hashes);
    const target = this.#targetOf(store, modelKey);
    try {
      target.add(store, wanted.visuals, wanted.unreadable, pause);
    } catch (error) {
      if (target !== this.#loaded) target.close();
      throw error;
    }
    this.#use(target);
    this.follow(store);
    const loaded = target.isFragmented ? this.#rebuild(store, target, pause) : target;
    return loaded.report(wanted.missing, wanted.unreadable);
  }

  /** Takes out what was removed from the folder since, by whatever process, and follows what moved. */
  follow(store: Store): void {
    const loaded = this.#loaded;
    if (loaded?.folder !== store.folder || loaded.source !== store.identity) return;
    const { seen, changed } = store.media.changes(this.#seen);
    if (changed === null && seen !== this.#seen) loaded.sweep(store);
    this.#seen = seen;
  }

  /** What a load adds to: what is loaded, or something new when the folder, the model or its dimensions are others. */
  #targetOf(store: Store, modelKey: string): LoadedVectors {
    const dimensions = store.visual.model(modelKey)?.dimensions ?? 1;
    const now = this.#loaded;
    const same =
      now !== null &&
      now.folder === store.folder &&
      now.source === store.identity &&
      now.modelKey === modelKey &&
      now.dimensions === dimensions;
    if (same) return now;
    // What was loaded before goes first: both at once may not fit into memory.
    this.drop();
    return new LoadedVectors(store, modelKey, dimensions, this.#log, this.#segmentBytes);
  }

  #rebuild(store: Store, fragmented: LoadedVectors, pause: () => void): LoadedVectors {
    const { modelKey, dimensions, catalog } = fragmented;
    const fresh = new LoadedVectors(store, modelKey, dimensions, this.#log, this.#segmentBytes);
    fresh.add(store, wantedStages(store, modelKey, catalog.hashes()).visuals, new Set(), pause);
    this.#use(fresh);
    return fresh;
  }

  #use(loaded: LoadedVectors): void {
    if (this.#loaded !== loaded) this.drop();
    this.#loaded = loaded;
  }

  /**
   * What is loaded of a folder by a model; NOT_LOADED when something else is, nothing, or what lay there before the folder
   * was replaced. STORE_UNAVAILABLE while the folder is gone.
   */
  of(store: Store, modelKey: string): LoadedVectors {
    const loaded = this.#loaded;
    const { folder } = store;
    if (loaded?.folder === folder && loaded.modelKey === modelKey) {
      store.requireFolder();
      this.follow(store);
      if (loaded.source === store.identity) return loaded;
    }
    throw storeErrors.NOT_LOADED(`The analysis in ${folder} by ${modelKey} is not loaded`, {
      folder,
      model: modelKey,
    });
  }

  /** What was loaded of a folder has to be loaded again. */
  forget(store: Store): void {
    if (this.#loaded?.folder === store.folder) this.drop();
  }

  drop(): void {
    this.#loaded?.close();
    this.#loaded = null;
    this.#seen = null;
  }
}
