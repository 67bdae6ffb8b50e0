// What a visual search is asked for and what it answers: the fields of spec.md, "Visual search match".
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { Facet, MediaType, MetadataFilter } from '../index/facets/contract.ts';
import { TimeRange } from '../index/transcripts/contract.ts';
import { FrameRange } from '../index/visual/contract.ts';

export const searchErrors = errorTable({
  QUERY_EMPTY: { meaning: 'The query is empty', status: 400, retryable: false },
  EXCLUDE_WITHOUT_QUERY: { meaning: 'exclude needs a query', status: 400, retryable: false },
  SUMMARY_RUNNING: { meaning: 'A summary is being made', status: 400, retryable: true },
  TIME_OUTSIDE: { meaning: 'The film ends before that time', status: 400, retryable: false },
  TOO_MANY_PICTURES: { meaning: 'Too many pictures at once', status: 400, retryable: false },
  WHICH_MEDIA: { meaning: 'The media is not named, or twice', status: 400, retryable: false },
  BAD_TIME: { meaning: 'The time is not one', status: 400, retryable: false },
  HASH_MISMATCH: { meaning: 'The hash is that of another file', status: 400, retryable: false },
  UNKNOWN_MEDIA: { meaning: 'The media is not in the analysis folder', status: 400, retryable: false },
  WRONG_SEGMENTS: { meaning: 'The ranges of frames are not valid', status: 400, retryable: false },
  TWO_SPEAKERS: { meaning: 'Two names of a speaker were given', status: 400, retryable: false },
  PATH_RELATIVE: { meaning: 'The path is not absolute', status: 400, retryable: false },
  WRONG_SCOPE: { meaning: 'The scope does not fit together', status: 400, retryable: false },
});

