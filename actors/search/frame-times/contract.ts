// When each frame of a part of a film is shown: players that step by frames need it where the rate varies.
import { type Static, Type } from 'typebox';
import { described, nullable } from '../../../runtime/schema.ts';
import type { NamedMedia } from '../media/contract.ts';

/** Seconds of one question: what is between has to be read from the file. */
export const longestPart = 60;

export type FrameTimesRequest = NamedMedia & {
  readonly start_seconds: number;
  readonly end_seconds: number;
};

export const FrameTimesAnswer = Type.Object({
  hash_str: Type.String(),
  media_path: described(Type.String(), 'Where the file lies.'),
  rate_varies: described(
    Type.Boolean(),
    'The frames of the film come at uneven times, as far as its first ones and those of the part tell.',
  ),
  frame_starts: described(
    Type.Array(Type.Number()),
    'Seconds from the first frame of the film, ascending: when each frame that is shown in the part begins to be. Empty for ' +
      'sound, for stills, after the end and for films that hold no times (AVI): their frames come evenly.',
  ),
  last_frame_end: described(
    nullable(Type.Number()),
    'Until when the last of them is shown; null when the file does not say.',
  ),
});
export type FrameTimesAnswer = Static<typeof FrameTimesAnswer>;
