// Speech in media: transcripts are stored, read, loaded into memory and searched, and their speakers named.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { errorTable } from '../../../runtime/errors.ts';
import { SpeakerRange, SpeakerVoices } from '../../diarizer/contract.ts';
import { MediaScope } from '../facets/contract.ts';
import { PeopleFilter } from '../people/contract.ts';
import { Folder, LoadNumber, LoadStep, MediaRecord } from '../store/contract.ts';

export const transcriptErrors = errorTable({
  UNKNOWN_SPEAKER: { meaning: 'Speaker not found in the transcript', status: 400 },
});

export const TranscriptSegment = Type.Object({
  start_seconds: Type.Number({ minimum: 0 }),
  end_seconds: Type.Number({ minimum: 0 }),
  /** Begins with a space. */
  text: Type.String(),
  /** `SPEAKER_00`, …; null when speakers were not detected. */
  speaker: Type.Union([Type.String(), Type.Null()]),
});
export type TranscriptSegment = Static<typeof TranscriptSegment>;

/** Subtitles in another language than those of the transcript, which are searched beside it. */
export const OtherLanguage = Type.Object({
  /** BCP 47; null where neither the name of the file nor the track says it. */
  language: Type.Union([Type.String(), Type.Null()]),
  /** Ascending by start. */
  segments: Type.Array(TranscriptSegment),
});
export type OtherLanguage = Static<typeof OtherLanguage>;

