// The vectors of a search, checked against the loaded model.
import type { Contract, Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { storeErrors } from '../store/contract.ts';
import type { visualMessages } from './contract.ts';
import type { Query } from './scoring.ts';
import { maxQueries, mostReadings } from './segment.ts';

type SearchRequest = Pick<
  Request<Contract<typeof visualMessages>, 'search'>,
  'text' | 'picture' | 'exclude' | 'text_weight'
>;

/** Throws WRONG_DIMENSIONS or INVALID_MESSAGE naming the field. */
export function checkedQuery(
  { text, picture, exclude, text_weight: textWeight }: SearchRequest,
  dimensions: number,
): Query {
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
