// What one visual model knows of the lexicon: a vector for each concept, and how near each usually is to a
// picture.
import { atOnce, type Steps } from '../../../runtime/sync/steps.ts';
import { defaultModelKey } from '../../models/rows/list.ts';
import { outlineErrors } from '../outline/material.ts';
import { lexicon } from './lexicon.ts';
import {
  type Background,
  backgroundSteps,
  conceptVectors,
  leastPictures,
  type Rows,
} from './standing-out.ts';

export interface KnownConcepts {
  readonly model_key: string;
  /** A row for each concept of the lexicon. */
  readonly vectors: Rows;
  readonly background: Background;
}

export const conceptPhrases: readonly string[] = lexicon.flatMap(({ phrases }) => phrases);

/**
 * `phrases`: vectors of `conceptPhrases`; null to keep those that are known of the same model, and for a
 * model that understands no words. `pictures`: of the library. Throws MATERIAL_INVALID.
 */
export function* knownConceptsSteps(
  model_key: string,
  dimensions: number,
  { phrases, pictures }: { readonly phrases: Float32Array | null; readonly pictures: Float32Array },
  before: KnownConcepts | null,
): Steps<KnownConcepts> {
  const isSame = before?.model_key === model_key && before.vectors.dimensions === dimensions;
  if (phrases && phrases.length !== conceptPhrases.length * dimensions)
    throw outlineErrors.MATERIAL_INVALID(
      `phrases: ${phrases.length} numbers for ${conceptPhrases.length} of ${dimensions} dimensions`,
    );
  if (pictures.length % dimensions !== 0)
    throw outlineErrors.MATERIAL_INVALID(`pictures: ${pictures.length} numbers of ${dimensions} dimensions`);
  const vectors = phrases
    ? conceptVectors(
        { vectors: phrases, dimensions },
        lexicon.map((concept) => concept.phrases.length),
      )
    : isSame
      ? before.vectors
      : { vectors: new Float32Array(lexicon.length * dimensions), dimensions };
  const background = yield* backgroundSteps(vectors, { vectors: pictures, dimensions });
  return { model_key, vectors, background };
}

export const knownConcepts = (...request: Parameters<typeof knownConceptsSteps>): KnownConcepts =>
  atOnce(knownConceptsSteps(...request));

/**
 * The model that comes with the program compares colours, light and shapes: of 68 photographs of which it was
 * sure, a third were named wrongly (`the sea` for a motorcycle). It finds and orders, and names nothing.
 */
export const namesConcepts = (model_key: string): boolean => model_key !== defaultModelKey;

/** Whether the background is large enough to name anything. */
export const canName = ({ background }: KnownConcepts): boolean => background.pictures >= leastPictures;
