// Brings the vectors of a folder into memory, a step at a time, so that searches come in between: everything stored by a
// model, or some hashes, with what is missing or damaged named.
import type { EngineError } from '../../../runtime/errors.ts';
import { readable } from '../store/faults.ts';
import type { Visual } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { LoadReport } from './contract.ts';
import { countFrames } from './frames.ts';
import type { LoadedVectors } from './loaded.ts';

/** Of one step: records that are looked up, bytes of vectors that are read. A step takes some 10 ms. */
const stepRecords = 512;
const stepBytes = 4 << 20;

/** A stage that is to be read, and where it lies. */
interface Wanted {
  readonly hash: string;
  readonly generation: number;
  readonly row: number;
  readonly rows: number;
}

export class VisualLoading {
  readonly target: LoadedVectors;
  /** How far the changes of the folder were known when it began. */
  readonly seenBefore: number;
  readonly #isWhole: boolean;
  readonly #hashes: readonly string[];
  readonly #missing: string[] = [];
  readonly #unreadable = new Set<string>();
  readonly #wanted: Wanted[] = [];
  #looked = 0;
  /** Rows by which memory will grow. */
  #more = 0;
  #next = 0;
  #failure: EngineError | null = null;

  /** `hashes` null: everything. A stage of other dimensions than the model has now counts as missing. */
  constructor(store: Store, target: LoadedVectors, hashes: readonly string[] | null) {
    this.target = target;
    this.seenBefore = store.media.changes(null).seen;
    this.#isWhole = hashes === null;
    this.#hashes = hashes === null ? store.visual.hashes(target.modelKey) : [...new Set(hashes)];
  }

  /** True when everything is in memory. `pause` is called between reads and may throw to stop. */
  step(store: Store, pause: () => void): boolean {
    if (this.#looked < this.#hashes.length) this.#look(store);
    if (this.#looked < this.#hashes.length) return false;
    if (this.#next < this.#wanted.length) this.#read(store, pause);
    if (this.#next < this.#wanted.length) return false;
    // When there is nothing but damage, the file is named; otherwise the rest is loaded and the damage reported.
    if (this.#failure !== null && this.target.catalog.size === 0) throw this.#failure;
    this.target.closeUnusedPacks();
    return true;
  }

  #look(store: Store): void {
    const { catalog } = this.target;
    const last = Math.min(this.#hashes.length, this.#looked + stepRecords);
    while (this.#looked < last) {
      const visual = this.#visual(store, this.#hashes[this.#looked++] as string);
      const known = visual === null ? undefined : catalog.get(visual.hash_str);
      if (visual === null || known?.revision === visual.revision) continue;
      const { hash_str: hash, generation, frame_runs, extents } = visual;
      const rows = countFrames(frame_runs);
      this.#wanted.push({ hash, generation, row: extents[0]?.row ?? 0, rows });
      // Rows that are replaced are free when the next ones are read.
      this.#more += Math.max(0, rows - (known?.frames.length ?? 0));
    }
    if (last < this.#hashes.length) return;
    // The packs are read front to back.
    this.#wanted.sort((a, b) => a.generation - b.generation || a.row - b.row);
    this.target.bank.expect(this.#more);
  }

  /** Null for what cannot be loaded. */
  #visual(store: Store, hash: string): Visual | null {
    const { modelKey, dimensions } = this.target;
    const read = readable(() => ({ visual: store.visual.stage(modelKey, hash) }));
    if (read === null) this.#unreadable.add(hash);
    else if (read.visual?.dimensions === dimensions) return read.visual;
    else if (!this.#isWhole) this.#missing.push(hash);
    return null;
  }

  /** The records are read once more: a stage may have been stored again, or moved, since they were looked up. */
  #read(store: Store, pause: () => void): void {
    const visuals: Visual[] = [];
    const last = Math.min(this.#wanted.length, this.#next + stepRecords);
    for (let bytes = 0; this.#next < last && bytes < stepBytes; ) {
      const { hash, rows } = this.#wanted[this.#next++] as Wanted;
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
