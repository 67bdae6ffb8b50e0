// How a frame is scored: one vector to rank by, and vectors whose similarity lowers a frame.
//
// Text and picture. A text lies further from every picture than a picture does, and spreads less, so their
// cosines cannot be added as they are. Each is divided by its spread over the frames searched; then
// `text_weight` counts text against a picture's 1: share of text = text_weight / (1 + text_weight). Both are
// linear, so they become one vector.
//
// Readings of a picture. The same picture may be asked for in several readings: as it is, mirrored. A frame
// counts by the reading it is most like. Each is joined with the text by the spread of the first, so that
// they stay in one scale.
//
// Exclude. A frame that is usual for an excluded thing, or hardly more than usual, loses nothing. What is
// more like it loses in proportion, so that a frame that stands out by several spreads falls behind the whole
// range of the scores, and so does, where nothing stands out that far, the one that is most like it: it never
// stays first while there is another. Frames that lose nothing keep their order, and nothing is ever removed.
import type { Contract, Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { storeErrors } from '../store/contract.ts';
import { maxQueries } from './cells.ts';
import type { visualMessages } from './contract.ts';

export interface VectorQuery {
  readonly text: Float32Array | null;
  /** Readings of one picture, of which the nearest counts; none where no picture is asked for. */
  readonly pictures: readonly Float32Array[];
  readonly textWeight: number;
  /** Vectors of the same length as the query. */
  readonly exclude: readonly Float32Array[];
}

/** Spread of scores over the searched frames. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
  readonly most: number;
  /** No two of the exact scores are further apart. */
  readonly range: number;
}

export interface Scoring {
  /**
   * At least one, in the scale of a cosine: a weighted mean of the cosines to text and picture, one for each
   * reading. The best of them counts.
   */
  readonly bases: readonly Float32Array[];
  readonly exclude: readonly {
    readonly vector: Float32Array;
    readonly bar: number;
    readonly weight: number;
  }[];
}

/** Readings of one picture. */
const mostReadings = 12;
/** Below this, all frames are alike for a vector, and dividing by the spread would only enlarge noise. */
const leastDeviation = 1e-3;
/** A frame that is so many spreads more than usual like an excluded thing falls behind all that are not. */
const spreadsToFall = 4;

/** Sorts the values, so that the sums do not depend on their order. */
export function spreadOf(values: Float64Array, range: number): Spread {
  values.sort();
  if (values.length === 0) return { mean: 0, deviation: leastDeviation, most: 0, range };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const deviation = Math.max(leastDeviation, Math.sqrt(variance));
  return { mean, deviation, most: values.at(-1)!, range };
}

/** One vector, or several of which the nearest counts. */
export type Aspect = readonly Float32Array[];

/** How an aspect spreads over the frames that are searched. */
type SpreadOf = (aspect: Aspect) => Spread;

/** Text and picture as one vector for each reading. */
function combine({ text, pictures, textWeight }: VectorQuery, spread: SpreadOf): Aspect {
  const [first] = pictures;
  if (first === undefined) {
    if (text === null) throw new RangeError('neither text nor picture');
    return [text];
  }
  if (text === null || textWeight === 0) return pictures;
  const [ofText, ofPicture] = [spread([text]), spread([first])];
  const forText = textWeight / ofText.deviation;
  const forPicture = 1 / ofPicture.deviation;
  const total = forText + forPicture;
  return pictures.map((picture) =>
    text.map((value, i) => (value * forText + picture[i]! * forPicture) / total),
  );
}

export function scoringOf(query: VectorQuery, spread: SpreadOf): Scoring {
  const bases = combine(query, spread);
  if (query.exclude.length === 0) return { bases, exclude: [] };
  const baseSpread = spread(bases);
  const fall = baseSpread.range + baseSpread.deviation;
  const exclude = query.exclude.map((vector) => {
    const { mean, deviation, most } = spread([vector]);
    const standsOut = most - mean;
    // With few frames the outstanding one makes most of the spread, but it has to fall all the same.
    const bar = mean + Math.min(deviation, standsOut / 2);
    const toFall = Math.min((spreadsToFall - 1) * deviation, most - bar);
    return { vector, bar, weight: standsOut < leastDeviation ? 0 : fall / toFall };
  });
  return { bases, exclude };
}

