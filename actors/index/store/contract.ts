// Media of an analysis folder: what each file is, where its data lies, and reasons why a folder cannot be
// read or written.
import { type Static, Type } from 'typebox';
import { ask, Bytes } from '../../../runtime/contract.ts';
import { errorTable } from '../../../runtime/errors.ts';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { described, field, nullable } from '../../../runtime/schema.ts';
import { FileIdentity, Probe } from '../../decoder/contract.ts';
import { SoundPeaks } from '../../decoder/peaks/contract.ts';

export const storeErrors = errorTable({
  STORE_UNAVAILABLE: { meaning: 'The analysis folder cannot be opened', status: 503, retryable: true },
  STORE_READ_ONLY: { meaning: 'The analysis folder cannot be written', status: 507 },
  STORE_FULL: { meaning: 'The disk of the analysis folder is full', status: 507 },
  STORE_TOO_NEW: { meaning: 'The analysis folder was written by a newer version', status: 503 },
  STORE_TOO_OLD: { meaning: 'The analysis folder was written by an older version', status: 503 },
  STORE_DAMAGED: { meaning: 'The analysis folder is damaged', status: 503 },
  STORE_IN_USE: { meaning: 'Another process is writing this analysis folder', status: 503, retryable: true },
  MEDIA_IN_WORK: { meaning: 'The media is being analysed', status: 409, retryable: true },
  STORE_REPLACED: {
    meaning: 'The analysis folder was removed or replaced while it was open',
    status: 503,
    retryable: true,
  },
  STAGE_LOST: { meaning: 'The stage was lost when the index restarted', status: 503, retryable: true },
  ROOTS_DAMAGED: { meaning: 'The file of the roots cannot be read', status: 503 },
  FOLLOWS_CLUSTER: { meaning: 'The analysis folder follows a cluster', status: 501 },
  OTHER_LIBRARY: { meaning: 'The analysis folder holds something else', status: 409 },
  NOT_ANALYZED: { meaning: 'This media has not been analysed', status: 400 },
  NOT_LOADED: { meaning: 'No analysis data is loaded', status: 400 },
  WRONG_DIMENSIONS: { meaning: 'The vector does not belong to the loaded model', status: 400 },
});

export const CacheDir = described(
  AbsolutePath,
  'Analysis folder: where the service keeps what it found. Absolute path; its layout is private to the service.',
);

export const ContentHash = field('Content hash of the file.', Type.String());
export const FilePath = field('Absolute path of the file.', Type.String());
export const StartSeconds = field('Start in seconds from the beginning of the file.', Type.Number());
export const EndSeconds = field('End (exclusive) in seconds from the beginning of the file.', Type.Number());

/** Every message names the folder it is about. */
export const Folder = { cache_dir: Type.String() };

/** Which load goes on: the number of the answer before; null or left out for one that begins. */
export const LoadNumber = { load: Type.Optional(Type.Union([Type.Integer(), Type.Null()])) };

/** Fields of a load in steps, between which searches are answered. */
export const LoadStep = {
  /** False: a part of the work is done, and the same message with `load` goes on with it. */
  done: Type.Boolean(),
  load: Type.Integer(),
};

export const MediaRecord = Type.Object({
  path: Type.String(),
  identity: FileIdentity,
  probe: Probe,
  /** Where the volume of the file is mounted; missing in records of older analyses. */
  volume: Type.Optional(Type.String()),
});
export type MediaRecord = Static<typeof MediaRecord>;

