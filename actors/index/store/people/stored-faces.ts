// The faces that are stored in an analysis folder, and the way to their vectors and pictures.
import type { Environment } from '../environment.ts';
import { damaged, readable } from '../faults.ts';
import { encodeModelKey, faceModelPrefix } from '../names.ts';
import { FaceModel, type FacePlaces, type Faces } from '../records.ts';
import { unseal } from '../table.ts';
import { endOfPlaces } from './crop-pack.ts';
import { readFaceModel } from './face-model.ts';
import { FacePacks } from './face-packs.ts';
import { FaceRecords, type Facts, factsByAll } from './face-records.ts';
import { checkRows, readVectors } from './face-rows.ts';

export interface ContentFaces {
  readonly head: Faces;
  readonly facts: Facts;
  readonly places: FacePlaces;
}

export interface StoredCount {
  readonly count: number;
  readonly fromPreviews: boolean;
}

export class StoredFaces {
  readonly #folder: string;
  readonly #reading: () => Environment | null;

  constructor(folder: string, reading: () => Environment | null) {
    this.#folder = folder;
    this.#reading = reading;
  }

  /** Null when these models did not look. Throws STORE_DAMAGED. */
  head(modelKey: string, hash: string): Faces | null {
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
    if (facts.frames.length !== head.count || places.rows.length !== head.count) {
      throw damaged(environment.file, `the records of the faces of ${hash} do not agree`);
    }
    return { head, facts, places };
  }

  /** Faces of the content by each pair of models that looked; without damaged ones. */
  byAll(hash: string): Facts[] {
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

  /** Keys of the models whose packs have bytes of faces that were deleted. */
  erased(): string[] {
    const environment = this.#reading();
    if (environment === null) return [];
    return Array.from(environment.entries(faceModelPrefix)).flatMap(({ key, value }) => {
      const model = readable(() => unseal(FaceModel, key, value, environment.file));
      return model !== null && model.erases > 0 ? [model.model_key] : [];
    });
  }

  /** Where the faces of a content lie, for reading pictures. */
  places(modelKey: string, hash: string): FacePlaces | null {
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
    const packs = new Map<number, FacePacks | null>();
    try {
      return hashes.map((hash) => {
        const found = readable(() => this.content(modelKey, hash));
        if (found === null || found.head.dimensions !== dimensions) return null;
        const { count, from_previews } = found.head;
        const stored = { count, fromPreviews: from_previews === 1 };
        if (count === 0) return stored;
        const { generation } = found.places;
        if (!packs.has(generation)) {
          packs.set(
            generation,
            readable(() => this.packs(modelKey, dimensions, generation)),
          );
        }
        return isWhole(found, packs.get(generation) ?? null) ? stored : null;
      });
    } finally {
      for (const open of packs.values()) open?.close();
    }
  }

  /** Opened for reading; the caller closes them. Throws STORE_DAMAGED naming the file. */
  packs(modelKey: string, dimensions: number, generation: number): FacePacks {
    return FacePacks.open(this.#folder, { modelKey, dimensions, generation });
  }

  /** n×d, L2-normalised, of one content; for tests and tools. */
  vectors(modelKey: string, hash: string): Float32Array<ArrayBuffer> | null {
    const found = this.content(modelKey, hash);
    if (found === null) return null;
    const { head, places, facts } = found;
    const vectors = new Float32Array(head.count * head.dimensions);
    if (head.count === 0) return vectors;
    const packs = this.packs(modelKey, head.dimensions, places.generation);
    try {
      readVectors(packs.vectors, head.dimensions, places.rows, facts.frames, vectors, 0);
      return vectors;
    } finally {
      packs.close();
    }
  }

  /** How many times faces of the folder changed; null when that cannot be read. */
  changes(): number | null {
    const environment = this.#reading();
    return environment === null ? 0 : new FaceRecords(environment).changes(environment);
  }
}

/** Every vector can be read, and the pictures are there. */
function isWhole({ head, facts, places }: ContentFaces, packs: FacePacks | null): boolean {
  if (packs === null || endOfPlaces(places.crops) > packs.crops.end()) return false;
  const check = () => {
    checkRows(packs.vectors, head.dimensions, places.rows, facts.frames);
    return true;
  };
  return readable(check) ?? false;
}
