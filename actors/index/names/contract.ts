// Files, folders and speakers by the words of their names.
import { Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { nullable, oneOf } from '../../../runtime/schema.ts';
import { PeopleFilter } from '../people/contract.ts';
import { Folder } from '../store/contract.ts';
import { TranscriptMatch } from '../transcripts/contract.ts';
import { FrameRange, VisualScope } from '../visual/contract.ts';

const question = {
  ...Folder,
  /** All of its words have to be in the name, without those that only make it a question. */
  text: Type.String(),
  scope: VisualScope,
  people: Type.Optional(PeopleFilter),
  max_results: Type.Integer({ minimum: 1 }),
};

export const nameMessages = {
  /**
   * Known contents whose file names, with the folders they lie in, have the words of a text: those with a
   * word in their own name first, then by how well the words fit, then by path. A word of four letters may be
   * the beginning of a longer one, a word of five may be inside of one. Folders that hold all of the footage
   * do not count. Nothing has to be loaded but people. Errors: those of filters and people.
   */
  media_named: ask(
    Type.Object(question),
    Type.Object({
      matches: Type.Array(
        Type.Object({
          hash_str: Type.String(),
          path: Type.String(),
          of: oneOf('file', 'folder'),
          /** Path of the file or the folder. */
          name: Type.String(),
          /** The first part of it in the ranges and with the people; null for all of it. */
          frames: nullable(FrameRange),
        }),
      ),
    }),
  ),
  /**
   * For each loaded transcript the speakers whose names have the words of a text, by the first segment of
   * each: those who speak longest first. NOT_LOADED, errors of filters and people.
   */
  speakers_named: ask(Type.Object(question), Type.Object({ matches: Type.Array(TranscriptMatch) })),
};
