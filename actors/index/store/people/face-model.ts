// The record of the packs of a pair of face models. When it is damaged, the faces stored by them say again
// what it held.
import type { Environment } from '../environment.ts';
import { readable } from '../faults.ts';
import { encodeModelKey, faceModelKey, facePlacesKey, facesPrefix } from '../names.ts';
import { readRecord } from '../read-record.ts';
import { FaceModel, FacePlaces, Faces } from '../records.ts';
import { endOfPlaces, sizeOfPlaces } from './crop-pack.ts';

/** Null when there is none. */
export function readFaceModel(environment: Environment | null, modelKey: string): FaceModel | null {
  if (environment === null) return null;
  const read = readable(() => ({ model: readRecord(environment, FaceModel, faceModelKey(modelKey)) }));
  return read === null ? modelOfFaces(environment, modelKey) : read.model;
}

/** Null when no faces can be read either: then the next ones begin new packs. */
function modelOfFaces(environment: Environment, modelKey: string): FaceModel | null {
  const model = encodeModelKey(modelKey);
  const prefix = facesPrefix(model);
  let found: FaceModel | null = null;
  for (const key of environment.keys(prefix)) {
    const hash = key.slice(prefix.length);
    const read = readable(() => ({
      faces: readRecord(environment, Faces, key),
      places: readRecord(environment, FacePlaces, facePlacesKey(model, hash)),
    }));
    if (read === null || read.faces === null || read.places === null) continue;
    const { dimensions } = read.faces;
    const { generation, rows, crops } = read.places;
    if (found !== null && found.generation > generation) continue;
    const before: FaceModel =
      found?.generation === generation ? found : newFaceModel(modelKey, dimensions, generation);
    found = {
      ...before,
      rows: rows.reduce((end, row) => Math.max(end, row + 1), before.rows),
      live: before.live + rows.length,
      crops_end: Math.max(before.crops_end, endOfPlaces(crops)),
      crops_live: before.crops_live + sizeOfPlaces(crops),
      // Whether faces were deleted since the last compaction, nobody can tell any more.
      erases: 1,
    };
  }
  return found;
}

export function newFaceModel(model_key: string, dimensions: number, generation: number): FaceModel {
  const empty = { rows: 0, live: 0, crops_end: 0, crops_live: 0, erases: 0 };
  return { model_key, dimensions, generation, next_generation: generation + 1, ...empty };
}
