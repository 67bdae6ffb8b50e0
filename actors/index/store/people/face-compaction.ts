// Rewrites the packs of a pair of face models without what belongs to no face any more, in steps between
// which searches run: vectors and pictures are copied into new files which nobody refers to, then the records
// are moved over. What was deleted leaves the disk with it.
import { rmSync } from 'node:fs';
import { stride16 } from '../../visual/quantize.ts';
import { type CompactionParts, type CompactionWork, leastGarbageRows } from '../compactor.ts';
import type { Writes } from '../environment.ts';
import { readable } from '../faults.ts';
import { encodeModelKey, faceModelKey, facePlacesKey, facesPrefix } from '../names.ts';
import { FaceModel, FacePlaces } from '../records.ts';
import { seal, unseal } from '../table.ts';
import { placeBytes, readPlace, writePlace } from './crop-pack.ts';
import { readFaceModel } from './face-model.ts';
import { FacePacks, hasOtherFacePacks, removeOtherFacePacks } from './face-packs.ts';

/** Pictures that are copied together, at most. */
const mostTogether = 1 << 20;

/**
 * What begins one: when most of the packs is garbage, something was deleted, or there are files of earlier
 * ones. Else null.
 */
export function faceCompactionDue(
  parts: CompactionParts,
  modelKey: string,
  leastGarbage = leastGarbageRows,
): (() => FaceCompaction) | null {
  const model = readFaceModel(parts.environment, modelKey);
  if (model === null) return null;
  const garbage = model.rows - model.live;
  const rewrites = model.erases > 0 || (garbage > model.live && garbage >= leastGarbage);
  const others = hasOtherFacePacks(parts.folder, modelKey, model.generation);
  return rewrites || others ? () => new FaceCompaction(parts, model, rewrites) : null;
}

interface Entry {
  readonly key: string;
  /** Its record: one that is another by then was stored or removed meanwhile. */
  readonly before: Uint8Array;
  readonly generation: number;
  readonly row: number;
}

export class FaceCompaction implements CompactionWork {
  readonly #parts: CompactionParts;
  readonly #model: FaceModel;
  readonly #rewrites: boolean;
  readonly #generation: number;
  readonly #work: Generator<void, void>;
  readonly #from = new Map<number, FacePacks | null>();
  /** Generations in which something stays. */
  readonly #kept = new Set<number>();
  readonly #moved: (Entry & { readonly after: Uint8Array; readonly rows: number; readonly bytes: number })[] =
    [];
  #rows = 0;
  #end = 0;
  #live = 0;
  #cropsLive = 0;
  #isNamed = false;
  /** Copied since the last pause. */
  #copied = 0;

  constructor(parts: CompactionParts, model: FaceModel, rewrites: boolean) {
    this.#parts = parts;
    this.#model = model;
    this.#rewrites = rewrites;
    this.#generation = model.next_generation;
    this.#work = this.#run();
  }

  get isPublishing(): boolean {
    return this.#isNamed;
  }

  /** After an error it has ended, and nothing is lost. */
  step(): boolean {
    return this.#work.next().done === true;
  }

  abandon(): void {
    this.#work.return();
  }

