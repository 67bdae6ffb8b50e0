// The vectors that can be searched: those of one folder by one model.
import type { Log } from '../../../runtime/log.ts';
import { OpenLoads } from '../open-loads.ts';
import { storeErrors } from '../store/contract.ts';
import type { Store } from '../store/store.ts';
import type { VisualLoadStep } from './contract.ts';
import { VisualLoading } from './load.ts';
import { LoadedVectors } from './loaded.ts';

export class VisualIndex {
  readonly #log: Log;
  readonly #segmentBytes: number | undefined;
  /** What searches run over: whole since a load ended. */
  #loaded: LoadedVectors | null = null;
  /** What loads add to; the same, or what is being loaded the first time. */
  #target: LoadedVectors | null = null;
  readonly #loads = new OpenLoads<VisualLoading>();
  /** How far the changes of the folder are known. */
  #seen: number | null = null;

  constructor(log: Log, segmentBytes?: number) {
    this.#log = log;
    this.#segmentBytes = segmentBytes;
  }

  /**
   * One step of a load: a new one for null, or the one of that number. `hashes` null: everything. What is loaded of another
   * folder or model gives way. `pause` may throw to stop.
   */
  load(
    store: Store,
    modelKey: string,
    hashes: readonly string[] | null,
    number: number | null,
    pause: () => void,
  ): VisualLoadStep {
    store.requireReadable();
    this.#follow(store);
    const target = this.#targetOf(store, modelKey);
    const goesOn = (loading: VisualLoading) => loading.target === target;
    const begin = () => new VisualLoading(store, target, hashes);
    const [load, loading] = this.#loads.resume(number, goesOn, begin);
    let done = true;
    try {
      done = loading.step(store, pause);
    } finally {
      if (done) this.#loads.end(load);
    }
    if (done) {
      this.#loaded = target;
      this.#seen = loading.seenBefore;
      this.#follow(store);
    }
    return { done, load, ...loading.report() };
  }

  /** Takes out what was removed from the folder since, by whatever process, and follows what moved. */
  #follow(store: Store): void {
    const loaded = this.#loaded;
    if (loaded?.folder !== store.folder || loaded.source !== store.identity) return;
    const { seen, changed } = store.media.changes(this.#seen);
    if (changed === null && seen !== this.#seen) loaded.sweep(store);
    this.#seen = seen;
  }

  /** What a load adds to: what is there, or something new when the folder, the model or its dimensions are others. */
  #targetOf(store: Store, modelKey: string): LoadedVectors {
    const dimensions = store.visual.model(modelKey)?.dimensions ?? 1;
    const now = this.#target;
    const same =
      now?.folder === store.folder &&
      now.source === store.identity &&
      now.modelKey === modelKey &&
      now.dimensions === dimensions;
    if (same) return now;
    // What was loaded before goes first: both at once may not fit into memory.
    this.drop();
    this.#target = new LoadedVectors(store, modelKey, dimensions, this.#log, this.#segmentBytes);
    return this.#target;
  }

  /**
   * What is loaded of a folder by a model; NOT_LOADED when something else is, nothing, or what lay there before the folder
   * was replaced. STORE_UNAVAILABLE while the folder is gone.
   */
  of(store: Store, modelKey: string): LoadedVectors {
    const loaded = this.#loaded;
    const { folder } = store;
    if (loaded?.folder === folder && loaded.modelKey === modelKey) {
      store.requireStill(loaded.source);
      this.#follow(store);
      if (loaded.source === store.identity) return loaded;
    }
    throw storeErrors.NOT_LOADED(`The analysis in ${folder} by ${modelKey} is not loaded`, {
      folder,
      model: modelKey,
    });
  }

  /** The same, or null where that is not what is loaded. */
  ifLoaded(store: Store, modelKey: string | null): LoadedVectors | null {
    const loaded = this.#loaded;
    return loaded?.folder === store.folder && loaded.modelKey === modelKey && loaded.source === store.identity
      ? loaded
      : null;
  }

  /** What was loaded of a folder has to be loaded again. */
  forget(store: Store): void {
    if (this.#target?.folder === store.folder) this.drop();
  }

  drop(): void {
    this.#target?.close();
    this.#target = null;
    this.#loaded = null;
    this.#seen = null;
    this.#loads.clear();
  }
}
