// Thumbnails: of any moments of any files, and strips of one film.
import { type Static, Type } from 'typebox';

export interface ThumbnailRequest {
  readonly media_path: string;
  readonly time_seconds: number;
  /** Goes before the path: this content and no other one. */
  readonly hash_str?: string | undefined;
}

export interface ThumbnailsRequest {
  readonly cache_dir: string;
  readonly requests: readonly ThumbnailRequest[];
  /** Longest side, px. */
  readonly max_size: number;
}

export interface SceneThumbnailsRequest {
  readonly cache_dir: string;
  readonly media_path: string;
  /** `HH:MM:SS`. */
  readonly start_time: string;
  readonly end_time: string;
  readonly hash_str: string | null;
  readonly max_size: number;
}

export const ThumbnailsAnswer = Type.Object({
  /** Base64 JPEG; null for sound and where there is no picture. */
  thumbnails: Type.Array(Type.Object({ thumbnail: Type.Union([Type.String(), Type.Null()]) })),
});
export type ThumbnailsAnswer = Static<typeof ThumbnailsAnswer>;

export const SceneThumbnailsAnswer = Type.Object({
  /** Base64 JPEG and `HH:MM:SS`; null for sound and stills. */
  scene_thumbnails: Type.Union([Type.Array(Type.Tuple([Type.String(), Type.String()])), Type.Null()]),
});
export type SceneThumbnailsAnswer = Static<typeof SceneThumbnailsAnswer>;

/** Pictures of the usual size that one answer holds at most. */
export const thumbnailsAtOnce = 1000;
const usualSide = 480;

/** Larger pictures are fewer, so that no answer grows beyond what can be held as text. */
export function mostThumbnails(maxSide: number): number {
  return Math.min(thumbnailsAtOnce, Math.floor(thumbnailsAtOnce * (usualSide / maxSide) ** 2));
}
