// The faces that are stored in an analysis folder, and the way to their vectors and pictures.

import { idBytes, idText } from '../../people/entry-id.ts';
import type { FaceColumns } from '../../people/face-columns.ts';
import { type BundleFile, Bundles } from '../bundles.ts';
import { changeCount, countChange } from '../changes.ts';
import type { Environment, Transaction } from '../environment.ts';
import { damaged, readable } from '../faults.ts';
import {
  encodeModelKey,
  faceChangesKey,
  faceFactsKey,
  faceModelKey,
  faceModelPrefix,
  facePlacesKey,
  facesKey,
  facesPrefix,
} from '../names.ts';
import { FaceFactsRow, FaceModelRow, FacePlacesRow, FacesRow } from '../records.ts';
import { readRecord, seal, unseal } from '../table.ts';
import { checkRows, endOfPlaces, placeBytes, readVectors, rollsOf } from './face-rolls.ts';

// The record of a pair of face models. When it is damaged, the faces stored last by them say again what it
// held.

/** Null when there is none. */
export function readFaceModel(environment: Environment | null, modelKey: string): FaceModelRow | null {
  if (environment === null) return null;
  const read = readable(() => ({ model: readRecord(environment, FaceModelRow, faceModelKey(modelKey)) }));
  if (read !== null) return read.model;
  let last: FacesRow | null = null;
  for (const { key, value } of environment.entries(facesPrefix(encodeModelKey(modelKey)))) {
    const faces = readable(() => unseal(FacesRow, key, value, environment.file));
    if (faces !== null && faces.stored_ms >= (last?.stored_ms ?? 0)) last = faces;
  }
  return last && { model_key: modelKey, dimensions: last.dimensions };
}

// The three records of the faces of a content by a pair of models: that they looked, what each face is, and
// where its vector and pictures lie. Written together, in one transaction.

type Reader = Pick<Transaction, 'get'>;

export interface IdentifiedFaces extends FaceColumns {
  /** 16 bytes a face. */
  readonly ids: Uint8Array;
}

/** `model`: its key as part of a key, encoded. */
export class FaceRecords {
  readonly #file: string;

  constructor({ file }: Pick<Environment, 'file'>) {
    this.#file = file;
  }