/** How a transcript came about; with it two requests are compared. */
export const TranscriptMark = Type.Object({
  /** `subtitles` for a transcript made of them. */
  model_key: Type.String(),
  /** Requested language, BCP 47; null for any. */
  language: Type.Union([Type.String(), Type.Null()]),
  /** The language that was spoken, BCP 47; null when nothing was said. */
  spoken: Type.Union([Type.String(), Type.Null()]),
  /**
   * Where another language begins, ascending by `from`, the index of its first segment; null where it is not
   * known. Left out where all segments are in the one that was spoken.
   */
  languages: Type.Optional(
    Type.Array(
      Type.Object({
        from: Type.Integer({ minimum: 0 }),
        language: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
  ),
  /** Null for the downmix. */
  channels: Type.Union([Type.Array(Type.Integer({ minimum: 1 })), Type.Null()]),
  detect_speakers: Type.Boolean(),
  /** Requested number: `auto`, `5+`, `1` to `4`. */
  speaker_count: Type.String(),
  /**
   * Which text the file beside the media had; null for a transcript from elsewhere; not there in older ones.
   */
  sidecar: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** The speakers were found by voice, and may be too many or too few. */
  speakers_uncertain: Type.Optional(Type.Boolean()),
  /** How many there may be; left out where their number is sure, and in older transcripts. */
  speaker_range: Type.Optional(SpeakerRange),
  /** Names that the subtitles give, by id of the speaker; a name that a person gives goes before. */
  speaker_names: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Left out where all subtitles of the media are in one language. */
  others: Type.Optional(Type.Array(OtherLanguage)),
});
export type TranscriptMark = Static<typeof TranscriptMark>;

export const Transcript = Type.Object({
  mark: TranscriptMark,
  /** Ascending by start. */
  segments: Type.Array(TranscriptSegment),
  /** Display names by speaker id. */
  names: Type.Record(Type.String(), Type.String()),
});
export type Transcript = Static<typeof Transcript>;

export const TranscriptLoadReport = Type.Object({
  ...LoadStep,
  /** Transcripts that can be searched now, and their segments. */
  media: Type.Integer(),
  segments: Type.Integer(),
  /** Hashes whose stored transcript is damaged. */
  unreadable: Type.Array(Type.String()),
});
export type TranscriptLoadReport = Static<typeof TranscriptLoadReport>;

/** Half-open, in seconds. */
export const TimeRange = Type.Tuple([Type.Number({ minimum: 0 }), Type.Number({ exclusiveMinimum: 0 })]);
export type TimeRange = Static<typeof TimeRange>;

const namedFields = {
  segment_index: Type.Integer({ minimum: 0 }),
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  text: Type.String(),
  /** Null when speakers were not detected. */
  speaker: Type.Union([Type.String(), Type.Null()]),
  /** The name that was given, else that of the subtitles, else the id. */
  speaker_name: Type.Union([Type.String(), Type.Null()]),
};

export const NamedSegment = Type.Object({
  ...namedFields,
  /** BCP 47; left out where it is that of the whole transcript. */
  language: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type NamedSegment = Static<typeof NamedSegment>;

export const TranscriptMatch = Type.Object({
  hash_str: Type.String(),
  path: Type.String(),
  ...namedFields,
  /** Language of other subtitles, in which `segment_index` counts. Left out for the transcript. */
  language: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type TranscriptMatch = Static<typeof TranscriptMatch>;

export const TranscriptMatches = Type.Object({
  matches: Type.Array(TranscriptMatch),
  /** Segments that match, also those beyond `max_results`; when there are very many, at least so many. */
  total: Type.Integer(),
  total_is_exact: Type.Boolean(),
});

export const TranscriptPart = Type.Object({
  /** Segments of the whole transcript; null when there is none. */
  stored: Type.Union([Type.Integer(), Type.Null()]),
  segments: Type.Array(NamedSegment),
});
export type TranscriptPart = Static<typeof TranscriptPart>;

export const transcriptMessages = {
  /** For each hash: true when its transcript is stored. */
  transcribed: ask(
    Type.Object({ ...Folder, hashes: Type.Array(Type.String()) }),
    Type.Object({ transcribed: Type.Array(Type.Boolean()) }),
  ),
  /**
   * Stores a transcript in the place of an earlier one, in one atomic write; names of speakers that are still
   * there stay, and links of voices. *Flushed*.
   */
  transcribe: ask(
    Type.Object({
      ...Folder,
      media: MediaRecord,
      mark: TranscriptMark,
      segments: Type.Array(TranscriptSegment),
      /** How its speakers sound; left out where nobody listened. */
      voices: Type.Optional(SpeakerVoices),
    }),
    Type.Object({}),
  ),
  /** How the stored transcript of each hash came about; null where there is none. */
  transcript_marks: ask(
    Type.Object({ ...Folder, hashes: Type.Array(Type.String()) }),
    Type.Object({ marks: Type.Array(Type.Union([TranscriptMark, Type.Null()])) }),
  ),
  /**
   * The stored transcript of each hash; null where there is none. `unreadable`: hashes whose transcript is
   * damaged.
   */
  transcripts: ask(
    Type.Object({ ...Folder, hashes: Type.Array(Type.String()) }),
    Type.Object({
      transcripts: Type.Array(Type.Union([Transcript, Type.Null()])),
      unreadable: Type.Array(Type.String()),
    }),
  ),
  /**
   * Gives speakers of a stored transcript their display names; an empty one takes the name away that was
   * given. All or none, *flushed*. NOT_ANALYZED without a transcript, UNKNOWN_SPEAKER naming the id,
   * BAD_NAME. Answers all names there are now.
   */
  name_speakers: ask(
    Type.Object({
      ...Folder,
      hash_str: Type.String(),
      assignments: Type.Array(Type.Object({ speaker: Type.String(), name: Type.String() })),
    }),
    Type.Object({ names: Type.Record(Type.String(), Type.String()) }),
  ),
  /**
   * Segments of a stored transcript that overlap `range` and come after segment `after` (null: from the
   * first), at most `most`. STORE_DAMAGED when it cannot be read.
   */
  transcript_part: ask(
    Type.Object({
      ...Folder,
      hash_str: Type.String(),
      range: TimeRange,
      after: Type.Union([Type.Integer(), Type.Null()]),
      most: Type.Integer({ minimum: 1 }),
    }),
    TranscriptPart,
  ),
  /**
   * Loads every transcript of a folder into memory, a part in each turn: to be sent again, with the number of
   * the answer, until `done`. What is loaded of another folder gives way then; one stored later can be
   * searched at once.
   */
  load_transcripts: ask(Type.Object({ ...Folder, ...LoadNumber }), TranscriptLoadReport),
  /**
   * Segments whose text holds `query`, whatever its case, accents, punctuation and writing of numbers,
   * ordered by path and time; at most `max_results`. A query that goes on in the next segments is found where
   * it begins.
   * NOT_LOADED when the transcripts of another folder are loaded, or none. `speaker_name`: only what this
   * speaker says, by id, by name or by a part of the name; part of one only where no speaker of that
   * transcript has exactly this one.
   */
  search_transcripts: ask(
    Type.Object({
      ...Folder,
      query: Type.String({ minLength: 1 }),
      speaker_name: Type.Union([Type.String(), Type.Null()]),
      scope: Type.Object({
        ...MediaScope.properties,
        /** Ranges by hash; only segments that overlap one of them. */
        ranges: Type.Record(Type.String(), Type.Array(TimeRange)),
      }),
      max_results: Type.Integer({ minimum: 1 }),
    }),
    TranscriptMatches,
  ),
  /**
   * Speech that answers a question, best first: segments with the whole `query`, as whole words before parts
   * of longer ones, then by path and time. If there is none, segments with more than half of its words,
   * without those that only make it a question; a word may also occur in the next segment, or be the
   * speaker's name. `people`: only segments during which they are seen. At most `max_results`. NOT_LOADED.
   */
  search_said: ask(
    Type.Object({
      ...Folder,
      query: Type.String({ minLength: 1 }),
      scope: Type.Object({
        ...MediaScope.properties,
        /** Ranges by hash; only segments that overlap one of them. */
        ranges: Type.Record(Type.String(), Type.Array(TimeRange)),
      }),
      people: Type.Optional(PeopleFilter),
      max_results: Type.Integer({ minimum: 1 }),
    }),
    Type.Object({
      matches: Type.Array(TranscriptMatch),
      /** Transcripts that can be searched. */
      media: Type.Integer(),
      /** The words that were looked for, when the whole query was not found. */
      words: Type.Array(Type.String()),
    }),
  ),
};
