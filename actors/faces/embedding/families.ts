// The families of face embedders, by the name that rows give them.
import { type FaceEmbedderRow, modelErrors } from '../../models/contract.ts';
import { arcface } from './arcface.ts';
import { dlib } from './dlib.ts';
import type { EmbedderFamily } from './family.ts';
import { sface } from './sface.ts';

const families: Readonly<Record<string, EmbedderFamily>> = { sface, arcface, dlib };

/** Throws MODEL_INVALID, listing the families there are. */
export function embedderFamilyOf({ key, family }: FaceEmbedderRow): EmbedderFamily {
  const found = Object.hasOwn(families, family) ? families[family] : undefined;
  if (found) return found;
  const names = Object.keys(families).join(', ');
  throw modelErrors.MODEL_INVALID(`The face embedder "${key}" is of family "${family}"; there is ${names}`, {
    key,
  });
}
