// Moves what is left of a roll into another one, a few media at a step, each step whole in itself: searches
// run between two of them, and a crash costs nothing.

import { stride16 } from '../../visual/quantize.ts';
import { BundleFile, type Bundles } from '../bundles.ts';
import { storeErrors } from '../contract.ts';
import type { Environment, Transaction } from '../environment.ts';
import { readable } from '../faults.ts';
import { encodeModelKey, faceMembers, faceRollPlace, facesKey } from '../names.ts';
import type { OpenWork } from '../open-work.ts';
import { type FacePlacesRow, type FaceRollRow, FacesRow } from '../records.ts';
import { readRecord } from '../table.ts';
import {
  addFaces,
  deadOf,
  endOfPlaces,
  type FaceTail,
  type FaceTails,
  placeBytes,
  readPlace,
  removeRoll,
  removeUnknownRolls,
  rollsOf,
  takeFaces,
  writePlace,
} from './face-rolls.ts';
import { FaceRecords } from './stored-faces.ts';

export interface MoveStep {
  readonly media: number;
  /** Bytes of copied vectors and pictures. */
  readonly bytes: number;
}

/** Some 5 ms. */
export const usualStep: MoveStep = { media: 256, bytes: 2 << 20 };

/** Fewer faces of nobody are not worth it. */
export const leastDeadFaces = 4096;

export interface MoverParts {
  readonly folder: string;
  readonly environment: Environment;
  readonly bundles: Bundles;
  readonly work: OpenWork;
  readonly tails: FaceTails;
  readonly size: MoveStep;
  readonly least: number;
}

interface Moved {
  readonly hash: string;
  readonly faces: number;
  readonly bytes: number;
  readonly places: FacePlacesRow;
}

export class RollMover {
  readonly #parts: MoverParts;

  constructor(parts: MoverParts) {
    this.#parts = parts;
  }

  /** There is something to do. */
  wants(modelKey: string): boolean {
    const rolls = rollsOf(this.#parts.environment, encodeModelKey(modelKey));
    return rolls.some(({ roll }) => this.#isDue(roll));
  }

  /** When nothing is left, something has to leave the disk, or most of it is of nobody. */
  #isDue(roll: FaceRollRow | null): boolean {
    if (roll === null || roll.live === 0 || roll.erased > 0) return true;
    return deadOf(roll) > roll.live && deadOf(roll) >= this.#parts.least;
  }

  /** True when there is no more to do. Needs the lease, while no stage of the model is open. */
  step(modelKey: string): boolean {
    const { folder, environment, bundles, work, size } = this.#parts;
    const model = encodeModelKey(modelKey);
    for (const { name, roll } of rollsOf(environment, model)) {
      if (!this.#isDue(roll)) continue;
      const prefix = faceMembers(model, name);
      const hashes = environment.someKeys(prefix, null, size.media).map((key) => key.slice(prefix.length));
      if (hashes.length > 0) {
        this.#move(modelKey, name, hashes, roll === null || roll.erased > 0);
        return false;
      }
      environment.transact((writes) => {
        work.confirmIn(writes);
        removeRoll(writes, bundles, modelKey, name);
      });
      bundles.removeGone(environment);
    }
    removeUnknownRolls(folder, environment, modelKey);
    return true;
  }

  #move(modelKey: string, name: string, hashes: readonly string[], isErased: boolean): void {
    const { environment, work, tails, size } = this.#parts;
    const model = encodeModelKey(modelKey);
    const moved: Moved[] = [];
    const lost: string[] = [];
    let tail: FaceTail | null = null;
    const from = readable(() => BundleFile.open(this.#fileOf(modelKey, name)));
    try {
      let bytes = 0;
      for (const hash of hashes) {
        if (bytes >= size.bytes) break;
        if (from !== null) tail ??= tails.of(modelKey, from.about.dimensions, name);
        const move = from && readable(() => this.#copy(model, hash, name, from, tail as FaceTail));
        // Damaged faces stay where they are and are reported as unreadable, even without a roll if their data
        // has to leave the disk.
        if (move) {
          moved.push(move);
          bytes += move.bytes;
        } else if (isErased || from === null) lost.push(hash);
        else throw storeErrors.STORE_DAMAGED(`${this.#fileOf(modelKey, name)}: ${hash} cannot be read`);
      }
      tail?.file.flush();
    } finally {
      from?.close();
    }
    environment.transact((writes) => {
      work.confirmIn(writes);
      this.#put(writes, model, faceRollPlace(modelKey, name), moved, lost);
    });
  }

  #fileOf(modelKey: string, name: string): string {
    return `${this.#parts.folder}/${faceRollPlace(modelKey, name)}`;
  }

  /** Writes what belongs to a content behind the tail. */
  #copy(model: string, hash: string, name: string, from: BundleFile, tail: FaceTail): Moved | null {
    const { environment } = this.#parts;
    const before = new FaceRecords(environment).places(environment, model, hash);
    const count = before.places.length / placeBytes;
    if (!before.file.endsWith(`/${name}.faces`)) return { hash, faces: 0, bytes: 0, places: before };
    const stride = stride16(from.about.dimensions);
    const all = Array.from({ length: count }, (_, at) => readPlace(before.places, at));
    const crops = all.reduce((sum, { aligned, display }) => sum + aligned + display, 0);
    const bytes = new Uint8Array(count * stride + crops);
    const places = new Uint8Array(before.places.length);
    let end = count * stride;
    for (const [at, place] of all.entries()) {
      const size = place.aligned + place.display;
      from.read(place.row, bytes.subarray(at * stride, (at + 1) * stride));
      from.read(place.crops, bytes.subarray(end, end + size));
      writePlace(places, at, { ...place, row: tail.next + at * stride, crops: tail.next + end });
      end += size;
    }
    tail.confirm();
    tail.file.write(tail.next, bytes);
    tail.next += bytes.byteLength;
    return { hash, faces: count, bytes: bytes.byteLength, places: { file: tail.place, places } };
  }

  #put(
    writes: Transaction,
    model: string,
    place: string,
    moved: readonly Moved[],
    lost: readonly string[],
  ): void {
    const { environment } = this.#parts;
    const { file } = environment;
    const records = new FaceRecords(environment);
    const whole = { isWhole: true, isErased: false };
    for (const { hash, faces, places } of moved) {
      takeFaces(writes, { model, place, hash, faces }, whole, file);
      if (places.file === place) continue;
      addFaces(writes, { model, place: places.file, hash, faces }, endOfPlaces(places.places), file);
      records.putPlaces(writes, model, hash, places);
    }
    for (const hash of lost) {
      const faces = readable(() => readRecord(environment, FacesRow, facesKey(model, hash)))?.count ?? 0;
      takeFaces(writes, { model, place, hash, faces }, whole, file);
    }
  }
}
