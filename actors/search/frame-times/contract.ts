// When each frame of a part of a film is shown: players that step by frames need it where the rate varies.
import { type Static, Type } from 'typebox';
import { described, nullable } from '../../../runtime/schema.ts';
import { CacheDir, ContentHash } from '../../index/store/contract.ts';
import { mediaFields } from '../media/contract.ts';

/** Seconds of one question: what is between has to be read from the file. */
export const longestPart = 60;

export const FrameTimesRequest = Type.Object({
  cache_dir: CacheDir,
  ...mediaFields,
  start_seconds: described(
    Type.Number({ minimum: 0 }),
    'Start of the part, in seconds from the first frame of the film.',
  ),
  end_seconds: described(
    Type.Number({ exclusiveMinimum: 0 }),
    `End of the part; at most ${longestPart} s after the start.`,
  ),
});
export type FrameTimesRequest = Static<typeof FrameTimesRequest>;

export const FrameTimesAnswer = Type.Object({
  hash_str: ContentHash,
  media_path: described(Type.String(), 'Path of the file.'),
  rate_varies: described(
    Type.Boolean(),
    'Whether the frame rate of the film varies, judging by its first frames and those of the part.',
  ),
  frame_starts: described(
    Type.Array(Type.Number()),
    'Times in seconds from the first frame of the film, ascending, at which each frame of the part is ' +
      'first shown. Empty for sound, for stills, after the end, and for films without timestamps (AVI), ' +
      'whose frames are evenly spaced.',
  ),
  last_frame_end: described(
    nullable(Type.Number()),
    'When the last of these frames ends; null if the file does not say.',
  ),
});
export type FrameTimesAnswer = Static<typeof FrameTimesAnswer>;
