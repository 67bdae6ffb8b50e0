// The vectors of one folder and one model that are in memory, and how they get there: the packs are read
// front to back, many files at once, straight into the memory the scan runs over.
import { crc32 } from 'node:zlib';
import type { EngineError } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import { storeErrors } from '../store/contract.ts';
import { readable } from '../store/faults.ts';
import type { Packs } from '../store/packs.ts';
import type { Visual } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { Extent } from '../store/table.ts';
import { Catalog, type LoadedMedia, type Run } from './catalog.ts';
import type { LoadReport } from './contract.ts';
import { unpackFrames } from './frames.ts';
import { readRow16 } from './quantize.ts';
import { ScaleCache } from './scale-cache.ts';
import type { Searched } from './search.ts';
import { RowBank } from './segment.ts';

/** Bytes of one read: still in the cache when its checksum is taken. */
const readBytes = 1 << 20;

/** Rows of the packs to be read for one media. */
interface Piece {
  readonly visual: Visual;
  readonly extent: Extent;
  readonly row: number;
  readonly count: number;
  readonly position: number;
}

export class LoadedVectors {
  readonly folder: string;
  /** Of the records that name what is loaded: a folder that was replaced has others. */
  readonly source: string;
  readonly modelKey: string;
  readonly dimensions: number;
  readonly catalog = new Catalog();
  readonly kept = new ScaleCache();
  readonly bank: RowBank;
  /** Null for those that are closed. */
  readonly #packs: (Packs | null)[] = [];
  readonly #log: Log;

  constructor(store: Store, modelKey: string, dimensions: number, log: Log, segmentBytes?: number) {
    this.folder = store.folder;
    this.source = store.identity;
    this.modelKey = modelKey;
    this.dimensions = dimensions;
    this.bank = new RowBank(dimensions, segmentBytes);
    this.#log = log;
  }

  /**
   * Loads the stages that are not loaded yet, in the place of earlier ones of the same media. `pause` is
   * called between reads and may throw to stop: then nothing of this call stays. Hashes whose data is damaged
   * go to `unreadable`. Answers what keeps a pack from being opened.
   */
  add(
    store: Store,
    visuals: readonly Visual[],
    unreadable: Set<string>,
    pause: () => void,
  ): EngineError | null {
    const wanted = visuals.filter((visual) => {
      const known = this.catalog.get(visual.hash_str);
      return known === undefined || known.revision !== visual.revision;
    });
    const media = new Map(wanted.map((visual) => [visual, this.#mediaOf(store, visual)] as const));
    const runs = new Map<Visual, Run[]>(wanted.map((visual) => [visual, []]));
    try {
      const failure = this.#read(store, media, runs, unreadable, pause);
      for (const [visual, one] of media) {
        if (unreadable.has(visual.hash_str)) continue;
        this.kept.clear();
        this.#release(this.catalog.add(one, runs.get(visual) ?? []));
        runs.delete(visual);
      }
      return failure;
    } finally {
      for (const unused of runs.values()) this.#release(unused);
    }
  }

  /** Brings what is loaded into step with a folder from which media were removed, or in which they moved. */
  sweep(store: Store): void {
    for (const hash of this.catalog.hashes()) {
      const media = this.catalog.get(hash);
      if (!store.visual.has(this.modelKey, hash)) {
        this.kept.clear();
        this.#release(this.catalog.remove(hash));
      } else if (media) media.path = readable(() => store.media.pathOf(hash)) ?? media.path;
    }
  }

  #release(runs: readonly Run[]): void {
    for (const { row, count } of runs) this.bank.release(row, count);
  }

  #mediaOf(store: Store, visual: Visual): LoadedMedia {
    return {
      hash: visual.hash_str,
      path: store.media.pathOf(visual.hash_str) ?? '',
      revision: visual.revision,
      frames: unpackFrames(visual.frame_runs),
      scenes: Int32Array.from(visual.scene_starts),
    };
  }

  #read(
    store: Store,
    media: ReadonlyMap<Visual, LoadedMedia>,
    runs: ReadonlyMap<Visual, Run[]>,
    unreadable: Set<string>,
    pause: () => void,
  ): EngineError | null {
    const generations = Map.groupBy(media.keys(), (visual) => visual.generation);
    let failure: EngineError | null = null;
    for (const visuals of generations.values()) {
      const index = this.#open(store, visuals[0] as Visual);
      if (typeof index === 'number') this.#readPacks(index, visuals, { media, runs }, unreadable, pause);
      else {
        failure = index;
        for (const visual of visuals) unreadable.add(visual.hash_str);
      }
    }
    return failure;
  }

