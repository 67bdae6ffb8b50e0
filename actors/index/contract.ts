// What the index answers: it keeps what analysis found (on disk), holds the vectors of loaded media (in memory) and
// ranks. One thread owns the store for writing.
import { type Static, Type } from 'typebox';
import { ask, Bytes, contract, Floats } from '../../runtime/contract.ts';
import { errorTable } from '../../runtime/errors.ts';
import { FileIdentity, Probe } from '../decoder/contract.ts';
import { FacetReport } from './facets/contract.ts';
import {
  TimeRange,
  TranscriptLoadReport,
  TranscriptMatches,
  TranscriptPart,
} from './transcripts/contract.ts';

export const storeErrors = errorTable({
  STORE_UNAVAILABLE: { meaning: 'The analysis folder cannot be opened', status: 503, retryable: true },
  STORE_READ_ONLY: { meaning: 'The analysis folder cannot be written', status: 503, retryable: true },
  STORE_FULL: { meaning: 'The disk of the analysis folder is full', status: 503, retryable: true },
  STORE_TOO_NEW: {
    meaning: 'The analysis folder was written by a newer version',
    status: 503,
    retryable: false,
  },
  STORE_DAMAGED: { meaning: 'The analysis folder is damaged', status: 503, retryable: false },
  STORE_IN_USE: { meaning: 'Another process is writing this analysis folder', status: 503, retryable: true },
  STAGE_LOST: { meaning: 'The stage was lost when the index restarted', status: 503, retryable: true },
  NOT_ANALYZED: { meaning: 'This media has no analysis', status: 400, retryable: false },
  UNKNOWN_SPEAKER: { meaning: 'The transcript has no such speaker', status: 400, retryable: false },
  NOT_LOADED: { meaning: 'No analysis data is loaded', status: 400, retryable: false },
  WRONG_DIMENSIONS: {
    meaning: 'The vector does not belong to the loaded model',
    status: 400,
    retryable: false,
  },
});

const Folder = { cache_dir: Type.String() };

/** One file of media as the store knows it. */
export const MediaRecord = Type.Object({ path: Type.String(), identity: FileIdentity, probe: Probe });
export type MediaRecord = Static<typeof MediaRecord>;

/** Half-open range of grid frames. */
export const FrameRange = Type.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 1 })]);
export type FrameRange = Static<typeof FrameRange>;

function words<const W extends readonly string[]>(...list: W) {
  return Type.Unsafe<W[number]>({ type: 'string', enum: [...list] });
}

export const filterErrors = errorTable({
  UNKNOWN_FACET: { meaning: 'There is no such facet', status: 400, retryable: false },
  WRONG_OPERATOR: { meaning: 'The operator does not fit the facet', status: 400, retryable: false },
  WRONG_VALUES: { meaning: 'The values do not fit the facet', status: 400, retryable: false },
});

export const FilterOperator = words(
  'is_any_of',
  'is_not',
  'include_any_of',
  'include_all_of',
  'exclude_any_of',
  'exclude_all_of',
  'before',
  'after',
  'greater_than',
  'less_than',
);
export type FilterOperator = Static<typeof FilterOperator>;

/** A condition on what is known of a media. Several conditions all have to hold. */
export const MetadataFilter = Type.Object({
  facet_id: Type.String(),
  operator: FilterOperator,
  values: Type.Array(Type.String()),
});
export type MetadataFilter = Static<typeof MetadataFilter>;

export const MediaType = words('visual', 'speech', 'any');
export type MediaType = Static<typeof MediaType>;

/** Which media facets speak of. */
export const FacetScope = Type.Union([
  /** Files, by hash; null for one whose hash is not known. */
  Type.Object({
    mode: Type.Literal('paths'),
    hashes: Type.Array(Type.Union([Type.String(), Type.Null()])),
  }),
  /** What can be searched of what is loaded of the folder by this model, or null for none. */
  Type.Object({
    mode: Type.Literal('global'),
    media_type: MediaType,
    model_key: Type.Union([Type.String(), Type.Null()]),
    /** NOT_LOADED unless the transcripts of the folder are loaded. */
    transcripts: Type.Optional(Type.Boolean()),
  }),
]);
export type FacetScope = Static<typeof FacetScope>;

export const TranscriptSegment = Type.Object({
  start_seconds: Type.Number({ minimum: 0 }),
  end_seconds: Type.Number({ minimum: 0 }),
  /** Begins with a space. */
  text: Type.String(),
  /** `SPEAKER_00`, … or a name that the subtitles give; null when nobody looked who speaks. */
  speaker: Type.Union([Type.String(), Type.Null()]),
});
export type TranscriptSegment = Static<typeof TranscriptSegment>;

