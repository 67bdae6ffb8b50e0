// The vectors of one folder and one model that are in memory, and how they get there: the 8-bit rows of each
// content are read straight into the memory that the scan runs over.
import { crc32 } from 'node:zlib';
import type { EngineError } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import { storeErrors } from '../store/contract.ts';
import { readable } from '../store/faults.ts';
import type { PictureVectorsRow } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { rowsIn, type StageRows, scenedOf } from '../store/visual-stages.ts';
import { Catalog, type LoadedMedia, type RowRun } from './catalog.ts';
import type { LoadReport } from './contract.ts';
import { ScaleCache } from './scale-cache.ts';
import type { SearchedVectors } from './search.ts';
import { RowBank } from './segment.ts';

/** Bytes between two looks at whether to stop. */
const readBytes = 1 << 20;
/** Contents whose 16-bit rows stay open; usual systems let a process open 4,096 files or more. */
const mostOpen = 2048;

export class LoadedVectors {
  readonly folder: string;
  /** Identity of the loaded records; a folder that was replaced has another. */
  readonly source: string;
  readonly modelKey: string;
  readonly dimensions: number;
  readonly catalog = new Catalog();
  readonly cache = new ScaleCache();
  readonly bank: RowBank;
  /** Rows by content, those opened last; null if they cannot be read. */
  readonly #open = new Map<string, StageRows | null>();
  readonly #log: Log;

  constructor(
    store: Store,
    { modelKey, dimensions }: Pick<LoadedVectors, 'modelKey' | 'dimensions'>,
    log: Log,
    segmentBytes?: number,
  ) {
    this.folder = store.folder;
    this.source = store.identity;
    this.modelKey = modelKey;
    this.dimensions = dimensions;
    this.bank = new RowBank(dimensions, segmentBytes);
    this.#log = log;
  }

  /**
   * Loads the stages that are not loaded yet, in the place of earlier ones of the same media. `pause` is
   * called between reads and may throw to stop: then what was not whole by then is not loaded. Hashes whose
   * data is damaged go to `unreadable`. Answers what keeps a bundle from being read.
   */
  add(
    store: Store,
    visuals: readonly PictureVectorsRow[],
    unreadable: Set<string>,
    pause: () => void,
  ): EngineError | null {
    let failure: EngineError | null = null;
    let bytes = 0;
    for (const visual of visuals) {
      if (this.catalog.get(visual.hash_str)?.revision === visual.revision) continue;
      if (bytes >= readBytes) bytes = 0;
      if (bytes === 0) pause();
      const media = this.#mediaOf(store, visual);
      bytes += media.frames.length * this.bank.stride;
      failure = this.#load(store, visual, media, unreadable, pause) ?? failure;
    }
    return failure;
  }

