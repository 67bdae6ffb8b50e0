// The vectors that can be searched: those of one folder by one model.

import type { EngineError } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import { OpenLoads } from '../numbered-work.ts';
import { storeErrors } from '../store/contract.ts';
import { readable } from '../store/faults.ts';
import type { PictureVectorsRow } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { LoadReport, VisualLoadStep } from './contract.ts';
import { countFrames } from './frames.ts';
import { LoadedVectors } from './loaded.ts';

export class VisualIndex {
  readonly #log: Log;
  readonly #segmentBytes: number | undefined;
  /** State that searches run over, complete since a load ended. */
  #loaded: LoadedVectors | null = null;
  /** State that loads add to: the same, or that of the first load. */
  #target: LoadedVectors | null = null;
  readonly #loads = new OpenLoads<VisualLoading>();
  /** How far the changes of the folder are known. */
  #position: number | null = null;

  constructor(log: Log, segmentBytes?: number) {
    this.#log = log;
    this.#segmentBytes = segmentBytes;
  }

  /**
   * One step of a load: a new one for null, or the one of that number. `hashes` null: everything. What is
   * loaded of another folder or model gives way. `pause` may throw to stop.
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
    const step = (loading: VisualLoading) => loading.step(store, pause);
    const { number: load, load: loading, done } = this.#loads.step(number, goesOn, begin, step);
    if (done) {
      this.#loaded = target;
      this.#position = loading.startPosition;
      this.#follow(store);
    }
    return { done, load, ...loading.report() };
  }

  /** Follows what was removed from the folder, moved or stored again since, by whatever process. */
  #follow(store: Store): void {
    const loaded = this.#loaded;
    if (loaded?.folder !== store.folder || loaded.source !== store.identity) return;
    const { position, changed } = store.media.changes(this.#position);
    if (changed !== null) loaded.follow(store, new Set(changed.map(({ hash }) => hash)));
    else if (position !== this.#position) loaded.follow(store, loaded.catalog.hashes());
    this.#position = position;
  }

  /**
   * State that a load adds to: the current one, or a new one if the folder, the model or its dimensions
   * differ.
   */
  #targetOf(store: Store, modelKey: string): LoadedVectors {
    const dimensions = store.visual.model(modelKey)?.dimensions ?? 1;
    const now = this.#target;
    const same =
      now?.folder === store.folder &&
      now.source === store.identity &&
      now.modelKey === modelKey &&
      now.dimensions === dimensions;
    if (same) return now;
    // The previous state goes first: both at once may not fit into memory.
    this.drop();
    this.#target = new LoadedVectors(store, { modelKey, dimensions }, this.#log, this.#segmentBytes);
    return this.#target;
  }

  /**
   * Loaded vectors of a folder by a model. NOT_LOADED if there are none, others are loaded, or the folder was
   * replaced. STORE_UNAVAILABLE while the folder is gone.
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
    this.#follow(store);
    const loaded = this.#loaded;
    return loaded?.folder === store.folder && loaded.modelKey === modelKey && loaded.source === store.identity
      ? loaded
      : null;
  }

  /** The folder has to be loaded again. */
  forget(store: Store): void {
    if (this.#target?.folder === store.folder) this.drop();
  }

  drop(): void {
    this.#target?.close();
    this.#target = null;
    this.#loaded = null;
    this.#position = null;
    this.#loads.clear();
  }
}

// Brings the vectors of a folder into memory, a step at a time, so that searches come in between: everything
// stored by a model, or some hashes, with what is missing or damaged named.

/** Limits of one step of some 10 ms: records, and bytes of vectors. */
const stepRecords = 512;
const stepBytes = 4 << 20;

/** A stage that is to be read. */
interface Wanted {
  readonly hash: string;
  readonly rows: number;
}

export class VisualLoading {
  readonly target: LoadedVectors;
  /** How far the changes of the folder were known when it began. */
  readonly startPosition: number;
  readonly #isWhole: boolean;
  readonly #hashes: readonly string[];
  readonly #missing: string[] = [];
  readonly #unreadable = new Set<string>();
  readonly #records: Wanted[] = [];
  #looked = 0;
  /** Rows by which memory will grow. */
  #more = 0;
  #next = 0;
  #failure: EngineError | null = null;

  /** `hashes` null: everything. A stage of other dimensions than the model has now counts as missing. */
  constructor(store: Store, target: LoadedVectors, hashes: readonly string[] | null) {
    this.target = target;
    this.startPosition = store.media.changes(null).position;
    this.#isWhole = hashes === null;
    this.#hashes = hashes === null ? store.visual.hashes(target.modelKey) : [...new Set(hashes)];
  }

  /** True when everything is in memory. `pause` is called between reads and may throw to stop. */
  step(store: Store, pause: () => void): boolean {
    if (this.#looked < this.#hashes.length) this.#look(store);
    if (this.#looked < this.#hashes.length) return false;
    if (this.#next < this.#records.length) this.#read(store, pause);
    if (this.#next < this.#records.length) return false;
    // When there is nothing but damage, the file is named; otherwise the rest is loaded and the damage
    // reported.
    if (this.#failure !== null && this.target.catalog.size === 0) throw this.#failure;
    return true;
  }

  #look(store: Store): void {
    const { catalog } = this.target;
    const last = Math.min(this.#hashes.length, this.#looked + stepRecords);
    while (this.#looked < last) {
      const visual = this.#visual(store, this.#hashes[this.#looked++] as string);
      const loadedMedia = visual === null ? undefined : catalog.get(visual.hash_str);
      if (visual === null || loadedMedia?.revision === visual.revision) continue;
      const { hash_str: hash, frame_runs } = visual;
      const rows = countFrames(frame_runs);
      this.#records.push({ hash, rows });
      // Rows that are replaced are free when the next ones are read.
      this.#more += Math.max(0, rows - (loadedMedia?.frames.length ?? 0));
    }
    if (last === this.#hashes.length) this.target.bank.expect(this.#more);
  }

  /** Null for what cannot be loaded. */
  #visual(store: Store, hash: string): PictureVectorsRow | null {
    const { modelKey, dimensions } = this.target;
    const read = readable(() => ({ visual: store.visual.stage(modelKey, hash) }));
    if (read === null) this.#unreadable.add(hash);
    else if (read.visual?.dimensions === dimensions) return read.visual;
    else if (!this.#isWhole) this.#missing.push(hash);
    return null;
  }

  /**
   * The records are read once more: a stage may have been stored again, or moved, since they were looked up.
   */
  #read(store: Store, pause: () => void): void {
    const visuals: PictureVectorsRow[] = [];
    const last = Math.min(this.#records.length, this.#next + stepRecords);
    for (let bytes = 0; this.#next < last && bytes < stepBytes; ) {
      const { hash, rows } = this.#records[this.#next++] as Wanted;
      const visual = this.#visual(store, hash);
      if (visual !== null) visuals.push(visual);
      bytes += rows * this.target.bank.stride;
    }
    this.#failure = this.target.add(store, visuals, this.#unreadable, pause) ?? this.#failure;
  }

  report(): LoadReport {
    return this.target.report(this.#missing, this.#unreadable);
  }
}