/** How a transcript came about; with it two requests are compared. */
export const TranscriptMark = Type.Object({
  /** `subtitles` for what was read and not heard. */
  model_key: Type.String(),
  /** What was asked for, BCP 47; null for whatever is spoken. */
  language: Type.Union([Type.String(), Type.Null()]),
  /** What was heard, BCP 47; null when nothing was said. */
  spoken: Type.Union([Type.String(), Type.Null()]),
  /** Null for the downmix. */
  channels: Type.Union([Type.Array(Type.Integer({ minimum: 1 })), Type.Null()]),
  detect_speakers: Type.Boolean(),
  /** As asked for: `auto`, `5+`, `1` to `4`. */
  speaker_count: Type.String(),
  /** Which text the file beside the media had; null for a transcript from elsewhere; not there in older ones. */
  sidecar: Type.Optional(Type.Union([Type.String(), Type.Null()])),
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

/**
 * Which rows a search looks at: `hashes` null means all loaded media; `ranges` limits some of them, by hash; what does not
 * pass every filter is left out, media without metadata too as soon as there is one filter.
 */
export const Scope = Type.Object({
  hashes: Type.Union([Type.Array(Type.String()), Type.Null()]),
  ranges: Type.Record(Type.String(), Type.Array(FrameRange)),
  filters: Type.Array(MetadataFilter),
});
export type Scope = Static<typeof Scope>;

export const RankedMatch = Type.Object({
  hash_str: Type.String(),
  path: Type.String(),
  frame_index: Type.Integer(),
  /** Half-open range of grid frames of the scene around the match. */
  scene_start: Type.Integer(),
  scene_end: Type.Integer(),
  /** Position in the ranking before grouping per video. */
  original_index: Type.Integer(),
  score: Type.Number(),
});
export type RankedMatch = Static<typeof RankedMatch>;

export const LoadReport = Type.Object({
  media: Type.Integer(),
  vectors: Type.Integer(),
  /** Hashes or paths asked for that have no analysis by this model. */
  missing: Type.Array(Type.String()),
  /** Hashes whose stored data is damaged. */
  unreadable: Type.Array(Type.String()),
});
export type LoadReport = Static<typeof LoadReport>;

export const indexContract = contract('index', {
  /** The identity stored for a path, if size, mtime and inode still agree; null otherwise. */
  known: ask(
    Type.Object({
      ...Folder,
      path: Type.String(),
      size_bytes: Type.Integer(),
      mtime_ms: Type.Number(),
      inode: Type.String(),
    }),
    Type.Union([MediaRecord, Type.Null()]),
  ),
  /** Stores what a file is. *Flushed* when answered. */
  remember: ask(Type.Object({ ...Folder, media: MediaRecord }), Type.Object({})),
  /** For each hash: true when the visual stage by this model, or by any for null, is stored whole. */
  stored: ask(
    Type.Object({
      ...Folder,
      model_key: Type.Union([Type.String(), Type.Null()]),
      hashes: Type.Array(Type.String()),
    }),
    Type.Object({ stored: Type.Array(Type.Boolean()) }),
  ),
  /** For each hash: true when its transcript is stored. */
  transcribed: ask(
    Type.Object({ ...Folder, hashes: Type.Array(Type.String()) }),
    Type.Object({ transcribed: Type.Array(Type.Boolean()) }),
  ),
  /** Stores a transcript in the place of an earlier one, in one atomic write; names of speakers that are still there stay. *Flushed*. */
  transcribe: ask(
    Type.Object({
      ...Folder,
      media: MediaRecord,
      mark: TranscriptMark,
      segments: Type.Array(TranscriptSegment),
    }),
    Type.Object({}),
  ),
  /** How the stored transcript of each hash came about; null where there is none. */
  transcript_marks: ask(
    Type.Object({ ...Folder, hashes: Type.Array(Type.String()) }),
    Type.Object({ marks: Type.Array(Type.Union([TranscriptMark, Type.Null()])) }),
  ),
  /** The stored transcript of each hash; null where there is none. `unreadable`: hashes whose transcript is damaged. */
  transcripts: ask(
    Type.Object({ ...Folder, hashes: Type.Array(Type.String()) }),
    Type.Object({
      transcripts: Type.Array(Type.Union([Transcript, Type.Null()])),
      unreadable: Type.Array(Type.String()),
    }),
  ),
  /**
   * Gives speakers of a stored transcript their display names; an empty one takes the name away. All or none, *flushed*.
   * NOT_ANALYZED without a transcript, UNKNOWN_SPEAKER naming the id. Answers all names there are now.
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
   * Segments of a stored transcript that overlap `range` and come after segment `after` (null: from the first), at most
   * `most`. STORE_DAMAGED when it cannot be read.
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
   * Loads every transcript of a folder into memory, a part in each turn: to be sent again until `done`. What is loaded of
   * another folder gives way then; one stored later can be searched at once.
   */
  load_transcripts: ask(Type.Object({ ...Folder }), TranscriptLoadReport),
  /**
   * Segments whose text holds `query`, whatever its case, ordered by path and time; at most `max_results`. NOT_LOADED when
   * the transcripts of another folder are loaded, or none. `speaker_name`: only what this speaker says.
   */
  search_transcripts: ask(
    Type.Object({
      ...Folder,
      query: Type.String({ minLength: 1 }),
      speaker_name: Type.Union([Type.String(), Type.Null()]),
      scope: Type.Object({
        ...Type.Omit(Scope, ['ranges']).properties,
        /** By hash; segments that overlap one of them. */
        ranges: Type.Record(Type.String(), Type.Array(TimeRange)),
      }),
      max_results: Type.Integer({ minimum: 1 }),
    }),
    TranscriptMatches,
  ),
  /** What was remembered for paths and for hashes, whatever lies at the paths now; null where nothing was. */
  find: ask(
    Type.Object({ ...Folder, paths: Type.Array(Type.String()), hashes: Type.Array(Type.String()) }),
    Type.Object({
      by_path: Type.Array(Type.Union([MediaRecord, Type.Null()])),
      by_hash: Type.Array(Type.Union([MediaRecord, Type.Null()])),
    }),
  ),
  /** Folders in which the data of one file lies; null for what is not stored. */
  held: ask(
    Type.Object({ ...Folder, hash_str: Type.String() }),
    Type.Object({
      visual: Type.Union([Type.String(), Type.Null()]),
      audio: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  /** Throws STORE_UNAVAILABLE and its like when the folder cannot be read. */
  open: ask(Type.Object({ ...Folder }), Type.Object({})),
  /** All media of the folder. */
  media: ask(Type.Object({ ...Folder }), Type.Object({ media: Type.Array(MediaRecord) })),
  /** Begins the visual stage of one file; what an unfinished earlier one left is dropped. */
  begin: ask(
    Type.Object({ ...Folder, hash_str: Type.String(), model_key: Type.String(), dimensions: Type.Integer() }),
    Type.Object({ stage: Type.Integer() }),
  ),
  /** Adds frames, ascending. `vectors`: n×d, L2-normalised, *moved*. *Accepted*, not stored, when answered. */
  append: ask(
    Type.Object({
      stage: Type.Integer(),
      frames: Type.Array(Type.Integer({ minimum: 0 })),
      vectors: Floats,
      /** JPEG of each frame. */
      previews: Type.Array(Bytes),
    }),
    Type.Object({}),
  ),
  /** Makes the stage visible in one atomic write. *Flushed* when answered. */
  commit: ask(
    Type.Object({ stage: Type.Integer(), media: MediaRecord }),
    Type.Object({ vectors: Type.Integer() }),
  ),
  /** Forgets the stage; nothing of it stays. A stage that is not open is forgotten already. */
  abort: ask(Type.Object({ stage: Type.Integer() }), Type.Object({})),
  /** Loads vectors into memory: `hashes` null means everything stored by this model. Replaces nothing already loaded
   * of the same folder and model; another folder or model drops what was loaded before. */
  load: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      hashes: Type.Union([Type.Array(Type.String()), Type.Null()]),
    }),
    LoadReport,
  ),
  drop: ask(Type.Object({}), Type.Object({})),
  /**
   * For each name, a path or a hash: the hash of the media the folder knows by it, or null; and whether its vectors are
   * loaded, or its transcript when `model_key` is null. NOT_LOADED when what is loaded is of another folder or model.
   * `filters` are only checked, so that a wrong one is told whatever becomes of the search.
   */
  resolve: ask(
    Type.Object({
      ...Folder,
      model_key: Type.Union([Type.String(), Type.Null()]),
      names: Type.Array(Type.String()),
      filters: Type.Array(MetadataFilter),
    }),
    Type.Object({
      hashes: Type.Array(Type.Union([Type.String(), Type.Null()])),
      loaded: Type.Array(Type.Boolean()),
    }),
  ),
  /**
   * What the media in scope can be filtered by, with counts under the filters in force. NOT_LOADED when a global scope
   * is not of what is loaded.
   */
  facets: ask(
    Type.Object({ ...Folder, scope: FacetScope, filters: Type.Array(MetadataFilter) }),
    FacetReport,
  ),
  /**
   * Ranks the loaded frames, best first. NOT_LOADED when what is loaded is of another folder or model. `text`, `picture`:
   * d, L2-normalised; each is optional but one must be there; `text_weight` weighs text against a picture's 1 when both
   * are. `exclude`: k×d, a soft signal that lowers what it resembles.
   */
  search: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      text: Type.Union([Floats, Type.Null()]),
      picture: Type.Union([Floats, Type.Null()]),
      text_weight: Type.Number({ minimum: 0 }),
      exclude: Type.Union([Floats, Type.Null()]),
      scope: Scope,
      max_results: Type.Integer({ minimum: 1 }),
    }),
    Type.Object({ matches: Type.Array(RankedMatch), searched: Type.Integer() }),
  ),
  /** The stored vector of one frame, d; null when it is not stored. */
  vector: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      hash_str: Type.String(),
      frame_index: Type.Integer(),
    }),
    Type.Object({ vector: Type.Union([Floats, Type.Null()]) }),
  ),
  /** JPEG of each frame, *moved*; null where there is none. `unreadable`: hashes whose previews are damaged. */
  previews: ask(
    Type.Object({
      ...Folder,
      frames: Type.Array(Type.Object({ hash_str: Type.String(), frame_index: Type.Integer() })),
    }),
    Type.Object({
      previews: Type.Array(Type.Union([Bytes, Type.Null()])),
      unreadable: Type.Optional(Type.Array(Type.String())),
    }),
  ),
});
