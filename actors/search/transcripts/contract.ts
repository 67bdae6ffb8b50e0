// Questions about transcripts and their answers: whole ones, ranges of time, searches, and names of speakers.
import { type Static, Type } from 'typebox';
import { AbsolutePath, SentPath } from '../../../runtime/paths.ts';
import { defaulted, described, field, nullable, optional, shown } from '../../../runtime/schema.ts';
import { mostNameLetters } from '../../index/people/person-name.ts';
import { CacheDir } from '../../index/store/contract.ts';
import type { TranscriptLoadReport } from '../../index/transcripts/contract.ts';
import { HashStr, OtherPaths } from '../media/contract.ts';
import { maxResults, metadataFilterRequest, onlyFiles, segmentsToTimeRanges } from '../scope/contract.ts';

export const TranscriptionsRequest = Type.Object({
  cache_dir: CacheDir,
  media_paths: Type.Array(SentPath, { maxItems: 10_000 }),
});
export type TranscriptionsRequest = Static<typeof TranscriptionsRequest>;

/** Start in seconds, text, end in seconds, media path; "transcript segment" of the API. */
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
export const TranscriptRangeRequest = Type.Object({
  cache_dir: CacheDir,
  hash_str: Type.Optional(shown(HashStr, '4d8f21a07c3e95b61a2b3c4d-5a3c1')),
  media_path: Type.Optional(AbsolutePath),
  start_seconds: Type.Number({ minimum: 0 }),
  end_seconds: described(
    Type.Number({ exclusiveMinimum: 0 }),
    'End of the range (exclusive); must be after `start_seconds`.',
  ),
  after_segment_index: optional(Type.Integer({ minimum: 0 })),
  max_segments: defaulted(Type.Integer({ minimum: 1, maximum: 500 }), 120),
});
export type TranscriptRangeRequest = Static<typeof TranscriptRangeRequest>;

export const RangeSegment = Type.Object({
  segment_index: Type.Integer({ minimum: 0 }),
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  text: Type.String(),
  /** Empty when speakers were not detected. */
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

const Speaker = Type.Optional(
  nullable(
    described(
      Type.String({ maxLength: 200 }),
      'Search only what this speaker says: an id, a name, or part of a name. Part of a name counts only if ' +
        'no speaker matches exactly.',
    ),
  ),
);

export const TranscriptSearch = Type.Object({
  query: field('Words to search for.', Type.String({ minLength: 1, maxLength: 2000 })),
  cache_dir: CacheDir,
  media_paths: onlyFiles,
  max_results: maxResults,
  search_all: defaulted(described(Type.Boolean(), 'Search everything that is loaded.'), true),
  /** Either of the two, compared as texts are; left out: whoever speaks. */
  speaker: Speaker,
  speaker_name: Speaker,
  metadata_filter_request: metadataFilterRequest,
  segments_to_time_ranges: segmentsToTimeRanges,
});
export type TranscriptSearch = Static<typeof TranscriptSearch>;

/** "Transcript search match" of the API. */
export const TranscriptSearchMatch = Type.Object({
  media_path: Type.String(),
  other_paths: OtherPaths,
  hash_str: Type.String(),
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  text: Type.String(),
  start_timestamp: Type.String(),
  end_timestamp: Type.String(),
  /** Id in this transcript; empty when speakers were not detected. */
  speaker: Type.String(),
  speaker_name: Type.String(),
  speakers: Type.Array(Type.String()),
  /** `audio` or `video`; left out when it is not known. */
  media_type: Type.Optional(Type.Unsafe<'audio' | 'video'>({ type: 'string', enum: ['audio', 'video'] })),
  segment_index: Type.Integer({ minimum: 0 }),
});
export type TranscriptSearchMatch = Static<typeof TranscriptSearchMatch>;

export const TranscriptSearchAnswer = Type.Object({
  matches: Type.Array(TranscriptSearchMatch),
  /** Segments that match, also those beyond `max_results`; counted up to 1,000 or `max_results`. */
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

export const NameSpeakersRequest = Type.Object({
  cache_dir: CacheDir,
  hash_str: HashStr,
  assignments: Type.Array(
    Type.Object({
      speaker: described(Type.String({ minLength: 1 }), 'Id in the transcription, such as `SPEAKER_00`.'),
      name: nullable(
        described(
          Type.String({ maxLength: mostNameLetters }),
          'Display name; empty or null to remove the name.',
        ),
      ),
    }),
    { maxItems: 1000 },
  ),
});
export type NameSpeakersRequest = Static<typeof NameSpeakersRequest>;

export interface Transcripts {
  /** Loads the transcripts of a folder for searching. */
  load(cacheDir: string, signal?: AbortSignal): Promise<TranscriptLoadReport>;
  /** Whole transcripts by media path. */
  list(
    request: { readonly cache_dir: string; readonly media_paths: readonly string[] },
    signal?: AbortSignal,
  ): Promise<TranscriptionsAnswer>;
  /** The segments of a range of time. */
  range(request: TranscriptRangeRequest, signal?: AbortSignal): Promise<TranscriptRangeAnswer>;
  search(request: TranscriptSearch, signal?: AbortSignal): Promise<TranscriptSearchAnswer>;
  name(request: NameSpeakersRequest, signal?: AbortSignal): Promise<SpeakerNamesAnswer>;
}