  #load(
    store: Store,
    visual: PictureVectorsRow,
    media: LoadedMedia,
    unreadable: Set<string>,
    pause: () => void,
  ): EngineError | null {
    const runs: RowRun[] = [];
    let isWhole = false;
    let rows: StageRows | null = null;
    try {
      rows = store.visual.rows(visual);
      isWhole = this.#readRuns(rows, media, runs, pause) === visual.crc;
      if (!isWhole) this.#log.warn('Stored vectors are damaged', { file: rows.file, hash: media.hash });
      return null;
    } catch (error) {
      if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
      this.#log.warn('Stored vectors cannot be read', { hash: media.hash, reason: error.message });
      return error;
    } finally {
      rows?.close();
      if (isWhole) this.#take(media, runs);
      else {
        unreadable.add(media.hash);
        this.#release(runs);
      }
    }
  }

  #take(media: LoadedMedia, runs: RowRun[]): void {
    this.cache.clear();
    this.#close(media.hash);
    this.#release(this.catalog.add(media, runs));
  }

  /** Answers the checksum of the rows. */
  #readRuns(rows: StageRows, media: LoadedMedia, runs: RowRun[], pause: () => void): number {
    const most = Math.max(1, Math.floor(readBytes / this.bank.stride));
    let crc = 0;
    for (let position = 0; position < media.frames.length; ) {
      if (position > 0) pause();
      const requestedRows = Math.min(most, media.frames.length - position);
      const { row, count } = this.bank.allocate(requestedRows);
      runs.push({ media, row, count, position });
      crc = this.bank.fill(row, count, (bytes) => {
        rows.read8(position, bytes);
        return crc32(bytes, crc);
      });
      position += count;
    }
    return crc;
  }

  /**
   * Brings what is loaded of these contents into step with the folder: what was removed goes, what was stored
   * again is loaded again, what moved has its new path.
   */
  follow(store: Store, hashes: Iterable<string>): void {
    for (const hash of hashes) {
      const media = this.catalog.get(hash);
      if (media === undefined) continue;
      const read = readable(() => ({ visual: store.visual.stage(this.modelKey, hash) }));
      if (read?.visual === null) {
        this.cache.clear();
        this.#close(hash);
        this.#release(this.catalog.remove(hash));
      } else if (read !== null && read.visual.revision !== media.revision) {
        if (read.visual.dimensions === this.dimensions) this.add(store, [read.visual], new Set(), () => {});
      } else media.path = readable(() => store.media.pathOf(hash)) ?? media.path;
    }
  }

  #release(runs: readonly RowRun[]): void {
    for (const { row, count } of runs) this.bank.release(row, count);
  }

  #mediaOf(store: Store, visual: PictureVectorsRow): LoadedMedia {
    const { hash, frames, file, start } = rowsIn(visual);
    return {
      ...{ hash, frames, file, start },
      path: store.media.pathOf(hash) ?? '',
      revision: visual.revision,
      ...scenedOf(visual),
    };
  }

  /** Data of a search. *Borrowed until the next load or drop*. */
  searched(store: Store, pause: () => void): SearchedVectors {
    const fine: SearchedVectors['fine'] = (run, row, count) => this.#fine(store, run, row, count);
    return { bank: this.bank, catalog: this.catalog, fine, pause };
  }

  #fine(store: Store, run: RowRun, row: number, count: number): (Float32Array | null)[] {
    const { media } = run;
    const rows = this.#rowsOf(store, media);
    const position = run.position + row - run.row;
    const read = () => rows?.vectors(position, count) ?? Array.from({ length: count }, () => null);
    const vectors = readable(read, (error) => {
      if (count > 1) return;
      this.#log.warn('16-bit vectors cannot be read', { hash: media.hash, reason: error.message });
    });
    if (vectors === null && count === 1) return [null];
    if (vectors === null)
      return Array.from({ length: count }, (_, i) => this.#fine(store, run, row + i, 1)[0]!);
    for (const [i, vector] of vectors.entries()) {
      if (vector !== null || rows === null) continue;
      const [file, frame] = [rows.file, media.frames[position + i]!];
      this.#log.warn('A 16-bit vector is damaged, its 8-bit score is used', {
        file,
        hash: media.hash,
        frame,
      });
    }
    return vectors;
  }

  /** Null where they cannot be read, or are not those that are loaded any more. */
  #rowsOf(store: Store, media: LoadedMedia): StageRows | null {
    const cachedRows = this.#open.get(media.hash);
    if (cachedRows !== undefined) return cachedRows;
    const opened = readable(
      () => store.visual.rows16(this.modelKey, { ...media, dimensions: this.dimensions }),
      (error) => this.#log.warn('16-bit vectors cannot be read', { hash: media.hash, reason: error.message }),
    );
    this.#open.set(media.hash, opened);
    for (const hash of this.#open.keys()) {
      if (this.#open.size <= mostOpen) break;
      this.#close(hash);
    }
    return opened;
  }

  #close(hash: string): void {
    this.#open.get(hash)?.close();
    this.#open.delete(hash);
  }

  report(missing: string[], unreadable: ReadonlySet<string>): LoadReport {
    return {
      media: this.catalog.size,
      vectors: this.catalog.vectors,
      missing,
      unreadable: [...unreadable].sort(),
    };
  }

  close(): void {
    for (const hash of [...this.#open.keys()]) this.#close(hash);
    void this.bank.close();
  }
}