  *#run(): Generator<void, void> {
    const { model_key, generation } = this.#model;
    const entries = yield* this.#look();
    if (this.#rewrites) yield* this.#rewrite(entries);
    else for (const one of [...entries, { generation }]) this.#kept.add(one.generation);
    yield;
    removeOtherFacePacks(this.#parts.folder, model_key, this.#kept);
  }

  *#rewrite(entries: readonly Entry[]): Generator<void, void> {
    const { folder, on } = this.#parts;
    const { model_key: modelKey, dimensions } = this.#model;
    const to = FacePacks.create(folder, { modelKey, dimensions, generation: this.#generation }, on);
    try {
      yield;
      yield* this.#copy(entries, to);
      yield* this.#publish();
      this.#kept.add(this.#generation);
    } finally {
      const unused = this.#isNamed ? [] : [to.vectors, to.crops].filter(({ isCurrent }) => isCurrent);
      for (const packs of [...this.#from.values(), to]) packs?.close();
      for (const { file } of unused) rmSync(file, { force: true });
    }
  }

  /** In the order in which they lie in the old packs. */
  *#look(): Generator<void, Entry[]> {
    const { environment, size } = this.#parts;
    const model = encodeModelKey(this.#model.model_key);
    const prefix = facesPrefix(model);
    const entries: Entry[] = [];
    for (let last: string | null = null; ; ) {
      yield;
      const keys = environment.someKeys(prefix, last, size.records);
      for (const one of keys) {
        const key = facePlacesKey(model, one.slice(prefix.length));
        const before = environment.get(key);
        const places = before && readable(() => unseal(FacePlaces, key, before, environment.file));
        // What is damaged has to be found again anyway.
        if (!before || !places) continue;
        entries.push({ key, before, generation: places.generation, row: places.rows[0] ?? 0 });
      }
      last = keys.at(-1) ?? null;
      if (keys.length < size.records) break;
    }
    return entries.sort((a, b) => a.generation - b.generation || a.row - b.row);
  }

  *#copy(entries: readonly Entry[], to: FacePacks): Generator<void, void> {
    const { environment, size } = this.#parts;
    let records = 0;
    for (const entry of entries) {
      const places = unseal(FacePlaces, entry.key, entry.before, environment.file);
      if (places.rows.length === 0) continue;
      const from = this.#open(entry.generation);
      const [row, end] = [this.#rows, this.#end];
      let isWhole = from !== null;
      if (from !== null) {
        isWhole = yield* this.#copyRows(from, to, places.rows);
        if (isWhole) isWhole = yield* this.#copyCrops(from, to, places.crops);
      }
      if (isWhole) this.#add(entry, places, row, end);
      else {
        // Its media is known by the old file, and told as unreadable. Where something was deleted no old file
        // stays: it is told as unreadable without one too.
        if (this.#model.erases === 0) this.#kept.add(entry.generation);
        [this.#rows, this.#end] = [row, end];
      }
      if (++records % size.records === 0) yield;
    }
    to.flush();
    yield;
  }

  #open(generation: number): FacePacks | null {
    const known = this.#from.get(generation);
    if (known !== undefined) return known;
    const { model_key: modelKey, dimensions } = this.#model;
    const packs = readable(() => FacePacks.open(this.#parts.folder, { modelKey, dimensions, generation }));
    this.#from.set(generation, packs);
    return packs;
  }

  *#copyRows(from: FacePacks, to: FacePacks, rows: Uint32Array): Generator<void, boolean> {
    const stride = stride16(this.#model.dimensions);
    const most = Math.max(1, Math.floor(this.#parts.size.bytes / stride));
    for (let at = 0; at < rows.length; ) {
      let count = 1;
      while (count < most && at + count < rows.length && rows[at + count] === rows[at]! + count) count++;
      const bytes = new Uint8Array(count * stride);
      const isRead = readable(() => {
        from.vectors.read(rows[at]!, bytes);
        return true;
      });
      if (isRead === null) return false;
      to.vectors.write(this.#rows, bytes);
      this.#rows += count;
      at += count;
      yield* this.#pause(bytes.byteLength, to);
    }
    return true;
  }

  *#copyCrops(from: FacePacks, to: FacePacks, crops: Uint8Array): Generator<void, boolean> {
    const count = crops.length / placeBytes;
    for (let at = 0; at < count; ) {
      const start = readPlace(crops, at).offset;
      let end = start;
      // Pictures that lie side by side are copied together.
      for (; at < count && end - start < mostTogether; at++) {
        const { offset, aligned, display } = readPlace(crops, at);
        if (offset !== end) break;
        end += aligned + display;
      }
      const bytes = readable(() => from.crops.bytes(start, end - start));
      if (bytes === null) return false;
      to.crops.write(this.#end, bytes);
      this.#end += bytes.byteLength;
      yield* this.#pause(bytes.byteLength, to);
    }
    return true;
  }

  *#pause(bytes: number, to: FacePacks): Generator<void, void> {
    this.#copied += bytes;
    if (this.#copied < this.#parts.size.bytes) return;
    this.#copied = 0;
    to.flush();
    yield;
  }

  #add(entry: Entry, places: FacePlaces, row: number, start: number): void {
    const rows = places.rows.map((_, i) => row + i);
    const crops = new Uint8Array(places.crops.length);
    let offset = start;
    for (let at = 0; at * placeBytes < crops.length; at++) {
      const place = readPlace(places.crops, at);
      writePlace(crops, at, { ...place, offset });
      offset += place.aligned + place.display;
    }
    const after = seal(FacePlaces, entry.key, { generation: this.#generation, rows, crops });
    this.#moved.push({ ...entry, after, rows: rows.length, bytes: offset - start });
  }

  *#publish(): Generator<void, void> {
    const { records } = this.#parts.size;
    for (let at = 0; ; at += records) {
      const isLast = at + records >= this.#moved.length;
      this.#parts.environment.transact((writes) => {
        this.#parts.confirm(writes);
        for (const moved of this.#moved.slice(at, at + records)) {
          const now = writes.get(moved.key);
          if (now === undefined) continue;
          if (Buffer.compare(now, moved.before) === 0) {
            writes.put(moved.key, moved.after);
            this.#live += moved.rows;
            this.#cropsLive += moved.bytes;
          } else this.#kept.add(moved.generation);
        }
        this.#putModel(writes, isLast);
        this.#isNamed = true;
      });
      if (isLast) return;
      yield;
    }
  }

  /** From the first on no other pack gets the generation of these. */
  #putModel(writes: Writes, isLast: boolean): void {
    const key = faceModelKey(this.#model.model_key);
    const bytes = writes.get(key);
    const { file } = this.#parts.environment;
    const now = bytes === undefined ? null : readable(() => unseal(FaceModel, key, bytes, file));
    const model = { ...(now ?? this.#model), next_generation: this.#generation + 1 };
    const whole = {
      ...model,
      generation: this.#generation,
      rows: this.#rows,
      live: this.#live,
      crops_end: this.#end,
      crops_live: this.#cropsLive,
      erases: 0,
    };
    writes.put(key, seal(FaceModel, key, isLast ? whole : model));
  }
}