/** Which media filters speak of, as a client says it. */
export const FilterScope = Type.Object({
  /** `paths`: the files supplied. `global`: what is loaded and can be searched. */
  mode: Type.Unsafe<'paths' | 'global'>({ type: 'string', enum: ['paths', 'global'] }),
  /** Of a global scope: what the media can be searched by. */
  media_type: MediaType,
  /** Absolute. */
  media_paths: Type.Array(Type.String()),
  /** Of the paths, one each and empty where it is not known; or alone. */
  hash_strs: Type.Array(Type.String()),
  /** Files the client means, where it does not name them all. */
  expected_count: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type FilterScope = Static<typeof FilterScope>;

export const MetadataFilterRequest = Type.Object({
  /** Left out: the scope of the search itself. */
  scope: Type.Optional(FilterScope),
  filters: Type.Array(MetadataFilter),
});
export type MetadataFilterRequest = Static<typeof MetadataFilterRequest>;

/** The scope, or the fields it is derived from when it is left out. */
export const FacetRequest = Type.Object({
  cache_dir: Type.String({ minLength: 1 }),
  scope: Type.Optional(FilterScope),
  ...Type.Omit(FilterScope, ['mode']).properties,
  search_all: Type.Boolean(),
  filters: Type.Array(MetadataFilter),
});
export type FacetRequest = Static<typeof FacetRequest>;

/** "Metadata facet response" of the API. */
export const FacetAnswer = Type.Object({
  success: Type.Boolean(),
  facets: Type.Array(Facet),
  coverage: Type.Object({
    scope_count: Type.Integer(),
    indexed_count: Type.Integer(),
    missing_count: Type.Integer(),
  }),
  active_filter_count: Type.Integer(),
  warning: Type.Union([Type.String(), Type.Null()]),
});
export type FacetAnswer = Static<typeof FacetAnswer>;

const Common = {
  cache_dir: Type.String({ minLength: 1 }),
  /** Limits the search to these files; empty means everything that is loaded. */
  media_paths: Type.Array(Type.String()),
  /** Searches everything that is loaded, whatever `media_paths` says. */
  search_all: Type.Boolean(),
  max_results: Type.Integer({ minimum: 1 }),
  exclude: Type.Array(Type.String()),
  /** Half-open ranges on the 1-per-second grid, by media path or hash. */
  segments_to_frame_indices: Type.Record(Type.String(), Type.Array(FrameRange)),
  /** A hard filter: only what passes it is ranked. */
  metadata_filter_request: Type.Union([MetadataFilterRequest, Type.Null()]),
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

export const CachePathsAnswer = Type.Object({
  visual_cache_path: Type.Union([Type.String(), Type.Null()]),
  audio_cache_path: Type.Union([Type.String(), Type.Null()]),
});
export type CachePathsAnswer = Static<typeof CachePathsAnswer>;

/** Start in seconds, text, end in seconds, media path: the form of spec.md, "Transcript segment". */
export const LegacySegment = Type.Tuple([Type.Number(), Type.String(), Type.Number(), Type.String()]);
export type LegacySegment = Static<typeof LegacySegment>;

export const SpeakerData = Type.Object({
  segments: Type.Array(LegacySegment),
  hash_str: Type.String(),
  /** By id of a speaker. */
  speakers: Type.Record(
    Type.String(),
    Type.Object({
      segment_indices: Type.Array(Type.Integer({ minimum: 0 })),
      /** Left out when no name was given. */
      display_name: Type.Optional(Type.String()),
    }),
  ),
});
export type SpeakerData = Static<typeof SpeakerData>;

export const TranscriptionsAnswer = Type.Object({
  /** By media path; files without a transcription are left out. */
  transcriptions: Type.Record(Type.String(), Type.Array(LegacySegment)),
  /** Of files of which somebody knows who speaks. */
  transcription_data: Type.Record(Type.String(), SpeakerData),
  /** Paths whose transcription is damaged and has to be made again. */
  unreadable: Type.Optional(Type.Array(Type.String())),
});
export type TranscriptionsAnswer = Static<typeof TranscriptionsAnswer>;

/** Which media: its hash, or where it lies. */
export type TranscriptRangeRequest = {
  readonly cache_dir: string;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly after_segment_index: number | null;
  readonly max_segments: number;
} & ({ readonly hash_str: string } | { readonly media_path: string });

export const RangeSegment = Type.Object({
  segment_index: Type.Integer({ minimum: 0 }),
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  text: Type.String(),
  /** Empty when nobody looked who speaks. */
  speaker: Type.String(),
  speaker_name: Type.String(),
  text_truncated: Type.Optional(Type.Boolean()),
  original_character_count: Type.Optional(Type.Integer()),
});
export type RangeSegment = Static<typeof RangeSegment>;

export const TranscriptRangeAnswer = Type.Object({
  hash_str: Type.Union([Type.String(), Type.Null()]),
  media_path: Type.Union([Type.String(), Type.Null()]),
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  transcript_status: Type.Unsafe<'available' | 'empty' | 'not_available'>({
    type: 'string',
    enum: ['available', 'empty', 'not_available'],
  }),
  segments: Type.Array(RangeSegment),
  /** True when there are more in the range: ask again with `next_after_segment_index`. */
  truncated: Type.Boolean(),
  next_after_segment_index: Type.Union([Type.Integer(), Type.Null()]),
  /** Segments whose text was cut. */
  truncated_segment_indices: Type.Array(Type.Integer()),
});
export type TranscriptRangeAnswer = Static<typeof TranscriptRangeAnswer>;

export const TranscriptSearch = Type.Object({
  cache_dir: Type.String({ minLength: 1 }),
  query: Type.String(),
  media_paths: Type.Array(Type.String()),
  search_all: Type.Boolean(),
  max_results: Type.Integer({ minimum: 1 }),
  /** A display name, compared as texts are; null: whoever speaks. */
  speaker_name: Type.Union([Type.String(), Type.Null()]),
  metadata_filter_request: Type.Union([MetadataFilterRequest, Type.Null()]),
  /** Half-open ranges of seconds, by media path or hash. */
  segments_to_time_ranges: Type.Record(Type.String(), Type.Array(TimeRange)),
});
export type TranscriptSearch = Static<typeof TranscriptSearch>;

/** "Transcript search match" of the API. */
export const SpokenMatch = Type.Object({
  media_path: Type.String(),
  hash_str: Type.String(),
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  text: Type.String(),
  start_timestamp: Type.String(),
  end_timestamp: Type.String(),
  /** Id in this transcript; empty when nobody looked who speaks. */
  speaker: Type.String(),
  speaker_name: Type.String(),
  speakers: Type.Array(Type.String()),
  /** `audio` or `video`; left out when it is not known. */
  media_type: Type.Optional(Type.Unsafe<'audio' | 'video'>({ type: 'string', enum: ['audio', 'video'] })),
  segment_index: Type.Integer({ minimum: 0 }),
});
export type SpokenMatch = Static<typeof SpokenMatch>;

export const TranscriptSearchAnswer = Type.Object({
  matches: Type.Array(SpokenMatch),
  /** Segments that match, also those beyond `max_results`; when there are very many, at least so many. */
  total: Type.Integer(),
  total_is_exact: Type.Boolean(),
  toast_warning: Type.Optional(Type.String()),
});
export type TranscriptSearchAnswer = Static<typeof TranscriptSearchAnswer>;

export const SpeakerNamesAnswer = Type.Object({
  updated: Type.Integer(),
  /** What was asked for, by id of the speaker; empty where the name was taken away. */
  changes: Type.Record(Type.String(), Type.String()),
  /** All names there are now, by id. */
  speaker_names: Type.Record(Type.String(), Type.String()),
});
export type SpeakerNamesAnswer = Static<typeof SpeakerNamesAnswer>;
