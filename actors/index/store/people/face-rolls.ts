// The rolls of a pair of face models: bundles with the vectors and pictures of the faces of many media, so
// 100,000 stills are not 100,000 files. A face is removed from the disk by moving what is left of its roll
// into another one, a few media at a time; a roll of which nothing is left goes.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { rmSync } from '../../../../runtime/files/names.ts';
import { stride16 } from '../../visual/quantize.ts';
import { type About, aboutOf, BundleFile, type Bundles } from '../bundles.ts';
import { storeErrors } from '../contract.ts';
import { flushFolder, type StoreDisk } from '../disk.ts';
import type { Environment, Transaction } from '../environment.ts';
import { damaged, readable } from '../faults.ts';
import {
  encodeModelKey,
  faceMembers,
  faceRollKey,
  faceRollPlace,
  faceRollPrefix,
  faceRolls,
} from '../names.ts';
import { FaceRollRow } from '../records.ts';
import { seal, unseal } from '../table.ts';

/**
 * Bytes of one face's place: where its vector and its pictures begin (64 bits, floating), two sizes, two
 * checksums.
 */
export const placeBytes = 32;

/** The pictures of a face lie one behind the other. */
export interface FacePlace {
  readonly row: number;
  readonly crops: number;
  readonly aligned: number;
  readonly display: number;
  readonly alignedCrc: number;
  readonly displayCrc: number;
}

export function writePlace(places: Uint8Array, at: number, place: FacePlace): void {
  const view = new DataView(places.buffer, places.byteOffset + at * placeBytes, placeBytes);
  view.setFloat64(0, place.row, true);
  view.setFloat64(8, place.crops, true);
  const { aligned, display, alignedCrc, displayCrc } = place;
  for (const [i, field] of [aligned, display, alignedCrc, displayCrc].entries())
    view.setUint32(16 + i * 4, field, true);
}

export function readPlace(places: Uint8Array, at: number): FacePlace {
  const view = new DataView(places.buffer, places.byteOffset + at * placeBytes, placeBytes);
  return {
    row: view.getFloat64(0, true),
    crops: view.getFloat64(8, true),
    aligned: view.getUint32(16, true),
    display: view.getUint32(20, true),
    alignedCrc: view.getUint32(24, true),
    displayCrc: view.getUint32(28, true),
  };
}

/** Behind the last picture. */
export function endOfPlaces(places: Uint8Array): number {
  let end = 0;
  for (let at = 0; at * placeBytes < places.length; at++) {
    const { crops, aligned, display } = readPlace(places, at);
    end = Math.max(end, crops + aligned + display);
  }
  return end;
}

/** Name in the keys of its records. */
export const rollName = (place: string): string => basename(place, '.faces');

/** Faces of a content that come to a roll, or go from it. */
export interface RollChange {
  readonly model: string;
  readonly place: string;
  readonly hash: string;
  readonly faces: number;
}

/** Within a transaction. `model`: encoded, as everywhere here; `end`: behind the last byte that is added. */
export function addFaces(
  writes: Transaction,
  { model, place, hash, faces }: RollChange,
  end: number,
  file: string,
): void {
  if (place === '') return;
  const name = rollName(place);
  const roll = rollIn(writes, model, name, file) ?? { faces: 0, live: 0, erased: 0, end: 0 };
  const [all, live] = [roll.faces + faces, roll.live + faces];
  putRoll(writes, model, name, { ...roll, faces: all, live, end: Math.max(roll.end, end) });
  writes.put(`${faceMembers(model, name)}${hash}`, new Uint8Array(1));
}

/**
 * Within a transaction. `isWhole`: no face of the content stays in the roll; `isErased`: they have to leave
 * the disk.
 */
export function takeFaces(
  writes: Transaction,
  { model, place, hash, faces }: RollChange,
  { isWhole, isErased }: { readonly isWhole: boolean; readonly isErased: boolean },
  file: string,
): void {
  if (place === '') return;
  const name = rollName(place);
  if (isWhole) writes.remove(`${faceMembers(model, name)}${hash}`);
  const roll = rollIn(writes, model, name, file);
  // One whose record is damaged is rewritten whole.
  if (roll === null) return;
  const erased = isErased && faces > 0 ? 1 : roll.erased;
  putRoll(writes, model, name, { ...roll, live: Math.max(0, roll.live - faces), erased });
}

