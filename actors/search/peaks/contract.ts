// How loud the sound of a file is along its time.
import { type Static, Type } from 'typebox';
import { defaulted, described } from '../../../runtime/schema.ts';
import { CacheDir, ContentHash } from '../../index/store/contract.ts';
import { mediaFields } from '../media/contract.ts';

/** Points of one answer. */
export const mostPoints = 20_000;

export const PeaksRequest = Type.Object({
  cache_dir: CacheDir,
  ...mediaFields,
  start_seconds: Type.Optional(
    described(Type.Number({ minimum: 0 }), 'Start of the range. The default is the beginning of the file.'),
  ),
  end_seconds: Type.Optional(
    described(Type.Number({ minimum: 0 }), 'End of the range. The default is the end of the file.'),
  ),
  points: defaulted(described(Type.Integer({ minimum: 1, maximum: mostPoints }), 'Number of parts.'), 2000),
});
export type PeaksRequest = Static<typeof PeaksRequest>;

export const PeaksAnswer = Type.Object({
  hash_str: ContentHash,
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
