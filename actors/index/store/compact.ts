// Rewrites the packs of one model without what nobody refers to any more, in steps between which searches
// run. The rows are copied into new files first, which nobody refers to; then the records of the stages are
// moved over. A crash before that leaves the old files in force, a crash within it both of them, which the
// next compaction makes one.
import { rmSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Disk } from './disk.ts';
import type { Environment, Writes } from './environment.ts';
import { damaged, readable } from './faults.ts';
import { readModel } from './model.ts';
import { modelRecordKey, stagePrefix } from './names.ts';
import { hasOtherGenerations, Packs, removeOtherGenerations } from './packs.ts';
import { Model, Visual } from './records.ts';
import { type Extent, seal, unseal } from './table.ts';

/** What one step does at most. */
export interface CompactionStep {
  /** Records that are read, or copied, or moved. */
  readonly records: number;
  /** Of rows that are copied. */
  readonly bytes: number;
}

/** Some 5 ms. */
export const usualStep: CompactionStep = { records: 256, bytes: 2 << 20 };

export interface CompactionParts {
  readonly folder: string;
  readonly environment: Environment;
  readonly on: Disk;
  readonly size: CompactionStep;
  /** Throws when this writer may not write any more. */
  readonly confirm: (writes: Writes) => void;
}

/** Packs with less garbage are not worth it. */
export const leastGarbageRows = 4096;

/**
 * What begins a compaction: when more than half of the packs is garbage, or there are files of earlier ones.
 * Else null.
 */
export function compactionDue(
  parts: CompactionParts,
  modelKey: string,
  leastGarbage = leastGarbageRows,
): (() => Compaction) | null {
  const model = readModel(parts.environment, modelKey);
  if (model === null) return null;
  const garbage = model.rows - model.live;
  const rewrites = garbage > model.live && garbage >= leastGarbage;
  const others = hasOtherGenerations(parts.folder, modelKey, model.generation);
  return rewrites || others ? () => new Compaction(parts, model, rewrites) : null;
}

/** A stage that is to be moved. */
interface Entry {
  readonly key: string;
  /** Its record: one that is another by then was stored or removed meanwhile. */
  readonly before: Uint8Array;
  readonly generation: number;
  readonly row: number;
}

interface Moved extends Entry {
  readonly after: Uint8Array;
  readonly rows: number;
}

export class Compaction {
  readonly #parts: CompactionParts;
  readonly #model: Model;
  readonly #rewrites: boolean;
  readonly #generation: number;
  readonly #work: Generator<void, void>;
  readonly #from = new Map<number, Packs | null>();
  /** Generations in which something stays. */
  readonly #kept = new Set<number>();
  readonly #moved: Moved[] = [];
  /** Rows in the new packs. */
  #rows = 0;
  #live = 0;
  #isNamed = false;

  /** `rewrites`: false for files that a crash left behind, and nothing else. */
  constructor(parts: CompactionParts, model: Model, rewrites: boolean) {
    this.#parts = parts;
    this.#rewrites = rewrites;
    this.#model = model;
    this.#generation = model.next_generation;
    this.#work = this.#run();
  }

  /** Records name the new packs, or may: it has to be finished. */
  get isPublishing(): boolean {
    return this.#isNamed;
  }

  /**
   * Does a part; true when it is done. After an error it has ended, and nothing is lost: STORE_FULL and the
   * like, and STORE_DAMAGED for a row that is broken, since its media is still known by the old files.
   */
  step(): boolean {
    return this.#work.next().done === true;
  }

  /** Ends it; what was copied goes. */
  abandon(): void {
    this.#work.return();
  }