function putRoll(writes: Transaction, model: string, name: string, roll: FaceRollRow): void {
  const key = faceRollKey(model, name);
  writes.put(key, seal(FaceRollRow, key, roll));
}

/** Null when there is none, or it is damaged. */
function rollIn(
  reader: Pick<Transaction, 'get'>,
  model: string,
  name: string,
  file: string,
): FaceRollRow | null {
  const key = faceRollKey(model, name);
  const bytes = reader.get(key);
  return bytes === undefined ? null : readable(() => unseal(FaceRollRow, key, bytes, file));
}

/** Every roll with a record, ascending by name; `roll` null where that is damaged. */
export function rollsOf(
  environment: Environment,
  model: string,
): { readonly name: string; readonly roll: FaceRollRow | null }[] {
  const prefix = faceRollPrefix(model);
  return environment.keys(prefix).map((key) => {
    const name = key.slice(prefix.length);
    return { name, roll: rollIn(environment, model, name, environment.file) };
  });
}

/** Number of faces in a roll that belong to no media any more. */
export const deadOf = ({ faces, live }: FaceRollRow): number => Math.max(0, faces - live);

/** A larger roll takes no further media. */
const fullBytes = 64 << 20;

/** The roll that open stages of a pair of models write to. */
export interface FaceTail {
  readonly file: BundleFile;
  readonly place: string;
  readonly dimensions: number;
  /** Throws when this writer may not write any more: called right before anything is written. */
  readonly confirm: () => void;
  /** The first byte that no stage has taken. */
  next: number;
}

export interface TailParts {
  readonly folder: string;
  readonly environment: Environment;
  readonly on: StoreDisk;
  readonly confirm: () => void;
}

export class FaceTails {
  readonly #parts: TailParts;
  readonly #current = new Map<string, FaceTail>();
  readonly #open = new Set<FaceTail>();

  constructor(parts: TailParts) {
    this.#parts = parts;
  }

  /** A roll with room, or a new one; not that of the name `except`. */
  of(modelKey: string, dimensions: number, except: string | null = null): FaceTail {
    const open = this.#current.get(modelKey);
    if (open !== undefined && open.dimensions !== dimensions) {
      throw storeErrors.WRONG_DIMENSIONS(
        `dimensions: ${modelKey} is being written with ${open.dimensions}, not ${dimensions}`,
      );
    }
    if (open !== undefined && open.next < fullBytes) return open;
    const tail = this.#reopen(modelKey, dimensions, except) ?? this.#create(modelKey, dimensions);
    this.#current.set(modelKey, tail);
    this.#open.add(tail);
    return tail;
  }

