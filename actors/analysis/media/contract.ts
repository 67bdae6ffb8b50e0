// What media files are, as far as a look at them tells.
import { type Static, Type } from 'typebox';
import { field } from '../../../runtime/schema.ts';
import { ContentHash, FilePath } from '../../index/store/contract.ts';

/** What one media file is. */
export const MediaProperties = Type.Object({
  video_cached: field('Whether the visual analysis is stored.', Type.Boolean()),
  audio_cached: field('Whether a transcript is stored.', Type.Boolean()),
  runtime: field('Duration as `HH:MM:SS`; null for stills.', Type.Union([Type.String(), Type.Null()])),
  fps: field(
    'Frames per second; 0 for stills and sound; null if the file does not say.',
    Type.Union([Type.Number(), Type.Null()]),
  ),
  media_path: FilePath,
  timecode: field('Start timecode as `HH:MM:SS:FF`.', Type.String()),
  hash_str: ContentHash,
  drop_frame: field('Whether the timecode is drop-frame (possible at 29.97 and 59.94 fps).', Type.Boolean()),
  timecode_rate: field('Frame rate of the timecode, in frames per second.', Type.Number()),
  kind: field(
    'Kind of the media: `video`, `audio` or `image`.',
    Type.Union([Type.Literal('video'), Type.Literal('audio'), Type.Literal('image')]),
  ),
  width: field('Width of the displayed picture in pixels; 0 for sound.', Type.Integer()),
  height: field('Height of the displayed picture in pixels; 0 for sound.', Type.Integer()),
});
export type MediaProperties = Static<typeof MediaProperties>;

export const MediaPropertiesAnswer = Type.Object({
  media_properties: field(
    'Properties of each readable file. The keys are the paths as they were sent.',
    Type.Record(Type.String(), MediaProperties),
  ),
  unreadable: field(
    'Files that cannot be read, with the reason for each.',
    Type.Record(Type.String(), Type.String()),
  ),
});
export type MediaPropertiesAnswer = Static<typeof MediaPropertiesAnswer>;

export interface PropertiesRequest {
  readonly cache_dir: string;
  /** Absolute paths; one named twice is answered once. */
  readonly media_paths: readonly string[];
  /** `video_cached` speaks of this model; null: of any. */
  readonly model_key: string | null;
}