  *#run(): Generator<void, void> {
    const { folder } = this.#parts;
    const { model_key, generation } = this.#model;
    const entries = yield* this.#look();
    if (this.#rewrites) yield* this.#rewrite(entries);
    else for (const one of [...entries, { generation }]) this.#kept.add(one.generation);
    yield;
    removeOtherGenerations(folder, model_key, this.#kept);
  }

  *#rewrite(entries: readonly Entry[]): Generator<void, void> {
    const { folder, on } = this.#parts;
    const { model_key: modelKey, dimensions } = this.#model;
    const to = Packs.create(folder, { modelKey, dimensions, generation: this.#generation }, on);
    try {
      yield;
      yield* this.#copy(entries, to);
      yield* this.#publish();
      this.#kept.add(this.#generation);
    } finally {
      const unused = this.#isNamed ? [] : currentFiles(to);
      for (const packs of [...this.#from.values(), to]) packs?.close();
      for (const file of unused) rmSync(file, { force: true });
    }
  }

  /** In the order in which their rows lie in the old packs. */
  *#look(): Generator<void, Entry[]> {
    const { environment, size } = this.#parts;
    const { model_key, dimensions } = this.#model;
    const entries: Entry[] = [];
    const prefix = stagePrefix(model_key);
    for (let last: string | null = null; ; ) {
      yield;
      const keys = environment.someKeys(prefix, last, size.records);
      for (const key of keys) {
        const before = environment.get(key);
        if (before === undefined) continue;
        const visual = unseal(Visual, key, before, environment.file);
        // Vectors of another length count as missing.
        if (visual.dimensions !== dimensions && this.#rewrites) continue;
        entries.push({ key, before, generation: visual.generation, row: visual.extents[0]?.row ?? 0 });
      }
      last = keys.at(-1) ?? null;
      if (keys.length < size.records) break;
    }
    return entries.sort((a, b) => a.generation - b.generation || a.row - b.row);
  }

  *#copy(entries: readonly Entry[], to: Packs): Generator<void, void> {
    const { environment, size } = this.#parts;
    const most = Math.max(1, Math.floor(size.bytes / (to.coarse.stride + to.fine.stride)));
    let [rows, records] = [0, 0];
    for (const entry of entries) {
      const { key, before, generation } = entry;
      const visual = unseal(Visual, key, before, environment.file);
      const from = this.#open(generation);
      const start = this.#rows;
      const extent = { row: start, count: 0, crc: 0 };
      let isWhole = from !== null;
      for (const part of isWhole ? visual.extents : []) {
        let own = 0;
        for (let done = 0; done < part.count && isWhole; ) {
          if (rows >= most || records >= size.records) {
            to.flush();
            [rows, records] = [0, 0];
            yield;
          }
          const count = Math.min(most - rows, part.count - done);
          const coarse = readable(() => copyRows(from as Packs, to, part.row + done, this.#rows, count));
          isWhole = coarse !== null;
          if (coarse === null) break;
          extent.crc = crc32(coarse, extent.crc);
          own = crc32(coarse, own);
          this.#rows += count;
          done += count;
          rows += count;
        }
        isWhole &&= own === part.crc;
        extent.count += part.count;
      }
      records++;
      if (isWhole) this.#add(entry, visual, extent);
      else this.#leave(generation, start);
    }
    to.flush();
    yield;
  }

  /** Null for packs of earlier times that cannot be read. */
  #open(generation: number): Packs | null {
    const known = this.#from.get(generation);
    if (known !== undefined) return known;
    const { model_key: modelKey, dimensions } = this.#model;
    const open = () => Packs.open(this.#parts.folder, { modelKey, dimensions, generation });
    const packs = generation === this.#model.generation ? open() : readable(open);
    this.#from.set(generation, packs);
    return packs;
  }

  #add(entry: Entry, visual: Visual, extent: Extent): void {
    const row = { ...visual, generation: this.#generation, extents: [extent] };
    this.#moved.push({ ...entry, after: seal(Visual, entry.key, row), rows: extent.count });
  }

  /** To rewrite a large pack for the sake of most of it, and keep it for the rest, gains nothing. */
  #leave(generation: number, start: number): void {
    if (generation === this.#model.generation) {
      throw damaged(this.#from.get(generation)?.coarse.file ?? '', 'some of its rows are broken');
    }
    this.#kept.add(generation);
    this.#rows = start;
  }

  *#publish(): Generator<void, void> {
    const { records } = this.#parts.size;
    for (let at = 0; ; at += records) {
      const isLast = at + records >= this.#moved.length;
      this.#parts.environment.transact((writes) => {
        this.#parts.confirm(writes);
        for (const moved of this.#moved.slice(at, at + records)) this.#move(writes, moved);
        this.#putModel(writes, isLast);
        this.#isNamed = true;
      });
      if (isLast) return;
      yield;
    }
  }

  #move(writes: Writes, { key, before, after, generation, rows }: Moved): void {
    const now = writes.get(key);
    if (now === undefined) return;
    if (Buffer.compare(now, before) === 0) {
      writes.put(key, after);
      this.#live += rows;
    } else this.#kept.add(generation);
  }

  /** From the first on no other pack gets the generation of these. */
  #putModel(writes: Writes, isLast: boolean): void {
    const key = modelRecordKey(this.#model.model_key);
    const bytes = writes.get(key);
    const file = this.#parts.environment.file;
    const now = bytes === undefined ? null : readable(() => unseal(Model, key, bytes, file));
    const model = { ...(now ?? this.#model), next_generation: this.#generation + 1 };
    const whole = { ...model, generation: this.#generation, rows: this.#rows, live: this.#live };
    writes.put(key, seal(Model, key, isLast ? whole : model));
  }
}

/** Answers the 8-bit rows, of which the checksums are. */
function copyRows(from: Packs, to: Packs, row: number, into: number, count: number): Uint8Array {
  const coarse = new Uint8Array(count * from.coarse.stride);
  const fine = new Uint8Array(count * from.fine.stride);
  from.coarse.read(row, coarse);
  from.fine.read(row, fine);
  to.coarse.write(into, coarse);
  to.fine.write(into, fine);
  return coarse;
}

/**
 * Those that still have their names: where another folder took the place of this one, its files have them.
 */
function currentFiles({ coarse, fine }: Packs): string[] {
  return [coarse, fine].filter(({ isCurrent }) => isCurrent).map(({ file }) => file);
}
