// Questions about transcripts and their answers: whole ones, ranges of time, searches, and names of speakers.
import { type Static, Type } from 'typebox';
import { AbsolutePath, SentPath } from '../../../runtime/paths.ts';
import {
  choiceOf,
  defaulted,
  described,
  field,
  named,
  nullable,
  oneOf,
  optional,
  shown,
} from '../../../runtime/schema.ts';
import { OptionalSpeakerRange, SpeakersUncertain } from '../../diarizer/contract.ts';
import { mostNameLetters } from '../../index/people/person-name.ts';
import { CacheDir, ContentHash, EndSeconds, FilePath, StartSeconds } from '../../index/store/contract.ts';
import type { TranscriptLoadReport } from '../../index/transcripts/contract.ts';
import { HashStr, OtherPaths } from '../media/contract.ts';
import { notesFields } from '../notes/contract.ts';
import {
  maxResults,
  metadataFilterRequest,
  onlyFiles,
  segmentsToTimeRanges,
  Words,
} from '../scope/contract.ts';

export const mostTranscriptions = 10_000;

export const TranscriptionsRequest = Type.Object({
  cache_dir: CacheDir,
  media_paths: field('Absolute paths of the files.', Type.Array(SentPath, { maxItems: mostTranscriptions })),
  language: Type.Optional(
    described(
      Type.String({ minLength: 1 }),
      'Name or code of a language, such as `english`, `de` or `pt-BR`: of files with subtitles in several ' +
        'languages, return those in this one. Otherwise, and where there are none, return the transcription ' +
        'itself, which for subtitles is the file without a language in its name.',
    ),
  ),
});
export type TranscriptionsRequest = Static<typeof TranscriptionsRequest>;

/** Start in seconds, text, end in seconds, media path; "transcript segment" of the API. */
export const LegacySegment = Type.Tuple([Type.Number(), Type.String(), Type.Number(), Type.String()]);
export type LegacySegment = Static<typeof LegacySegment>;

export const SpeakerData = Type.Object({
  segments: field('Segments in order of time.', Type.Array(LegacySegment)),
  hash_str: ContentHash,
  speakers_uncertain: SpeakersUncertain,
  speaker_range: OptionalSpeakerRange,
  speakers: field(
    'Speakers by id, such as `SPEAKER_00`.',
    Type.Record(
      Type.String(),
      Type.Object({
        segment_indices: field(
          'Indices of the segments of this speaker, counted from 0.',
          Type.Array(Type.Integer({ minimum: 0 })),
        ),
        display_name: field(
          'Name given to the speaker; omitted if there is none.',
          Type.Optional(Type.String()),
        ),
      }),
    ),
  ),
});
export type SpeakerData = Static<typeof SpeakerData>;

const SegmentIndex = field(
  'Index of the segment in its transcript, counted from 0.',
  Type.Integer({ minimum: 0 }),
);

export const TranscriptionsAnswer = Type.Object({
  transcriptions: field(
    'Segments by path, each as `[start_seconds, text, end_seconds, media_path]`.',
    Type.Record(Type.String(), Type.Array(LegacySegment)),
  ),
  transcription_data: field(
    'Speaker data by path, for files whose speakers are known.',
    Type.Record(Type.String(), SpeakerData),
  ),
  transcription_languages: field(
    'Languages of the transcriptions by path.',
    Type.Record(
      Type.String(),
      Type.Object({
        language: field(
          'Language of the returned segments as a BCP 47 code; null if unknown.',
          nullable(Type.String()),
        ),
        other_languages: field(
          'Languages of the other subtitles of the file, for use as `language` of the request.',
          Type.Array(Type.String()),
        ),
        changes: field(
          'Where another language begins, in a file in which several are spoken: the index of its first ' +
            'segment, and its BCP 47 code; omitted if one language is spoken.',
          Type.Optional(
            Type.Array(
              Type.Object({
                segment_index: SegmentIndex,
                language: field('Language as a BCP 47 code; null if unknown.', nullable(Type.String())),
              }),
            ),
          ),
        ),
      }),
    ),
  ),
  /** Paths whose transcription is damaged and has to be made again. */
  unreadable: field(
    'Files that cannot be read, with the reason for each.',
    Type.Optional(Type.Array(Type.String())),
  ),
});
export type TranscriptionsAnswer = Static<typeof TranscriptionsAnswer>;

/** Which media: its hash, or where it lies. */
export const TranscriptRangeRequest = Type.Object({
  cache_dir: CacheDir,
  ...choiceOf(
    {
      hash_str: Type.Optional(shown(HashStr, '4d8f21a07c3e95b61a2b3c4d-5a3c1')),
      media_path: Type.Optional(AbsolutePath),
    },
    { most: 2 },
  ),
  start_seconds: field('Start in seconds from the beginning of the file.', Type.Number({ minimum: 0 })),
  end_seconds: described(
    Type.Number({ exclusiveMinimum: 0 }),
    'End of the range (exclusive); must be after `start_seconds`.',
  ),
  after_segment_index: field(
    'Return the segments after this one. If null or omitted, the page begins with the first segment.',
    optional(Type.Integer({ minimum: 0 })),
  ),
  max_segments: field(
    'Maximum number of segments in the response.',
    defaulted(Type.Integer({ minimum: 1, maximum: 500 }), 120),
  ),
});
export type TranscriptRangeRequest = Static<typeof TranscriptRangeRequest>;

