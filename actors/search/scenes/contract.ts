// The scenes of one media file, the same that matches have.
import { type Static, Type } from 'typebox';
import { defaulted, described, field, named, nullable, oneOf, optional } from '../../../runtime/schema.ts';
import { CacheDir, ContentHash, FilePath } from '../../index/store/contract.ts';
import { mediaFields } from '../media/contract.ts';

export const ScenesRequest = Type.Object({
  cache_dir: CacheDir,
  ...mediaFields,
  start_seconds: defaulted(
    described(Type.Number({ minimum: 0 }), 'Return scenes that end after this time.'),
    0,
  ),
  end_seconds: described(
    optional(Type.Number({ exclusiveMinimum: 0 })),
    'Return scenes that begin before this time, which must be after `start_seconds`. If omitted, the ' +
      'range extends to the end.',
  ),
});
export type ScenesRequest = Static<typeof ScenesRequest>;

export const Scene = Type.Object({
  start_seconds: described(Type.Number(), 'Start of the scene.'),
  end_seconds: described(
    Type.Number(),
    'End of the scene: the start of the next scene, or the end of the film.',
  ),
});
export type Scene = Static<typeof Scene>;

/** What a file is, in answers about moments and scenes. */
export const MediaKind = oneOf('video', 'audio', 'image');

export const ScenesAnswer = Type.Object({
  hash_str: ContentHash,
  media_path: FilePath,
  kind: described(
    MediaKind,
    'Scenes of the file. Sound has no scenes, and a still has one scene of one second.',
  ),
  duration_seconds: described(Type.Number(), 'Duration of the file in seconds; 0 for a still.'),
  model_key: described(
    nullable(Type.String()),
    'The visual model that the scenes are based on: the model in use if it has analysed the file, ' +
      'otherwise the last model that has; null for sound.',
  ),
  scenes: field('The scenes in order of time.', Type.Array(named('Scene', Scene))),
});
export type ScenesAnswer = Static<typeof ScenesAnswer>;
