// How loud the sound of a file is along its time.
import { type Static, Type } from 'typebox';
import { described } from '../../../runtime/schema.ts';

/** Points of one answer. */
export const mostPoints = 20_000;

export type PeaksRequest = ({ readonly media_path: string } | { readonly hash_str: string }) & {
  readonly cache_dir: string;
  /** Null: that of the file. */
  readonly start_seconds: number | null;
  readonly end_seconds: number | null;
  readonly points: number;
};

export const PeaksAnswer = Type.Object({
  hash_str: Type.String(),
  media_path: described(Type.String(), 'Where the file lies, or was seen last.'),
  has_sound: described(Type.Boolean(), 'False for what has no sound; `peaks` is empty then.'),
  duration_seconds: described(Type.Number(), 'Of the file.'),
  start_seconds: described(Type.Number(), 'Where the first part begins.'),
  end_seconds: described(Type.Number(), 'Where the last part ends; never after the end of the file.'),
  peaks: described(
    Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
    'The loudest sample of any channel in each of `points` equal parts of the range: 1 is full scale.',
  ),
});
export type PeaksAnswer = Static<typeof PeaksAnswer>;