// Parts of a query, each separately.

export interface Aspects<T> {
  readonly text: T | null;
  readonly picture: T | null;
  /** Parts of the words. */
  readonly words: T[];
}

/** Words that weigh nothing beside a picture have no say. */
export function aspectsOf({
  text,
  pictures,
  textWeight,
  words,
}: VectorQuery & { readonly words: readonly Float32Array[] }): Aspects<Aspect> {
  const hasSay = text !== null && (pictures.length === 0 || textWeight > 0);
  return {
    text: hasSay ? [text] : null,
    picture: pictures.length > 0 ? pictures : null,
    words: hasSay ? words.map((word) => [word]) : [],
  };
}

export function eachOf<T>({ text, picture, words }: Aspects<Aspect>, of: (aspect: Aspect) => T): Aspects<T> {
  return { text: text && of(text), picture: picture && of(picture), words: words.map(of) };
}

/** Four sums, so that additions do not wait for each other. */
function dot(u: Float32Array, v: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const { length } = u;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    a += u[i]! * v[i]!;
    b += u[i + 1]! * v[i + 1]!;
    c += u[i + 2]! * v[i + 2]!;
    d += u[i + 3]! * v[i + 3]!;
  }
  for (; i < length; i++) a += u[i]! * v[i]!;
  return a + b + (c + d);
}

export function scoreOf(scoring: Scoring, vector: Float32Array): number {
  return lowering(scoring, vector).reduce((score, lost) => score - lost, bestOf(scoring.bases, vector));
}

/** The best of the cosines. */
export function bestOf(bases: readonly Float32Array[], vector: Float32Array): number {
  return Math.max(...bases.map((base) => dot(base, vector)));
}

/** Amount that each excluded thing takes from the score of a frame. */
export function lowering({ exclude }: Scoring, vector: Float32Array): number[] {
  return exclude.map(
    ({ vector: excluded, bar, weight }) => Math.max(0, dot(excluded, vector) - bar) * weight,
  );
}

// The vectors of a search, checked against the loaded model.

type SearchRequest = Pick<
  Request<Contract<typeof visualMessages>, 'search'>,
  'text' | 'picture' | 'exclude' | 'text_weight'
>;

/** Throws WRONG_DIMENSIONS or INVALID_MESSAGE naming the field. */
export function checkedQuery(
  { text, picture, exclude, text_weight: textWeight }: SearchRequest,
  dimensions: number,
): VectorQuery {
  if (text === null && picture === null)
    throw engineErrors.INVALID_MESSAGE('text and picture are both missing');
  const pictures = picture === null ? [] : checkedVectors('picture', picture, dimensions, mostReadings);
  return {
    text: text && (checkedVectors('text', text, dimensions, 1)[0] as Float32Array),
    pictures,
    textWeight,
    exclude:
      exclude === null ? [] : checkedVectors('exclude', exclude, dimensions, maxQueries - mostReadings),
  };
}

/** The parts of the words. Throws as above. */
export function checkedWords(words: Float32Array | null, dimensions: number): Float32Array[] {
  return words === null ? [] : checkedVectors('words', words, dimensions, Number.POSITIVE_INFINITY);
}

/** `vectors`: k×d. */
function checkedVectors(
  name: string,
  vectors: Float32Array,
  dimensions: number,
  most: number,
): Float32Array[] {
  const count = vectors.length / dimensions;
  if (!Number.isInteger(count) || count === 0 || (most === 1 && count !== 1)) {
    throw storeErrors.WRONG_DIMENSIONS(
      `${name}: ${vectors.length} numbers do not fit the ${dimensions} dimensions of the loaded model`,
    );
  }
  if (count > most)
    throw engineErrors.INVALID_MESSAGE(`${name}: ${count} vectors, at most ${most} are possible`);
  if (!vectors.every(Number.isFinite))
    throw engineErrors.INVALID_MESSAGE(`${name} holds a value that is not a number`);
  return Array.from({ length: count }, (_, i) => vectors.subarray(i * dimensions, (i + 1) * dimensions));
}
