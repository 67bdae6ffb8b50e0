// The record of a pair of face models. When it is damaged, the faces stored last by them say again what it
// held.
import type { Environment } from '../environment.ts';
import { readable } from '../faults.ts';
import { encodeModelKey, faceModelKey, facesPrefix } from '../names.ts';
import { readRecord } from '../read-record.ts';
import { FaceModel, Faces } from '../records.ts';
import { unseal } from '../table.ts';

/** Null when there is none. */
export function readFaceModel(environment: Environment | null, modelKey: string): FaceModel | null {
  if (environment === null) return null;
  const read = readable(() => ({ model: readRecord(environment, FaceModel, faceModelKey(modelKey)) }));
  if (read !== null) return read.model;
  let last: Faces | null = null;
  for (const { key, value } of environment.entries(facesPrefix(encodeModelKey(modelKey)))) {
    const faces = readable(() => unseal(Faces, key, value, environment.file));
    if (faces !== null && faces.stored_ms >= (last?.stored_ms ?? 0)) last = faces;
  }
  return last && { model_key: modelKey, dimensions: last.dimensions };
}