  #reopen(modelKey: string, dimensions: number, except: string | null): FaceTail | null {
    const { folder, environment, on, confirm } = this.#parts;
    for (const { name, roll } of rollsOf(environment, encodeModelKey(modelKey))) {
      if (roll === null || roll.erased > 0 || name === except) continue;
      const place = faceRollPlace(modelKey, name);
      if ([...this.#open].some((open) => open.place === place)) continue;
      if (aboutOf(join(folder, place))?.dimensions !== dimensions) continue;
      const file = BundleFile.open(join(folder, place), 'r+', on);
      // Data behind the last stored face remains from a crash. A truncated roll is not used.
      if (file.end < fullBytes && file.end >= roll.end)
        return { file, place, dimensions, confirm, next: file.end };
      file.close();
    }
    return null;
  }

  #create(modelKey: string, dimensions: number): FaceTail {
    const { folder, environment, on, confirm } = this.#parts;
    if (this.#open.size === 0) removeUnknownRolls(folder, environment, modelKey);
    const place = faceRollPlace(modelKey, randomUUID());
    const about: About = { hash_str: '', model_key: modelKey, dimensions, span: null };
    const file = BundleFile.create(join(folder, place), about, on);
    flushFolder(dirname(file.file));
    return { file, place, dimensions, confirm, next: 0 };
  }

  /** The next stage begins another roll. */
  leave(tail: FaceTail): void {
    for (const [modelKey, candidate] of this.#current) if (candidate === tail) this.#current.delete(modelKey);
  }

  closeAll(): void {
    for (const { file } of this.#open) file.close();
    this.#open.clear();
    this.#current.clear();
  }
}

/**
 * Removes rolls of which no record speaks: a crash left them. For who holds the lease, without open stages.
 */
export function removeUnknownRolls(folder: string, environment: Environment, modelKey: string): void {
  const within = join(folder, faceRolls(modelKey));
  if (!existsSync(within)) return;
  const rollNames = new Set(rollsOf(environment, encodeModelKey(modelKey)).map(({ name }) => name));
  for (const entry of readdirSync(within))
    if (!rollNames.has(rollName(entry))) rmSync(join(within, entry), { force: true });
}

/** Within a transaction: nothing is left in the roll. */
export function removeRoll(writes: Transaction, bundles: Bundles, modelKey: string, name: string): void {
  writes.remove(faceRollKey(encodeModelKey(modelKey), name));
  bundles.gone(writes, [faceRollPlace(modelKey, name)]);
}

// Reading the vectors of faces from a roll: those that lie side by side are read together.

/** Most bytes of one read. */
const mostBytes = 1 << 20;

/**
 * Calls `each` with the bytes of some rows and the position among `places` of the first of them. *Borrowed*.
 */
function eachRun(
  roll: BundleFile,
  stride: number,
  places: Uint8Array,
  each: (bytes: Uint8Array, from: number, count: number) => void,
): void {
  const total = places.length / placeBytes;
  const most = Math.max(1, Math.floor(mostBytes / stride));
  const buffer = new Uint8Array(Math.min(most, total) * stride);
  for (let from = 0; from < total; ) {
    const { row } = readPlace(places, from);
    let count = 1;
    while (count < most && from + count < total) {
      if (readPlace(places, from + count).row !== row + count * stride) break;
      count++;
    }
    const bytes = buffer.subarray(0, count * stride);
    roll.read(row, bytes);
    each(bytes, from, count);
    from += count;
  }
}

function check(
  roll: BundleFile,
  bytes: Uint8Array,
  view: DataView,
  stride: number,
  i: number,
  frame: number,
) {
  const end = (i + 1) * stride - 4;
  const isWhole =
    view.getUint32(end, true) === crc32(bytes.subarray(i * stride, end)) &&
    view.getUint32(end - 8, true) === frame;
  if (!isWhole) throw damaged(roll.file, `the vector of a face in frame ${frame} is broken`);
}

/** Throws STORE_DAMAGED naming the file when one of the rows is broken. */
export function checkRows(
  roll: BundleFile,
  dimensions: number,
  places: Uint8Array,
  frames: Uint32Array,
): void {
  const stride = stride16(dimensions);
  eachRun(roll, stride, places, (bytes, from, count) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < count; i++) check(roll, bytes, view, stride, i, frames[from + i]!);
  });
}

/** Writes the vectors, L2-normalised, into `into` from position `at` on. Throws STORE_DAMAGED. */
export function readVectors(
  roll: BundleFile,
  dimensions: number,
  places: Uint8Array,
  frames: Uint32Array,
  into: Float32Array,
  at: number,
): void {
  const stride = stride16(dimensions);
  eachRun(roll, stride, places, (bytes, from, count) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < count; i++) {
      check(roll, bytes, view, stride, i, frames[from + i]!);
      const values = new Int16Array(bytes.buffer, bytes.byteOffset + i * stride, dimensions);
      let square = 0;
      for (let k = 0; k < dimensions; k++) square += values[k]! * values[k]!;
      const scale = square === 0 ? 0 : 1 / Math.sqrt(square);
      const start = at + (from + i) * dimensions;
      for (let k = 0; k < dimensions; k++) into[start + k] = values[k]! * scale;
    }
  });
}

/** The picture for people of one face, *copied*. Throws STORE_DAMAGED. */
export function readDisplay(roll: BundleFile, places: Uint8Array, at: number): Uint8Array<ArrayBuffer> {
  const { crops, aligned, display, displayCrc } = readPlace(places, at);
  return readCrop(roll, crops + aligned, display, displayCrc);
}

/** The same of the picture for models. */
export function readAligned(roll: BundleFile, places: Uint8Array, at: number): Uint8Array<ArrayBuffer> {
  const { crops, aligned, alignedCrc } = readPlace(places, at);
  return readCrop(roll, crops, aligned, alignedCrc);
}

function readCrop(roll: BundleFile, from: number, size: number, crc: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  roll.read(from, bytes);
  if (crc32(bytes) !== crc) throw damaged(roll.file, `the picture at ${from} is broken`);
  return bytes;
}
