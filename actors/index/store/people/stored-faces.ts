// The faces that are stored in an analysis folder, and the way to their vectors and pictures.
import type { BundleFile } from '../bundle-file.ts';
import { Bundles } from '../bundles.ts';
import type { Environment } from '../environment.ts';
import { damaged, readable } from '../faults.ts';
import { encodeModelKey, faceModelPrefix } from '../names.ts';
import { FaceModel, type FacePlaces, type Faces } from '../records.ts';
import { unseal } from '../table.ts';
import { readFaceModel } from './face-model.ts';
import { FaceRecords, type Facts, factsByAll } from './face-records.ts';
import { endOfPlaces, placeBytes, rollsOf } from './face-rolls.ts';
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
  readonly #bundles: Bundles;
  readonly #reading: () => Environment | null;

  constructor(folder: string, reading: () => Environment | null) {
    this.#bundles = new Bundles(folder);
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
    if (facts.frames.length !== head.count || places.places.length !== head.count * placeBytes) {
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

  /** Keys of the models of which faces were deleted that are still on the disk. */
  erased(): string[] {
    const environment = this.#reading();
    if (environment === null) return [];
    return Array.from(environment.entries(faceModelPrefix)).flatMap(({ key, value }) => {
      const model = readable(() => unseal(FaceModel, key, value, environment.file));
      const rolls = rollsOf(environment, key.slice(faceModelPrefix.length));
      return model !== null && rolls.some(({ roll }) => (roll?.erased ?? 1) > 0) ? [model.model_key] : [];
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
    const rolls = this.rolls();
    try {
      return hashes.map((hash) => {
        const found = readable(() => this.content(modelKey, hash));
        if (found === null || found.head.dimensions !== dimensions) return null;
        const { count, from_previews } = found.head;
        const roll = count === 0 ? null : rolls.of(found.places.file);
        const isThere = count === 0 || (roll !== null && isWhole(found, roll));
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
    const found = this.content(modelKey, hash);
    if (found === null) return null;
    const { head, places, facts } = found;
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
    const known = this.#open.get(place);
    if (known !== undefined) return known;
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