const SaidText = field('What is said.', Type.String());
const speakerFields = {
  speaker: field('Id of the speaker in this transcript; empty if speakers were not detected.', Type.String()),
  speaker_name: field('Display name of the speaker; empty if there is none.', Type.String()),
};

export const RangeSegment = Type.Object({
  segment_index: SegmentIndex,
  start_seconds: StartSeconds,
  end_seconds: EndSeconds,
  text: SaidText,
  ...speakerFields,
  language: field(
    'Language of the segment as a BCP 47 code, in a file in which several are spoken; null if unknown.',
    Type.Optional(nullable(Type.String())),
  ),
  text_truncated: field(
    'True if the text was too long for one response and was cut.',
    Type.Optional(Type.Boolean()),
  ),
  original_character_count: field('Number of characters in the whole text.', Type.Optional(Type.Integer())),
});
export type RangeSegment = Static<typeof RangeSegment>;

export const TranscriptRangeAnswer = Type.Object({
  hash_str: field('Content hash of the file; null when it could not be read.', nullable(Type.String())),
  media_path: field('Absolute path of the file.', nullable(Type.String())),
  start_seconds: StartSeconds,
  end_seconds: EndSeconds,
  transcript_status: field(
    'Status of the transcript. `empty`: a transcript exists but contains no segments.',
    oneOf('available', 'empty', 'not_available'),
  ),
  segments: field('Segments in order of time.', Type.Array(RangeSegment)),
  truncated: field('Whether the range contains more segments.', Type.Boolean()),
  next_after_segment_index: field(
    'The `after_segment_index` of the next page; null on the last page.',
    nullable(Type.Integer()),
  ),
  truncated_segment_indices: field('Indices of the segments whose text was cut.', Type.Array(Type.Integer())),
});
export type TranscriptRangeAnswer = Static<typeof TranscriptRangeAnswer>;

const Speaker = optional(
  described(
    Type.String({ maxLength: 200 }),
    'Search only what this speaker says: an id, a name, or part of a name. Part of a name counts only if ' +
      'no speaker matches exactly.',
  ),
);

export const TranscriptSearch = Type.Object({
  query: Words,
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

export const TranscriptSearchMatch = Type.Object({
  media_path: FilePath,
  other_paths: OtherPaths,
  hash_str: ContentHash,
  start_seconds: StartSeconds,
  end_seconds: EndSeconds,
  text: SaidText,
  start_timestamp: field('Start as `HH:MM:SS`.', Type.String()),
  end_timestamp: field('End as `HH:MM:SS`.', Type.String()),
  ...speakerFields,
  speakers: field('Ids of the speakers.', Type.Array(Type.String())),
  media_type: field(
    'Media type: `audio` or `video`; omitted if unknown.',
    Type.Optional(oneOf('audio', 'video')),
  ),
  segment_index: SegmentIndex,
  language: field(
    'Language of the subtitles in which the segment was found, if they are not those of the transcript; ' +
      '`segment_index` is that in them. Null if unknown.',
    Type.Optional(nullable(Type.String())),
  ),
});
export type TranscriptSearchMatch = Static<typeof TranscriptSearchMatch>;

export const TranscriptSearchAnswer = Type.Object({
  matches: field(
    'Matches, ordered by path and time.',
    Type.Array(named('TranscriptMatch', TranscriptSearchMatch)),
  ),
  /** Segments that match, also those beyond `max_results`; counted up to 1,000 or `max_results`. */
  total: field('Number of matching segments, including those beyond `max_results`.', Type.Integer()),
  total_is_exact: field('False if there may be more matches than `total`.', Type.Boolean()),
  ...notesFields,
});
export type TranscriptSearchAnswer = Static<typeof TranscriptSearchAnswer>;

export const SpeakerNamesAnswer = Type.Object({
  updated: field('Number of speakers in the request.', Type.Integer()),
  changes: field(
    'The requested names by id; empty if the name was removed.',
    Type.Record(Type.String(), Type.String()),
  ),
  speaker_names: field('All names that are now stored, by id.', Type.Record(Type.String(), Type.String())),
});
export type SpeakerNamesAnswer = Static<typeof SpeakerNamesAnswer>;

export const NameSpeakersRequest = Type.Object({
  cache_dir: CacheDir,
  hash_str: HashStr,
  assignments: field(
    'Names of speakers.',
    Type.Array(
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
  ),
});
export type NameSpeakersRequest = Static<typeof NameSpeakersRequest>;

export interface Transcripts {
  load(cacheDir: string, signal?: AbortSignal): Promise<TranscriptLoadReport>;
  /** Whole transcripts by media path. */
  list(
    request: {
      readonly cache_dir: string;
      readonly media_paths: readonly string[];
      /** BCP 47; null or left out for the transcript itself. */
      readonly language?: string | null;
    },
    signal?: AbortSignal,
  ): Promise<TranscriptionsAnswer>;
  range(request: TranscriptRangeRequest, signal?: AbortSignal): Promise<TranscriptRangeAnswer>;
  search(request: TranscriptSearch, signal?: AbortSignal): Promise<TranscriptSearchAnswer>;
  name(request: NameSpeakersRequest, signal?: AbortSignal): Promise<SpeakerNamesAnswer>;
}
