// The vectors of one folder and one model that are in memory, and how they get there: the packs are read front to back,
// many files at once, straight into the memory the scan runs over.
import { crc32 } from 'node:zlib';
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
import type { Searched } from './search.ts';
import { RowBank } from './segment.ts';

/** Bytes of one read: still in the cache when its checksum is taken. */
const readBytes = 1 << 20;
/** Rows of replaced stages that may stay in memory whatever their share. */
const leastDeadRows = 65536;

/** Rows of the packs to be read for one media. */
interface Piece {
  readonly visual: Visual;
  readonly extent: Extent;
  readonly row: number;
  readonly count: number;
  readonly position: number;
}

interface Gathered {
  readonly runs: Run[];
  readonly crcs: Map<Extent, number>;
}

export class LoadedVectors {
  readonly folder: string;
  /** Of the records that name what is loaded: a folder that was replaced has others. */
  readonly source: string;
  readonly modelKey: string;
  readonly dimensions: number;
  readonly catalog = new Catalog();
  readonly bank: RowBank;
  readonly #packs: Packs[] = [];
  readonly #log: Log;

  constructor(store: Store, modelKey: string, dimensions: number, log: Log, segmentBytes?: number) {
    this.folder = store.folder;
    this.source = store.identity;
    this.modelKey = modelKey;
    this.dimensions = dimensions;
    this.bank = new RowBank(dimensions, segmentBytes);
    this.#log = log;
  }

  /** True when so much in memory was replaced that loading everything anew is the better way. */
  get isFragmented(): boolean {
    return this.bank.rows - this.catalog.vectors > Math.max(leastDeadRows, this.catalog.vectors);
  }

  /**
   * Loads the stages that are not loaded yet. `pause` is called between reads and may throw to stop: then nothing of
   * this call stays. Hashes whose data is damaged go to `unreadable`.
   */
  add(store: Store, visuals: readonly Visual[], unreadable: Set<string>, pause: () => void): void {
    const wanted = visuals.filter((visual) => {
      const known = this.catalog.get(visual.hash_str);
      return known === undefined || known.revision !== visual.revision;
    });
    const before = this.bank.rows;
    try {
      const media = wanted.map((visual) => [visual, this.#mediaOf(store, visual)] as const);
      const runs = this.#read(store, new Map(media), unreadable, pause);
      for (const [visual, one] of media) {
        if (!unreadable.has(visual.hash_str)) this.catalog.add(one, runs.get(visual) ?? []);
      }
    } catch (error) {
      this.bank.rewind(before);
      throw error;
    }
  }

  /** Brings what is loaded into step with a folder from which media were removed, or in which they moved. */
  sweep(store: Store): void {
    for (const hash of this.catalog.hashes()) {
      const media = this.catalog.get(hash);
      if (!store.visual.has(this.modelKey, hash)) this.catalog.remove(hash);
      else if (media) media.path = readable(() => store.media.pathOf(hash)) ?? media.path;
    }
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
    unreadable: Set<string>,
    pause: () => void,
  ): Map<Visual, Run[]> {
    const runs = new Map<Visual, Run[]>();
    const generations = Map.groupBy(media.keys(), (visual) => visual.generation);
    let [opened, failure]: [number, unknown] = [0, null];
    for (const visuals of generations.values()) {
      const index = this.#open(store, visuals[0] as Visual);
      if (typeof index !== 'number') {
        failure = index;
        for (const visual of visuals) unreadable.add(visual.hash_str);
        continue;
      }
      opened++;
      const gathered = this.#readPacks(index, visuals, media, unreadable, pause);
      for (const [visual, { runs: own }] of gathered) runs.set(visual, own);
    }
    // When there is nothing but damage, the file is named; otherwise the rest is loaded and the damage reported.
    if (opened === 0 && failure !== null && this.catalog.size === 0) throw failure;
    return runs;
  }

  /** Which of the packs holds a stage: those that are open already while they are the files of that name. */
  #open(store: Store, visual: Visual): number | Error {
    const { generation, dimensions } = visual;
    const known = this.#packs.findLastIndex(
      (one) => one.shape.generation === generation && one.shape.dimensions === dimensions,
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
    media: ReadonlyMap<Visual, LoadedMedia>,
    unreadable: Set<string>,
    pause: () => void,
  ): Map<Visual, Gathered> {
    const packs = this.#packs[index] as Packs;
    const gathered = new Map(visuals.map((visual) => [visual, { runs: [], crcs: new Map() } as Gathered]));
    const queue = this.#pieces(packs, visuals, unreadable);
    this.bank.expect(queue.reduce((sum, piece) => sum + piece.count, 0));
    for (let first = 0; first < queue.length; ) {
      pause();
      const [batch, rows] = batchOf(queue, first, this.bank.stride);
      const room = this.bank.allocate(rows);
      const bytes = this.bank.bytes(room.row, room.count);
      packs.coarse.read((batch[0] as Piece).row, bytes);
      let taken = 0;
      for (const piece of batch) {
        const count = Math.min(piece.count, room.count - taken);
        if (count === 0) break;
        const { runs, crcs } = gathered.get(piece.visual) as Gathered;
        const part = bytes.subarray(taken * this.bank.stride, (taken + count) * this.bank.stride);
        crcs.set(piece.extent, crc32(part, crcs.get(piece.extent) ?? 0));
        runs.push({
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
    }
    this.#reportBroken(packs, gathered, unreadable);
    return gathered;
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

  #reportBroken(packs: Packs, gathered: ReadonlyMap<Visual, Gathered>, unreadable: Set<string>): void {
    for (const [visual, { crcs }] of gathered) {
      if (![...crcs].some(([extent, crc]) => extent.crc !== crc)) continue;
      unreadable.add(visual.hash_str);
      this.#log.warn('Stored vectors are damaged', { file: packs.coarse.file, hash: visual.hash_str });
    }
  }

  /** What a search runs over. *Borrowed until the next load or drop*. */
  searched(pause: () => void): Searched {
    return { bank: this.bank, catalog: this.catalog, fine: (run, row) => this.#fine(run, row), pause };
  }

  #fine(run: Run, row: number): Float32Array | null {
    const { fine } = this.#packs[run.packs] as Packs;
    const offset = row - run.row;
    const frame = run.media.frames[run.position + offset] as number;
    const bytes = new Uint8Array(fine.stride);
    try {
      fine.read(run.stored + offset, bytes);
      const vector = readRow16(bytes, this.dimensions, frame);
      if (vector !== null) return vector;
    } catch (error) {
      if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
    }
    this.#log.warn('A 16-bit vector is damaged, its 8-bit score is used', {
      file: fine.file,
      hash: run.media.hash,
      frame,
    });
    return null;
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
    for (const packs of this.#packs) packs.close();
    this.#packs.length = 0;
  }
}

/** What is left of a piece after its first `count` rows. */
function rest(piece: Piece, count: number): Piece {
  return { ...piece, row: piece.row + count, count: piece.count - count, position: piece.position + count };
}

/** Pieces that lie one after the other in the pack, up to one read; the last one may be taken in part. */
function batchOf(queue: readonly Piece[], first: number, stride: number): [Piece[], number] {
  const most = Math.max(1, Math.floor(readBytes / stride));
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