export const storeMessages = {
  /**
   * The identity stored for a path, if size, mtime, inode and ctime still agree; null otherwise. Records of
   * older analyses have no ctime, and agree with any.
   */
  known: ask(
    Type.Object({
      ...Folder,
      path: Type.String(),
      size_bytes: Type.Integer(),
      mtime_ms: Type.Number(),
      inode: Type.String(),
      ctime_ms: Type.Optional(Type.Number()),
    }),
    Type.Union([MediaRecord, Type.Null()]),
  ),
  /** Stores what a file is. *Flushed* when answered. */
  remember: ask(Type.Object({ ...Folder, media: MediaRecord }), Type.Object({})),
  /** Records for paths and for hashes, whatever lies at the paths now; null if there is none. */
  find: ask(
    Type.Object({ ...Folder, paths: Type.Array(Type.String()), hashes: Type.Array(Type.String()) }),
    Type.Object({
      by_path: Type.Array(Type.Union([MediaRecord, Type.Null()])),
      by_hash: Type.Array(Type.Union([MediaRecord, Type.Null()])),
    }),
    { together: 16 },
  ),
  /**
   * Records of the contents of a hash: several when files of the same hash differ, each with its own number.
   */
  alike: ask(
    Type.Object({ ...Folder, hash_str: Type.String() }),
    Type.Object({ media: Type.Array(MediaRecord) }),
  ),
  /**
   * Every path at which each content was seen, ascending, and the last one, whatever lies there now.
   * `records`: by path, of all these and of `paths`; null where there is none or it is damaged.
   */
  places: ask(
    Type.Object({ ...Folder, hashes: Type.Array(Type.String()), paths: Type.Array(Type.String()) }),
    Type.Object({
      contents: Type.Array(Type.Object({ last: nullable(Type.String()), paths: Type.Array(Type.String()) })),
      records: Type.Array(Type.Tuple([Type.String(), nullable(MediaRecord)])),
    }),
    { together: 16 },
  ),
  /** Folders in which the data of one file lies; null for what is not stored. */
  held: ask(
    Type.Object({ ...Folder, hash_str: Type.String() }),
    Type.Object({
      visual: Type.Union([Type.String(), Type.Null()]),
      audio: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  /**
   * Throws STORE_UNAVAILABLE and its like when the folder cannot be read. One that is not there yet, in a
   * folder that is, can be: it is empty, unless it `was_there`.
   */
  open: ask(Type.Object({ ...Folder, was_there: Type.Optional(Type.Boolean()) }), Type.Object({})),
  media: ask(Type.Object({ ...Folder }), Type.Object({ media: Type.Array(MediaRecord) })),
};

// Spans of interrupted work: what a stage has done of a long file, kept until the whole result is stored.
// Nothing of it is a result: it is neither searched nor listed, and only the same work on the same content
// takes it up.

export const SpanKey = Type.Object({
  /** The name of the stage in the journal. */
  stage: Type.String({ minLength: 1 }),
  hash_str: Type.String(),
  model_key: Type.String(),
  path: Type.String(),
  /** Everything else that changes the result, as one text: what was kept under another one is dropped. */
  settings: Type.String(),
  task_id: Type.String(),
  /** Only what this very task kept is taken up. */
  task_only: Type.Boolean(),
});
export type SpanKey = Static<typeof SpanKey>;

export const KeptSpan = Type.Object({
  /** How much was done at its end, in the unit of the stage. */
  position: Type.Number({ minimum: 0 }),
  bytes: Bytes,
});
export type KeptSpan = Static<typeof KeptSpan>;

export const spanMessages = {
  /** The spans that can be taken up, in order; what was kept for other work on the same is dropped. */
  kept_spans: ask(Type.Object({ ...Folder, span: SpanKey }), Type.Object({ spans: Type.Array(KeptSpan) })),
  /** Adds a span. *Flushed* when answered. */
  keep_span: ask(Type.Object({ ...Folder, span: SpanKey, ...KeptSpan.properties }), Type.Object({})),
  forget_spans: ask(Type.Object({ ...Folder, span: SpanKey }), Type.Object({})),
};

// The peaks of the sound of media, kept so that nobody decodes it again to draw it.

export const peakMessages = {
  /** Null where none are kept, or what is kept is damaged. */
  kept_peaks: ask(
    Type.Object({ ...Folder, hash_str: Type.String() }),
    Type.Object({ peaks: nullable(SoundPeaks) }),
  ),
  /**
   * Keeps them, until the media is forgotten. `stored` false: the media is not known, or the folder cannot be
   * written.
   */
  keep_peaks: ask(
    Type.Object({ ...Folder, hash_str: Type.String(), peaks: SoundPeaks }),
    Type.Object({ stored: Type.Boolean() }),
  ),
};
