// The scenes of one media file, the same that matches have.
import { type Static, Type } from 'typebox';
import { described, named, nullable, oneOf } from '../../../runtime/schema.ts';
import type { NamedMedia } from '../media/contract.ts';

export type ScenesRequest = NamedMedia & {
  /** Half-open, in seconds; scenes that overlap it are answered whole. */
  readonly start_seconds: number;
  readonly end_seconds: number;
};

export const Scene = Type.Object({
  start_seconds: described(Type.Number(), 'Where the scene begins.'),
  end_seconds: described(Type.Number(), 'Where the next one begins, or the film ends.'),
});
export type Scene = Static<typeof Scene>;

/** What a file is, in answers about moments and scenes. */
export const MediaKind = oneOf('video', 'audio', 'image');

export const ScenesAnswer = Type.Object({
  hash_str: Type.String(),
  media_path: Type.String(),
  kind: described(MediaKind, 'Sound has no scenes; a still is one of a second.'),
  duration_seconds: described(Type.Number(), 'Of the file; 0 for a still.'),
  model_key: described(
    nullable(Type.String()),
    'The visual model whose vectors the scenes are of: the one in use where it looked at the file, else the last that did; null for sound.',
  ),
  scenes: Type.Array(named('Scene', Scene)),
});
export type ScenesAnswer = Static<typeof ScenesAnswer>;
