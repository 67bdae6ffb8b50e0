// Searches for printed words and their answers.
import { type Static, Type } from 'typebox';
import { defaulted, described, field, named } from '../../../runtime/schema.ts';
import { CacheDir, ContentHash, EndSeconds, FilePath, StartSeconds } from '../../index/store/contract.ts';
import type { WrittenMatch } from '../../index/written/contract.ts';
import { matchedScore, shownScore, TextBox } from '../../text-reader/contract.ts';
import { OtherPaths } from '../media/contract.ts';
import { notesFields } from '../notes/contract.ts';
import { maxResults, metadataFilterRequest, onlyFiles, Words } from '../scope/contract.ts';
import { Band, min_band, Weaker } from '../visual/contract.ts';

export const WrittenRequest = Type.Object({
  query: Words,
  cache_dir: CacheDir,
  media_paths: onlyFiles,
  /** Leaves out lines that are read less well. */
  min_band,
  max_results: maxResults,
  search_all: defaulted(
    described(Type.Boolean(), 'Search everything in which text has been recognized.'),
    true,
  ),
  metadata_filter_request: metadataFilterRequest,
});
export type WrittenRequest = Static<typeof WrittenRequest>;

export const LineBand = described(
  Band,
  '`strong`: a `score` of .9 or more, which two readings agreed on. `likely`: a `score` of .6 or more. Both: ' +
    'each word of the query is a whole word of the line, the beginning of one (4 letters or more), of ' +
    'several whose spaces were not read (12 letters), or a longer part of one (6 letters). Otherwise `weak`.',
);

export const WrittenSearchMatch = Type.Object({
  media_path: FilePath,
  other_paths: OtherPaths,
  hash_str: ContentHash,
  start_seconds: StartSeconds,
  end_seconds: EndSeconds,
  start_timestamp: field('Start as `HH:MM:SS`.', Type.String()),
  end_timestamp: field('End as `HH:MM:SS`.', Type.String()),
  best_seconds: described(
    Type.Number(),
    'The second in which the line was recognized best. `box` refers to it.',
  ),
  text: field('The visible line of text.', Type.String()),
  box: described(TextBox, 'Left, top, width and height of the line, relative to the picture.'),
  score: described(
    Type.Number({ minimum: 0, maximum: 1 }),
    'Certainty of the text recognition; a value below .9 is uncertain.',
  ),
  band: LineBand,
});
export type WrittenSearchMatch = Static<typeof WrittenSearchMatch>;

export const WrittenAnswer = Type.Object({
  matches: field('Matches, ordered by path and time.', Type.Array(named('WrittenMatch', WrittenSearchMatch))),
  weaker: Weaker,
  ...notesFields,
});
export type WrittenAnswer = Static<typeof WrittenAnswer>;

/** How certain it is that a line has what was searched for. */
export function bandOfLine({ score, meant }: Pick<WrittenMatch, 'score' | 'meant'>): Band {
  if (!meant || score < matchedScore) return 'weak';
  return score >= shownScore ? 'strong' : 'likely';
}
