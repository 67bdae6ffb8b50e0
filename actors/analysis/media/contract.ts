// What media files are, as far as a look at them tells.
import { type Static, Type } from 'typebox';

/** What one media file is. */
export const MediaProperties = Type.Object({
  /** The visual analysis is stored. */
  video_cached: Type.Boolean(),
  /** The transcript is stored. */
  audio_cached: Type.Boolean(),
  /** Duration `HH:MM:SS`; null for stills and where the file does not say. */
  runtime: Type.Union([Type.String(), Type.Null()]),
  /** Frames per second; 0 for stills and sound, null where the file does not say. */
  fps: Type.Union([Type.Number(), Type.Null()]),
  media_path: Type.String(),
  /** Start timecode `HH:MM:SS:FF`. */
  timecode: Type.String(),
  hash_str: Type.String(),
  drop_frame: Type.Boolean(),
  /** Frames per second the timecode counts by. */
  timecode_rate: Type.Number(),
  kind: Type.Union([Type.Literal('video'), Type.Literal('audio'), Type.Literal('image')]),
  /** Size as shown, in px; 0 for sound. */
  width: Type.Integer(),
  height: Type.Integer(),
});
export type MediaProperties = Static<typeof MediaProperties>;

export const MediaPropertiesAnswer = Type.Object({
  /** By media path. */
  media_properties: Type.Record(Type.String(), MediaProperties),
  /** Why the files that are left out cannot be read, by media path. */
  unreadable: Type.Record(Type.String(), Type.String()),
});
export type MediaPropertiesAnswer = Static<typeof MediaPropertiesAnswer>;

export interface PropertiesRequest {
  readonly cache_dir: string;
  /** Absolute paths; one named twice is answered once. */
  readonly media_paths: readonly string[];
  /** `video_cached` speaks of this model; null: of any. */
  readonly model_key: string | null;
}