  /** Null when these models did not look. Throws STORE_DAMAGED. */
  head(reader: Reader, model: string, hash: string): FacesRow | null {
    const key = facesKey(model, hash);
    const bytes = reader.get(key);
    return bytes === undefined ? null : unseal(FacesRow, key, bytes, this.#file);
  }

  /** Throws STORE_DAMAGED, also when it is missing. */
  facts(reader: Reader, model: string, hash: string): IdentifiedFaces {
    const key = faceFactsKey(model, hash);
    const row = unseal(FaceFactsRow, key, reader.get(key) ?? new Uint8Array(0), this.#file);
    if (row.ids.length !== row.frames.length * idBytes)
      throw damaged(this.#file, `record ${key} is not whole`);
    const { buffer, byteOffset, byteLength } = row.numbers;
    const numbers = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
    return { ids: row.ids, frames: row.frames, numbers, weak: row.weak };
  }

  places(reader: Reader, model: string, hash: string): FacePlacesRow {
    const key = facePlacesKey(model, hash);
    const row = unseal(FacePlacesRow, key, reader.get(key) ?? new Uint8Array(0), this.#file);
    if (row.places.length % placeBytes !== 0) throw damaged(this.#file, `record ${key} is not whole`);
    return row;
  }

  /** Null when it is not there, or damaged. */
  readablePlaces(reader: Reader, model: string, hash: string): FacePlacesRow | null {
    return readable(() => this.places(reader, model, hash));
  }

  put(
    writes: Transaction,
    model: string,
    faces: FacesRow,
    facts: IdentifiedFaces,
    places: FacePlacesRow,
  ): void {
    const { hash_str: hash } = faces;
    const { buffer, byteOffset, byteLength } = facts.numbers;
    const numbers = new Uint8Array(buffer, byteOffset, byteLength);
    const [key, factsKey] = [facesKey(model, hash), faceFactsKey(model, hash)];
    const { ids, frames, weak } = facts;
    writes.put(key, seal(FacesRow, key, faces));
    writes.put(factsKey, seal(FaceFactsRow, factsKey, { ids, frames, numbers, weak }));
    this.putPlaces(writes, model, hash, places);
  }

  putPlaces(writes: Transaction, model: string, hash: string, places: FacePlacesRow): void {
    const key = facePlacesKey(model, hash);
    writes.put(key, seal(FacePlacesRow, key, places));
  }

  remove(writes: Transaction, model: string, hash: string): void {
    for (const keyOf of [facesKey, faceFactsKey, facePlacesKey]) writes.remove(keyOf(model, hash));
  }

  /** How many times faces of the folder changed; null when that cannot be read. */
  changes(reader: Reader): number | null {
    return changeCount(reader, faceChangesKey, this.#file);
  }

  noteChange(writes: Transaction): number {
    return countChange(writes, faceChangesKey, this.#file);
  }
}

/** Facts about a content for each pair of models that analysed it; damaged ones are left out. */
export function factsByAll(environment: Environment, hash: string): IdentifiedFaces[] {
  const records = new FaceRecords(environment);
  const models = environment.keys(faceModelPrefix).map((key) => key.slice(faceModelPrefix.length));
  return models.flatMap((model) => {
    const head = readable(() => records.head(environment, model, hash));
    return (head && readable(() => records.facts(environment, model, hash))) ?? [];
  });
}

export const idsOf = ({ ids, frames }: IdentifiedFaces): string[] =>
  Array.from(frames, (_, at) => idText(ids, at));

export interface ContentFaces {
  readonly head: FacesRow;
  readonly facts: IdentifiedFaces;
  readonly places: FacePlacesRow;
}

export interface StoredCount {
  readonly count: number;
  readonly fromPreviews: boolean;
}

export class StoredFaces {
  readonly #bundles: Bundles;
  readonly #reading: () => Environment | null;

  constructor(folder: string, reading: () => Environment | null) {
    this.#bundles = new Bundles(folder);
    this.#reading = reading;
  }

  /** Null when these models did not look. Throws STORE_DAMAGED. */
  head(modelKey: string, hash: string): FacesRow | null {
    const environment = this.#reading();
    return environment && new FaceRecords(environment).head(environment, encodeModelKey(modelKey), hash);
  }

  /** The same, with what each face is and where it lies. */
  content(modelKey: string, hash: string): ContentFaces | null {
    const environment = this.#reading();
    if (environment === null) return null;
    const records = new FaceRecords(environment);
    const model = encodeModelKey(modelKey);
    const head = records.head(environment, model, hash);
    if (head === null) return null;
    const facts = records.facts(environment, model, hash);
    const places = records.places(environment, model, hash);
    if (facts.frames.length !== head.count || places.places.length !== head.count * placeBytes) {
      throw damaged(environment.file, `the records of the faces of ${hash} do not agree`);
    }
    return { head, facts, places };
  }

  /** Faces of the content by each pair of models that looked; without damaged ones. */
  byAll(hash: string): IdentifiedFaces[] {
    const environment = this.#reading();
    return environment === null ? [] : factsByAll(environment, hash);
  }

  /**
   * Length of the vectors that these models make now; null when they stored none. What has another one counts
   * as missing.
   */
  dimensions(modelKey: string): number | null {
    return readFaceModel(this.#reading(), modelKey)?.dimensions ?? null;
  }

  /** Keys of the models of which faces were deleted that are still on the disk. */
  erased(): string[] {
    const environment = this.#reading();
    if (environment === null) return [];
    return Array.from(environment.entries(faceModelPrefix)).flatMap(({ key, value }) => {
      const model = readable(() => unseal(FaceModelRow, key, value, environment.file));
      const rolls = rollsOf(environment, key.slice(faceModelPrefix.length));
      return model !== null && rolls.some(({ roll }) => (roll?.erased ?? 1) > 0) ? [model.model_key] : [];
    });
  }

  /** Where the faces of a content lie, for reading pictures. */
  places(modelKey: string, hash: string): FacePlacesRow | null {
    const environment = this.#reading();
    if (environment === null) return null;
    const records = new FaceRecords(environment);
    const model = encodeModelKey(modelKey);
    return records.head(environment, model, hash) && records.places(environment, model, hash);
  }

  /**
   * For each hash what was found; null where these models have not looked, or what they stored is not whole.
   */
  stored(modelKey: string, hashes: readonly string[]): (StoredCount | null)[] {
    const dimensions = this.dimensions(modelKey);
    const rolls = this.rolls();
    try {
      return hashes.map((hash) => {
        const contentFaces = readable(() => this.content(modelKey, hash));
        if (contentFaces === null || contentFaces.head.dimensions !== dimensions) return null;
        const { count, from_previews } = contentFaces.head;
        const roll = count === 0 ? null : rolls.of(contentFaces.places.file);
        const isThere = count === 0 || (roll !== null && isWhole(contentFaces, roll));
        return isThere ? { count, fromPreviews: from_previews === 1 } : null;
      });
    } finally {
      rolls.close();
    }
  }

  /** For reading; the caller closes them. */
  rolls(): OpenRolls {
    return new OpenRolls(this.#bundles);
  }

  /** n×d, L2-normalised, of one content; for tests and tools. */
  vectors(modelKey: string, hash: string): Float32Array<ArrayBuffer> | null {
    const contentFaces = this.content(modelKey, hash);
    if (contentFaces === null) return null;
    const { head, places, facts } = contentFaces;
    const vectors = new Float32Array(head.count * head.dimensions);
    if (head.count === 0) return vectors;
    const roll = this.#bundles.open(places.file);
    try {
      readVectors(roll, head.dimensions, places.places, facts.frames, vectors, 0);
      return vectors;
    } finally {
      roll.close();
    }
  }

  /** How many times faces of the folder changed; null when that cannot be read. */
  changes(): number | null {
    const environment = this.#reading();
    return environment === null ? 0 : new FaceRecords(environment).changes(environment);
  }
}

/** Every vector can be read, and the pictures are there. */
function isWhole({ head, facts, places }: ContentFaces, roll: BundleFile): boolean {
  if (endOfPlaces(places.places) > roll.end) return false;
  const check = () => {
    checkRows(roll, head.dimensions, places.places, facts.frames);
    return true;
  };
  return readable(check) ?? false;
}

// The rolls that somebody reads from, each opened once.

export class OpenRolls {
  readonly #bundles: Bundles;
  readonly #open = new Map<string, BundleFile | null>();

  constructor(bundles: Bundles) {
    this.#bundles = bundles;
  }

  /** Null where it cannot be read, of which `broken` is told the first time. */
  of(place: string, broken?: (error: Error) => void): BundleFile | null {
    const cachedRoll = this.#open.get(place);
    if (cachedRoll !== undefined) return cachedRoll;
    const opened = readable(() => this.#bundles.open(place), broken);
    this.#open.set(place, opened);
    return opened;
  }

  /** Throws STORE_DAMAGED naming the file. */
  get(place: string): BundleFile {
    const opened = this.#open.get(place) ?? this.#bundles.open(place);
    this.#open.set(place, opened);
    return opened;
  }

  close(): void {
    for (const opened of this.#open.values()) opened?.close();
    this.#open.clear();
  }
}
