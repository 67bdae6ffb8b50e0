// How far matches stand out from everything that is loaded, whatever part of it was searched: the scores of text, picture and
// each part of the words alone, the background of each, and what the excluded things take.
//
// Backgrounds are those of what is asked for, without what is excluded: to exclude something lowers matches and raises none.
import { backgroundOf, spreadOver } from './background.ts';
import { lowerBound } from './frames.ts';
import type { ScaleCache } from './scale-cache.ts';
import { scorerOf } from './scan.ts';
import { bestOf, lowering, type Query, scoringOf } from './scoring.ts';
import type { Searched } from './search.ts';

export interface Moment {
  readonly hash_str: string;
  readonly frame_index: number;
}

/** One vector, or several of which the nearest counts. */
type Aspect = readonly Float32Array[];

export interface Aspects<T> {
  readonly text: T | null;
  readonly picture: T | null;
  /** Of the parts of the words. */
  readonly words: T[];
}

/** `words`: the parts of the text. Sets the queries of the bank. */
export function standing(
  at: Searched,
  kept: ScaleCache,
  query: Query & { readonly words: readonly Float32Array[] },
  moments: readonly Moment[],
) {
  const rows = kept.rows(at.catalog);
  const scoring = scoringOf(
    query,
    spreadOver(at.bank, () => rows),
  );
  const aspects = aspectsOf(query);
  const background = (bases: Aspect) =>
    kept.backgrounds.of(bases, () => backgroundOf(rows, scorerOf(at.bank, { bases, exclude: [] })));
  return {
    frames: at.catalog.vectors,
    background: eachOf(aspects, background),
    found: moments.map((moment) => {
      at.pause();
      const vector = vectorOf(at, moment);
      if (vector === null) return null;
      const lost = lowering(scoring, vector);
      const scores = eachOf(aspects, (bases) => bestOf(bases, vector));
      const all = lost.reduce((sum, one) => sum + one, 0);
      return { ...scores, lost: all, lowered: lost.map((one) => one > 0) };
    }),
  };
}

/** Words that weigh nothing beside a picture have no say. */
function aspectsOf({
  text,
  pictures,
  textWeight,
  words,
}: Query & { readonly words: readonly Float32Array[] }): Aspects<Aspect> {
  const hasSay = text !== null && (pictures.length === 0 || textWeight > 0);
  return {
    text: hasSay ? [text] : null,
    picture: pictures.length > 0 ? pictures : null,
    words: hasSay ? words.map((one) => [one]) : [],
  };
}

function eachOf<T>({ text, picture, words }: Aspects<Aspect>, of: (aspect: Aspect) => T): Aspects<T> {
  return { text: text && of(text), picture: picture && of(picture), words: words.map(of) };
}

/** Null where it is not loaded any more, or cannot be read. */
function vectorOf({ catalog, fine }: Searched, { hash_str, frame_index }: Moment): Float32Array | null {
  const media = catalog.get(hash_str);
  if (media === undefined) return null;
  const position = lowerBound(media.frames, frame_index);
  if (media.frames[position] !== frame_index) return null;
  const { run, row } = catalog.rowOf(media, position);
  return fine(run, row, 1)[0]!;
}
