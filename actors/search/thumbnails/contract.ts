// Thumbnails: of any moments of any files, and strips of one film.
import { type Static, Type } from 'typebox';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { defaulted, described, field, nullable } from '../../../runtime/schema.ts';
import { CacheDir } from '../../index/store/contract.ts';
import { HashStr } from '../media/contract.ts';

/** Pictures of the usual size that one answer holds at most. */
export const thumbnailsAtOnce = 1000;
const usualSide = 480;

const MaxSize = described(
  defaulted(Type.Integer({ minimum: 64, maximum: 1920 }), usualSide),
  'Longest side of a picture in pixels. Pictures are never enlarged.',
);
const ClockTime = Type.String({ pattern: '^[0-9]{2,4}:[0-5][0-9]:[0-5][0-9]$' });

export const ThumbnailsRequest = Type.Object({
  cache_dir: CacheDir,
  requests: field(
    'The moments to get pictures of.',
    Type.Array(
      Type.Object({
        media_path: AbsolutePath,
        time_seconds: described(
          Type.Number({ minimum: 0 }),
          'Time in seconds from the beginning of the film.',
        ),
        hash_str: Type.Optional(HashStr),
      }),
      { maxItems: thumbnailsAtOnce },
    ),
  ),
  max_size: MaxSize,
});
export type ThumbnailsRequest = Static<typeof ThumbnailsRequest>;
export type ThumbnailRequest = ThumbnailsRequest['requests'][number];

export const SceneThumbnailsRequest = Type.Object({
  cache_dir: CacheDir,
  media_path: AbsolutePath,
  start_time: described(ClockTime, '`HH:MM:SS`.'),
  end_time: described(ClockTime, '`HH:MM:SS`, not before `start_time`.'),
  hash_str: Type.Optional(HashStr),
  max_size: MaxSize,
});
export type SceneThumbnailsRequest = Static<typeof SceneThumbnailsRequest>;

export const ThumbnailsAnswer = Type.Object({
  /** Base64 JPEG; null for sound and where there is no picture. */
  thumbnails: field(
    'One entry for each request, in order.',
    Type.Array(
      Type.Object({
        thumbnail: field('The picture as a base64 JPEG; null if there is none.', nullable(Type.String())),
      }),
    ),
  ),
});
export type ThumbnailsAnswer = Static<typeof ThumbnailsAnswer>;

export const SceneThumbnailsAnswer = Type.Object({
  scene_thumbnails: field(
    'Pairs of a base64 JPEG and its time as `HH:MM:SS`; null for sound and stills.',
    nullable(Type.Array(Type.Tuple([Type.String(), Type.String()]))),
  ),
});
export type SceneThumbnailsAnswer = Static<typeof SceneThumbnailsAnswer>;

/** Larger pictures are fewer, so that no answer grows beyond what can be held as text. */
export function mostThumbnails(maxSide: number): number {
  return Math.min(thumbnailsAtOnce, Math.floor(thumbnailsAtOnce * (usualSide / maxSide) ** 2));
}
