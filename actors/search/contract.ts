// What a visual search is asked for and what it answers: the fields of spec.md, "Visual search match".
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { FrameRange } from '../index/contract.ts';

export const searchErrors = errorTable({
  QUERY_EMPTY: { meaning: 'The query is empty', status: 400, retryable: false },
  EXCLUDE_WITHOUT_QUERY: { meaning: 'exclude needs a query', status: 400, retryable: false },
  TIME_OUTSIDE: { meaning: 'The film ends before that time', status: 400, retryable: false },
  UNKNOWN_MEDIA: { meaning: 'The media is not in the analysis folder', status: 400, retryable: false },
});

const Common = {
  cache_dir: Type.String({ minLength: 1 }),
  model_key: Type.String({ minLength: 1 }),
  /** Limits the search to these files; empty means everything that is loaded. */
  media_paths: Type.Array(Type.String()),
  max_results: Type.Integer({ minimum: 1 }),
  exclude: Type.Array(Type.String()),
  /** Half-open ranges on the 1-per-second grid, by media path or hash. */
  segments_to_frame_indices: Type.Record(Type.String(), Type.Array(FrameRange)),
  /** Leave out to get matches without their pictures. */
  previews: Type.Boolean(),
};

export const TextSearch = Type.Object({
  ...Common,
  query: Type.String(),
  text_weight: Type.Number({ minimum: 0 }),
});
export type TextSearch = Static<typeof TextSearch>;
const Combined = {
  ...Common,
  query: Type.Union([Type.String(), Type.Null()]),
  text_weight: Type.Number({ minimum: 0 }),
};
export const ImageSearch = Type.Object({ ...Combined, image_path: Type.String() });
export type ImageSearch = Static<typeof ImageSearch>;
export const FrameSearch = Type.Object({
  ...Combined,
  media_path: Type.String(),
  time_seconds: Type.Number({ minimum: 0 }),
});
export type FrameSearch = Static<typeof FrameSearch>;

export const Match = Type.Object({
  frame_idx: Type.String(),
  timestamp: Type.String(),
  /** Base64 JPEG; left out when previews were not asked for. */
  image: Type.Optional(Type.String()),
  scene_start_timestamp: Type.String(),
  scene_end_timestamp: Type.String(),
  original_index: Type.Integer(),
  hash_str: Type.String(),
  video_path: Type.String(),
});
export type Match = Static<typeof Match>;

export const SearchAnswer = Type.Object({
  matches: Type.Array(Match),
  toast_warning: Type.Optional(Type.String()),
});
export type SearchAnswer = Static<typeof SearchAnswer>;