  /** Which of the packs holds a stage: those that are open already while they are the files of that name. */
  #open(store: Store, visual: Visual): number | EngineError {
    const { generation, dimensions } = visual;
    const known = this.#packs.findLastIndex(
      (one) => one?.shape.generation === generation && one.shape.dimensions === dimensions,
    );
    if (known >= 0 && this.#packs[known]?.isCurrent) return known;
    try {
      return this.#packs.push(store.visual.packs(this.modelKey, visual)) - 1;
    } catch (error) {
      if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
      this.#log.warn('A vector pack cannot be read', { reason: error.message });
      return error;
    }
  }

  #readPacks(
    index: number,
    visuals: readonly Visual[],
    { media, runs }: { media: ReadonlyMap<Visual, LoadedMedia>; runs: ReadonlyMap<Visual, Run[]> },
    unreadable: Set<string>,
    pause: () => void,
  ): void {
    const packs = this.#packs[index] as Packs;
    const crcs = new Map(visuals.map((visual) => [visual, new Map<Extent, number>()]));
    const queue = this.#pieces(packs, visuals, unreadable);
    for (let first = 0; first < queue.length; ) {
      pause();
      const most = Math.max(1, Math.floor(readBytes / this.bank.stride));
      const [batch, rows] = batchOf(queue, first, Math.min(most, this.bank.next));
      const room = this.bank.allocate(rows);
      const bytes = this.bank.bytes(room.row, room.count);
      let taken = 0;
      // Entered before they are read, so that a read that fails gives all of them back.
      const parts: [Piece, Uint8Array][] = [];
      for (const piece of batch) {
        const count = Math.min(piece.count, room.count - taken);
        if (count === 0) break;
        parts.push([piece, bytes.subarray(taken * this.bank.stride, (taken + count) * this.bank.stride)]);
        runs.get(piece.visual)?.push({
          media: media.get(piece.visual) as LoadedMedia,
          row: room.row + taken,
          count,
          position: piece.position,
          stored: piece.row,
          packs: index,
        });
        taken += count;
        if (count < piece.count) queue[first] = rest(piece, count);
        else first++;
      }
      packs.coarse.read((batch[0] as Piece).row, bytes);
      for (const [{ visual, extent }, part] of parts) {
        const own = crcs.get(visual) as Map<Extent, number>;
        own.set(extent, crc32(part, own.get(extent) ?? 0));
      }
    }
    this.#reportBroken(packs, crcs, unreadable);
  }

  #pieces(packs: Packs, visuals: readonly Visual[], unreadable: Set<string>): Piece[] {
    const rows = packs.rows();
    const pieces: Piece[] = [];
    for (const visual of visuals) {
      const cut = visual.extents.some((extent) => extent.row + extent.count > rows);
      if (cut) {
        unreadable.add(visual.hash_str);
        this.#log.warn('A vector pack is cut off', { file: packs.coarse.file, hash: visual.hash_str });
        continue;
      }
      let position = 0;
      for (const extent of visual.extents) {
        pieces.push({ visual, extent, row: extent.row, count: extent.count, position });
        position += extent.count;
      }
    }
    return pieces.sort((a, b) => a.row - b.row);
  }

  #reportBroken(
    packs: Packs,
    crcs: ReadonlyMap<Visual, ReadonlyMap<Extent, number>>,
    unreadable: Set<string>,
  ): void {
    for (const [visual, own] of crcs) {
      if (![...own].some(([extent, crc]) => extent.crc !== crc)) continue;
      unreadable.add(visual.hash_str);
      this.#log.warn('Stored vectors are damaged', { file: packs.coarse.file, hash: visual.hash_str });
    }
  }

  /** What a search runs over. *Borrowed until the next load or drop*. */
  searched(pause: () => void): Searched {
    const fine: Searched['fine'] = (run, row, count) => this.#fine(run, row, count);
    return { bank: this.bank, catalog: this.catalog, fine, pause };
  }

  #fine(run: Run, row: number, count: number): (Float32Array | null)[] {
    const { fine } = this.#packs[run.packs] as Packs;
    const offset = row - run.row;
    const bytes = new Uint8Array(count * fine.stride);
    try {
      fine.read(run.stored + offset, bytes);
    } catch (error) {
      if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
      if (count > 1) return Array.from({ length: count }, (_, i) => this.#fine(run, row + i, 1)[0]!);
      this.#warnOf(run, row, fine.file);
      return [null];
    }
    return Array.from({ length: count }, (_, i) => {
      const frame = run.media.frames[run.position + offset + i] as number;
      const vector = readRow16(
        bytes.subarray(i * fine.stride, (i + 1) * fine.stride),
        this.dimensions,
        frame,
      );
      if (vector === null) this.#warnOf(run, row + i, fine.file);
      return vector;
    });
  }

  #warnOf({ media, position, row: first }: Run, row: number, file: string): void {
    const frame = media.frames[position + row - first] as number;
    this.#log.warn('A 16-bit vector is damaged, its 8-bit score is used', { file, hash: media.hash, frame });
  }

  report(missing: string[], unreadable: ReadonlySet<string>): LoadReport {
    return {
      media: this.catalog.size,
      vectors: this.catalog.vectors,
      missing,
      unreadable: [...unreadable].sort(),
    };
  }

  /** Closes packs of which nothing is loaded any more: until then they take their place on the disk. */
  closeUnusedPacks(): void {
    const used = this.catalog.packs();
    for (const [i, packs] of this.#packs.entries()) {
      if (packs === null || used.has(i)) continue;
      packs.close();
      this.#packs[i] = null;
    }
  }

  close(): void {
    for (const packs of this.#packs) packs?.close();
    this.#packs.length = 0;
  }
}

/** What is left of a piece after its first `count` rows. */
function rest(piece: Piece, count: number): Piece {
  return { ...piece, row: piece.row + count, count: piece.count - count, position: piece.position + count };
}

/** Pieces that lie one after the other in the pack, up to `most` rows; the last one may be taken in part. */
function batchOf(queue: readonly Piece[], first: number, most: number): [Piece[], number] {
  const batch: Piece[] = [];
  let rows = 0;
  for (let at = first; at < queue.length && rows < most; at++) {
    const piece = queue[at] as Piece;
    if (batch.length > 0 && piece.row !== (batch[0] as Piece).row + rows) break;
    batch.push(piece);
    rows = Math.min(most, rows + piece.count);
  }
  return [batch, rows];
}
