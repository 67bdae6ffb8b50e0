// The three records of the faces of a content by a pair of models: that they looked, what each face is, and
// where its vector and pictures lie. Written together, in one transaction.
import { idBytes, idText } from '../../people/entry-id.ts';
import type { FaceColumns } from '../../people/face-columns.ts';
import { changeCount, countChange } from '../change-count.ts';
import type { Environment, Writes } from '../environment.ts';
import { damaged, readable } from '../faults.ts';
import { faceChangesKey, faceFactsKey, faceModelPrefix, facePlacesKey, facesKey } from '../names.ts';
import { FaceFacts, FacePlaces, Faces } from '../records.ts';
import { seal, unseal } from '../table.ts';
import { placeBytes } from './face-rolls.ts';

type Reader = Pick<Writes, 'get'>;

export interface Facts extends FaceColumns {
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
  head(reader: Reader, model: string, hash: string): Faces | null {
    const key = facesKey(model, hash);
    const bytes = reader.get(key);
    return bytes === undefined ? null : unseal(Faces, key, bytes, this.#file);
  }

  /** Throws STORE_DAMAGED, also when it is missing. */
  facts(reader: Reader, model: string, hash: string): Facts {
    const key = faceFactsKey(model, hash);
    const row = unseal(FaceFacts, key, reader.get(key) ?? new Uint8Array(0), this.#file);
    if (row.ids.length !== row.frames.length * idBytes)
      throw damaged(this.#file, `record ${key} is not whole`);
    const { buffer, byteOffset, byteLength } = row.numbers;
    const numbers = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
    return { ids: row.ids, frames: row.frames, numbers, weak: row.weak };
  }

  places(reader: Reader, model: string, hash: string): FacePlaces {
    const key = facePlacesKey(model, hash);
    const row = unseal(FacePlaces, key, reader.get(key) ?? new Uint8Array(0), this.#file);
    if (row.places.length % placeBytes !== 0) throw damaged(this.#file, `record ${key} is not whole`);
    return row;
  }

  /** Null when it is not there, or damaged. */
  readablePlaces(reader: Reader, model: string, hash: string): FacePlaces | null {
    return readable(() => this.places(reader, model, hash));
  }

  put(writes: Writes, model: string, faces: Faces, facts: Facts, places: FacePlaces): void {
    const { hash_str: hash } = faces;
    const { buffer, byteOffset, byteLength } = facts.numbers;
    const numbers = new Uint8Array(buffer, byteOffset, byteLength);
    const [key, factsKey] = [facesKey(model, hash), faceFactsKey(model, hash)];
    const { ids, frames, weak } = facts;
    writes.put(key, seal(Faces, key, faces));
    writes.put(factsKey, seal(FaceFacts, factsKey, { ids, frames, numbers, weak }));
    this.putPlaces(writes, model, hash, places);
  }

  putPlaces(writes: Writes, model: string, hash: string, places: FacePlaces): void {
    const key = facePlacesKey(model, hash);
    writes.put(key, seal(FacePlaces, key, places));
  }

  remove(writes: Writes, model: string, hash: string): void {
    for (const keyOf of [facesKey, faceFactsKey, facePlacesKey]) writes.remove(keyOf(model, hash));
  }

  /** How many times faces of the folder changed; null when that cannot be read. */
  changes(reader: Reader): number | null {
    return changeCount(reader, faceChangesKey, this.#file);
  }

  noteChange(writes: Writes): number {
    return countChange(writes, faceChangesKey, this.#file);
  }
}

/** Of a content, by each pair of models that looked; without damaged ones. */
export function factsByAll(environment: Environment, hash: string): Facts[] {
  const records = new FaceRecords(environment);
  const models = environment.keys(faceModelPrefix).map((key) => key.slice(faceModelPrefix.length));
  return models.flatMap((model) => {
    const head = readable(() => records.head(environment, model, hash));
    return (head && readable(() => records.facts(environment, model, hash))) ?? [];
  });
}

export const idsOf = ({ ids, frames }: Facts): string[] => Array.from(frames, (_, at) => idText(ids, at));
