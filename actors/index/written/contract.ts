// Printed words: the lines of each media are stored, and found by words.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { TextBox } from '../../text-reader/contract.ts';
import { MediaScope } from '../facets/contract.ts';
import { PeopleFilter } from '../people/contract.ts';
import { Folder } from '../store/contract.ts';
import { TimeRange } from '../transcripts/contract.ts';

const Second = Type.Integer({ minimum: 0 });

export const WrittenLine = Type.Object({
  text: Type.String({ minLength: 1 }),
  /** Score in the frame in which it was read best: 0 to 1. */
  score: Type.Number({ minimum: 0, maximum: 1 }),
  /** In that frame. */
  box: TextBox,
  /** That frame of the grid. */
  best: Second,
  /** Grid frames [start, end) in which it is seen. */
  start: Second,
  end: Second,
});
export type WrittenLine = Static<typeof WrittenLine>;

export const WrittenMatch = Type.Object({
  hash_str: Type.String(),
  path: Type.String(),
  ...WrittenLine.properties,
  /**
   * The query, or each of its words, is meant in the line: as whole words, as the beginning of one (four
   * letters) or of several joined ones, or as a part of six letters; not `cat` in `location`.
   */
  meant: Type.Boolean(),
});
export type WrittenMatch = Static<typeof WrittenMatch>;

export const writtenMessages = {
  /**
   * Lines that hold the whole `query`, whatever its case, accents and spaces: as whole words before parts of
   * longer ones, those that are read well before others, then by path and time. One or two letters are found
   * as a word only. When there are none, those that are seen together with others that hold all of its words.
   * `people`: only while they are seen. At most `max_results`. Nothing has to be loaded: while it is not
   * `done` lines are still being read into memory, and the same message is to be sent again. Errors: those of
   * the filters, NOT_LOADED for people who are not loaded.
   */
  search_written: ask(
    Type.Object({
      ...Folder,
      query: Type.String({ minLength: 1 }),
      scope: Type.Object({
        ...MediaScope.properties,
        /** Ranges by hash; only lines that are seen in one of them. */
        ranges: Type.Record(Type.String(), Type.Array(TimeRange)),
      }),
      people: Type.Optional(PeopleFilter),
      max_results: Type.Integer({ minimum: 1 }),
    }),
    Type.Object({
      done: Type.Boolean(),
      matches: Type.Array(WrittenMatch),
      /** Media in which somebody has read. */
      media: Type.Integer(),
      /** Hashes whose record is damaged. */
      unreadable: Type.Array(Type.String()),
    }),
  ),
};
