// Takes: where else a shot is, in other files and elsewhere in the same one.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { defaulted, described, field, named, nullable, oneOf, optional } from '../../../runtime/schema.ts';
import { CacheDir, ContentHash, EndSeconds, FilePath, StartSeconds } from '../../index/store/contract.ts';
import { maybeMediaFields, OtherPaths } from '../media/contract.ts';

export const takesErrors = errorTable({
  BAD_CURSOR: { meaning: 'The cursor is not one of this service', status: 400 },
});

export const TakesRequest = Type.Object({
  cache_dir: CacheDir,
  ...maybeMediaFields,
  start_seconds: defaulted(
    described(Type.Number({ minimum: 0 }), 'Start of the part to look for. Needs a file.'),
    0,
  ),
  end_seconds: described(
    optional(Type.Number({ exclusiveMinimum: 0 })),
    'End of the part to look for. If omitted, the part extends to the end of the file.',
  ),
  limit: defaulted(
    described(
      Type.Integer({ minimum: 1, maximum: 1000 }),
      'A page ends once it has this many takes. It can have a few more, and has fewer if comparing takes long.',
    ),
    100,
  ),
  cursor: described(
    optional(Type.String({ maxLength: 200 })),
    'The `next_cursor` of the page before, with the other fields unchanged.',
  ),
});
export type TakesRequest = Static<typeof TakesRequest>;

const TakePart = Type.Object({
  hash_str: ContentHash,
  media_path: FilePath,
  other_paths: OtherPaths,
  start_seconds: StartSeconds,
  end_seconds: EndSeconds,
});
export type TakePart = Static<typeof TakePart>;

export const Take = Type.Object({
  asked: described(
    named('TakePart', TakePart),
    'The shot in the file that was asked about, from its first to its last second that agrees.',
  ),
  found: described(named('TakePart', TakePart), 'The same shot in another file, or elsewhere in this one.'),
  offset_seconds: described(
    Type.Number(),
    'Add this to a time in `asked` to get the time in `found`, to within a second.',
  ),
  mirrored: described(Type.Boolean(), 'Whether one is the mirror image of the other.'),
  agreeing_frames: described(Type.Integer(), 'Number of seconds whose pictures agree.'),
  certainty: described(
    oneOf('exact', 'strong', 'likely'),
    '`exact`: the same file content, or pictures that the model cannot tell apart. `strong`: as similar as ' +
      'an encoded copy. `likely`: similar, such as another take, or the same camera at another time.',
  ),
});
export type Take = Static<typeof Take>;

export const TakesAnswer = Type.Object({
  takes: described(Type.Array(named('Take', Take)), 'Takes in order of time in the file asked about.'),
  next_cursor: described(
    nullable(Type.String()),
    'Send this as `cursor` to continue; null if everything has been compared.',
  ),
  compared: field(
    'The file that was compared last, for showing progress; null if there is none.',
    nullable(
      Type.Object({ media_path: FilePath, time_seconds: field('How far it was compared.', Type.Number()) }),
    ),
  ),
});
export type TakesAnswer = Static<typeof TakesAnswer>;
