// Which concepts stand out in a range of a film: those whose text is nearer to its frames than it is to
// pictures of the whole library. A cosine by itself says nothing: some texts are near to every picture.
import type { Steps } from '../../../runtime/sync/steps.ts';
import { defaultModelKey } from '../../models/rows/list.ts';
import { outlineErrors } from '../outline/material.ts';
import { addTo, dot, medianOf } from '../outline/vector.ts';
import { RightSide } from '../products/products.ts';
import { lexicon } from './lexicon.ts';

/** Rows of vectors, L2-normalised. *Borrowed.* */
export interface Rows {
  readonly vectors: Float32Array;
  readonly dimensions: number;
}

/**
 * How near each concept usually is to a picture: the median of its cosines, and their deviation, the larger
 * one of that from the median deviation and half the standard deviation. The first alone is next to nothing
 * where most pictures have nothing of a concept; the second alone hides what many pictures show.
 */
export interface Background {
  readonly middles: Float64Array;
  readonly deviations: Float64Array;
  /** Pictures it was made of. */
  readonly pictures: number;
}

/** Of fewer pictures nothing is known that could stand out. */
export const leastPictures = 100;
/** Deviations by which a concept has to lead the next one of its group where they exclude each other. */
const leastLead = 0.5;
/**
 * Concepts whose texts are nearer than this are one to the model: the stronger is named, of equal ones the
 * first.
 */
const same = 0.95;

/**
 * Vectors of concepts, each the mean of those of its phrases, L2-normalised; `counts`: phrases of each, in
 * order.
 */
export function conceptVectors({ vectors, dimensions: d }: Rows, counts: readonly number[]): Rows {
  const means = new Float32Array(counts.length * d);
  let phrase = 0;
  counts.forEach((count, concept) => {
    for (const end = phrase + count; phrase < end; phrase++)
      addTo(means, concept * d, vectors, phrase * d, d);
    const length = Math.sqrt(dot(means, concept * d, means, concept * d, d));
    // A text that a model does not understand has no direction, and is near to nothing.
    for (let k = 0; k < d && length > 0; k++) means[concept * d + k]! /= length;
  });
  return { vectors: means, dimensions: d };
}

/** Pictures and concepts of one step. */
const step = { pictures: 128, concepts: 8 };

/** O(concepts · pictures · d). `pictures`: of the library, some thousand taken evenly are enough. */
export function* backgroundSteps(concepts: Rows, pictures: Rows): Steps<Background> {
  const d = concepts.dimensions;
  const [count, shown] = [concepts.vectors.length / d, pictures.vectors.length / d];
  const all = yield* cosinesOf(concepts, pictures);
  const [middles, deviations] = [new Float64Array(count), new Float64Array(count)];
  for (let concept = 0; concept < count; concept++) {
    if (concept % step.concepts === 0) yield;
    const cosines = all.subarray(concept * shown, (concept + 1) * shown);
    const middle = medianOf(cosines);
    middles[concept] = middle;
    const robust = 1.4826 * medianOf(cosines.map((cosine) => Math.abs(cosine - middle)));
    deviations[concept] = Math.max(robust, standardDeviation(cosines) / 2);
  }
  return { middles, deviations, pictures: shown };
}

/** Concepts × pictures. */
function* cosinesOf(concepts: Rows, { vectors, dimensions: d }: Rows): Steps<Float32Array> {
  const [count, shown] = [concepts.vectors.length / d, vectors.length / d];
  const all = new Float32Array(count * shown);
  for (let first = 0; first < shown; first += step.pictures) {
    const side = new RightSide({
      vectors: vectors.subarray(first * d, (first + step.pictures) * d),
      dimensions: d,
    });
    const found = side.times(concepts, 0, count);
    for (let concept = 0; concept < count; concept++) {
      const from = concept * side.width;
      all.set(found.subarray(from, from + side.count), concept * shown + first);
    }
    yield;
  }
  return all;
}

function standardDeviation(values: Float32Array): number {
  if (values.length === 0) return 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

interface Strength {
  /** Its number in the lexicon. */
  readonly concept: number;
  /** Deviations above the middle, mean over the frames. */
  readonly strength: number;
}

export interface StandingOut extends Strength {
  /** The frame that shows it most, a row of what was given: the evidence. */
  readonly frame: number;
}

/**
 * Concepts of a range, the strongest first. A concept stands out that is √(2 ln concepts) deviations above
 * its middle: so high comes less than one of all of them by chance. Where concepts exclude each other
 * (`exclusive`: by concept the name of its group, or null), only the best is named, and only when it leads
 * clearly. None where the background is too small.
 */
export function standingOut(
  concepts: Rows,
  frames: Rows,
  background: Background,
  exclusive: readonly (string | null)[],
): StandingOut[] {
  const d = concepts.dimensions;
  const count = concepts.vectors.length / d;
  const rows = frames.vectors.length / d;
  if (rows === 0 || background.pictures < leastPictures) return [];
  const least = leastStrength(count);
  const mean = new Float64Array(d);
  for (let at = 0; at < rows * d; at += d)
    for (let k = 0; k < d; k++) mean[k]! += frames.vectors[at + k]! / rows;
  const all: Strength[] = [];
  for (let concept = 0; concept < count; concept++) {
    const deviation = background.deviations[concept]!;
    if (deviation < 1e-6) continue;
    const cosine = dot(concepts.vectors, concept * d, mean, 0, d);
    all.push({ concept, strength: (cosine - background.middles[concept]!) / deviation });
  }
  all.sort((a, b) => b.strength - a.strength || a.concept - b.concept);
  const leading = all.filter((own) => own.strength >= least && leads(own, all, exclusive));
  const isSame = (a: Strength, b: Strength) =>
    dot(concepts.vectors, a.concept * d, concepts.vectors, b.concept * d, d) > same;
  return leading
    .filter((own, at) => !leading.slice(0, at).some((stronger) => isSame(stronger, own)))
    .map((own) => ({ ...own, frame: nearest(concepts, own.concept, frames) }));
}

/** Deviations above its middle from which on one of so many concepts stands out. */
export function leastStrength(count: number): number {
  return Math.sqrt(2 * Math.log(Math.max(2, count)));
}

/** The row of the frames that is nearest to a concept, the first of equal ones. */
function nearest(concepts: Rows, concept: number, { vectors, dimensions: d }: Rows): number {
  let [best, most] = [0, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < vectors.length / d; row++) {
    const cosine = dot(concepts.vectors, concept * d, vectors, row * d, d);
    if (cosine > most) [best, most] = [row, cosine];
  }
  return best;
}

function leads(own: Strength, all: readonly Strength[], exclusive: readonly (string | null)[]): boolean {
  const group = exclusive[own.concept];
  if (group == null) return true;
  return all.every(
    (other) =>
      other === own || exclusive[other.concept] !== group || own.strength - other.strength >= leastLead,
  );
}

// What one visual model knows of the lexicon: a vector for each concept, and how near each usually is to a
// picture.

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

/**
 * The model that comes with the program compares colours, light and shapes: of 68 photographs of which it was
 * sure, a third were named wrongly (`the sea` for a motorcycle). It finds and orders, and names nothing.
 */
export const namesConcepts = (model_key: string): boolean => model_key !== defaultModelKey;

/** Whether the background is large enough to name anything. */
export const canName = ({ background }: KnownConcepts): boolean => background.pictures >= leastPictures;
