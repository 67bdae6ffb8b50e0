// How loud the sound of a file is along its time.
import { type Static, Type } from 'typebox';
import { described } from '../../../runtime/schema.ts';
import type { NamedMedia } from '../media/contract.ts';

/** Points of one answer. */
export const mostPoints = 20_000;

export type PeaksRequest = NamedMedia & {
  /** Null: that of the file. */
  readonly start_seconds: number | null;
  readonly end_seconds: number | null;
  readonly points: number;
};

export const PeaksAnswer = Type.Object({
  hash_str: Type.String(),
  media_path: described(Type.String(), 'Path of the file, or the path where it was last seen.'),
  has_sound: described(Type.Boolean(), 'False if the file has no sound; `peaks` is then empty.'),
  duration_seconds: described(Type.Number(), 'Duration of the file in seconds.'),
  start_seconds: described(Type.Number(), 'Start of the first part.'),
  end_seconds: described(Type.Number(), 'End of the last part, which is never after the end of the file.'),
  peaks: described(
    Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
    'The loudest sample of any channel in each of `points` equal parts of the range. 1 is full scale.',
  ),
});
export type PeaksAnswer = Static<typeof PeaksAnswer>;
