// Watch folders: what is watched and how, and how the service that watches them stands, with the fields of the API.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { clearable, defaulted, described, named, nullable, oneOf } from '../../runtime/schema.ts';
import { speechBody } from '../analysis/stages/speech/request.ts';
import { MetadataFilter } from '../index/facets/contract.ts';
import { epsMeaning, usualEps } from '../models/face-distance.ts';

export const watchErrors = errorTable({
  WATCH_FOLDER_UNKNOWN: { meaning: 'Watch folder not found', status: 404, retryable: false },
  WATCH_FOLDER_MISSING: {
    meaning: 'folder_path does not exist or is not a folder',
    status: 400,
    retryable: false,
  },
  /** The same folder with the same analysis folder. */
  ALREADY_WATCHED: { meaning: 'The folder is already being watched', status: 409, retryable: false },
  CACHE_DIR_MISSING: {
    meaning: 'cache_dir does not exist or is not a folder',
    status: 400,
    retryable: false,
  },
  CACHE_DIR_NOT_ALLOWED: {
    meaning: 'cache_dir cannot be used as an analysis folder',
    status: 400,
    retryable: false,
  },
  INVALID_WATCH_FOLDER: {
    meaning: 'The settings of the watch folder are not valid',
    status: 400,
    retryable: false,
  },
  /** Another process with the same home folder does. */
  WATCHED_ELSEWHERE: {
    meaning: 'Another process is already watching the folders',
    status: 409,
    retryable: false,
  },
  NOT_WATCHING: { meaning: 'Folders are watched only by a running service', status: 409, retryable: false },
  WATCH_FOLDERS_DAMAGED: {
    meaning: 'The configuration of the watch folders cannot be read',
    status: 500,
    retryable: false,
  },
  WATCH_FOLDERS_UNWRITABLE: {
    meaning: 'The configuration of the watch folders cannot be written',
    status: 507,
    retryable: false,
  },
});

const Count = Type.Integer({ minimum: 0 });
const Seconds = Type.Number({ minimum: 0 });
const Globs = Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 1000 });

const Filter = Type.Object({
  facet_id: described(MetadataFilter.properties.facet_id, 'Id of a facet of /metadata/facets.'),
  operator: defaulted(MetadataFilter.properties.operator, 'is_any_of'),
  values: described(MetadataFilter.properties.values, 'At least one; a comparison takes exactly one.'),
});

/** What can be changed of a watch folder, in the order of the API, without defaults. */
const changeable = {
  cache_dir: described(
    clearable(Type.String({ minLength: 1, maxLength: 32_768 })),
    'Analysis folder, absolute, that is there; null is the default analysis folder.',
  ),
  enabled: described(Type.Boolean(), 'Whether it is watched while the watch-folder service runs.'),
  enable_visual_analysis: described(
    Type.Boolean(),
    'Analyse pictures, with things and printed words where their models are downloaded.',
  ),
  enable_audio_analysis: described(Type.Boolean(), 'Write down what is said.'),
  enable_face_analysis: described(Type.Boolean(), 'Find faces and cluster them into people.'),
  audio_language: described(
    Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
    'A name or a code: `english`, `de`, `pt-BR`; `auto` finds out.',
  ),
  cluster_job_name: described(
    clearable(Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' })),
    'Name of the face clustering; needed for face analysis.',
  ),
  face_eps: described(Type.Number({ minimum: 0, maximum: 2 }), epsMeaning),
  face_min_samples: described(Type.Integer({ minimum: 1 }), 'Faces near each other that begin a cluster.'),
  excluded_extensions: described(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 1000 }),
    'Kept in lower case with a leading dot.',
  ),
  excluded_filename_globs: described(Globs, 'Matched against the file name alone, whatever the case.'),
  excluded_folder_globs: described(
    Globs,
    'Without a separator: a folder of that name at any depth. With `/` or `\\`: paths below the watched folder, segment by ' +
      'segment from its root; a wildcard segment in the middle is exactly one level. Whatever the case.',
  ),
  channels: described(
    clearable(Type.Array(Type.Integer({ minimum: 1 }))),
    'Channels to transcribe, counted from 1, each by itself; null or empty: all mixed into one.',
  ),
  detect_speakers: described(speechBody.detect_speakers, 'Whether to detect speakers.'),
  speaker_count: speechBody.speaker_count,
  preferred_x_model_key: speechBody.preferred_x_model_key,
  metadata_filter_request: described(
    clearable(Type.Array(Filter), Type.Object({ filters: defaulted(Type.Array(Filter), []) })),
    'Only files that pass every filter are analysed; what is not known of a file filters nothing. A `scope` is ignored; ' +
      '`[]` and null clear it.',
  ),
};

/** Body of a new watch folder. */
export const NewWatchFolder = Type.Object({
  folder_path: described(
    Type.String({ minLength: 1, maxLength: 32_768 }),
    'Absolute path of a folder that is there; it cannot be changed later.',
  ),
  cache_dir: defaulted(changeable.cache_dir, null),
  enabled: defaulted(changeable.enabled, true),
  enable_visual_analysis: defaulted(changeable.enable_visual_analysis, true),
  enable_audio_analysis: defaulted(changeable.enable_audio_analysis, false),
  enable_face_analysis: defaulted(changeable.enable_face_analysis, false),
  audio_language: defaulted(changeable.audio_language, 'english'),
  cluster_job_name: defaulted(changeable.cluster_job_name, null),
  face_eps: defaulted(changeable.face_eps, usualEps),
  face_min_samples: defaulted(changeable.face_min_samples, 5),
  excluded_extensions: defaulted(changeable.excluded_extensions, []),
  excluded_filename_globs: defaulted(changeable.excluded_filename_globs, []),
  excluded_folder_globs: defaulted(changeable.excluded_folder_globs, []),
  channels: defaulted(changeable.channels, null),
  detect_speakers: changeable.detect_speakers,
  speaker_count: changeable.speaker_count,
  preferred_x_model_key: changeable.preferred_x_model_key,
  metadata_filter_request: defaulted(changeable.metadata_filter_request, null),
});
export type NewWatchFolder = Static<typeof NewWatchFolder>;

/** Body of a change: what is left out stays as it is. */
export const WatchFolderChanges = Type.Partial(Type.Object(withoutDefaults(changeable)));
export type WatchFolderChanges = Static<typeof WatchFolderChanges>;

/** A field that is left out of a change is no default. */
function withoutDefaults<F extends Record<string, object>>(fields: F): F {
  const bare = Object.entries(fields).map(([name, schema]) => {
    const { default: _, ...descriptors } = Object.getOwnPropertyDescriptors(schema) as Record<
      string,
      PropertyDescriptor
    >;
    return [name, Object.defineProperties({}, descriptors)];
  });
  return Object.fromEntries(bare) as F;
}

/** "Watch folder" of the API. */
export const WatchFolder = named(
  'WatchFolder',
  Type.Object({
    id: described(Type.String({ minLength: 1 }), 'Id of the watch folder.'),
    folder_path: described(Type.String({ minLength: 1 }), 'Absolute; cannot be changed.'),
    ...withoutDefaults(changeable),
    metadata_filter_request: described(
      nullable(Type.Object({ filters: Type.Array(MetadataFilter) })),
      'Only files that pass every filter are analysed; null for none.',
    ),
    created_at: described(Seconds, 'Unix seconds.'),
    last_poll_time: described(Seconds, 'When it was listed last, in Unix seconds; 0 before the first time.'),
    files_analyzed_count: described(Count, 'Files in it that are analysed.'),
  }),
);
export type WatchFolder = Static<typeof WatchFolder>;

export const watchStates = ['stopped', 'running', 'stopping', 'paused', 'waiting'] as const;
export type WatchState = (typeof watchStates)[number];

const FileFailure = Type.Object({ media_path: Type.String(), error: Type.String(), time: Seconds });
export type FileFailure = Static<typeof FileFailure>;

/** Most errors name the file themselves. */
export function failureText({ media_path, error }: FileFailure): string {
  return error.includes(media_path) ? error : `${media_path}: ${error}`;
}

export const FolderStats = named(
  'WatchFolderStats',
  Type.Object({
    files_pending: described(Count, 'Not analysed yet, those that are still being written among them.'),
    files_analyzed: described(Count, 'Analysed, by this service or before.'),
    files_failed: described(Count, 'Left alone until they change.'),
    files_filtered: described(Count, 'Left out by the metadata filter.'),
    last_poll_time: described(Seconds, 'Unix seconds; 0 before the first time.'),
    last_error: described(
      nullable(Type.String()),
      'What keeps it from being listed or worked on; else the file that failed last and why, until a file is analysed.',
    ),
    paused_until: described(
      nullable(Seconds),
      'When it is tried again, in Unix seconds, while it cannot be read; else null.',
    ),
    failures: described(Type.Array(FileFailure), 'The latest files that failed, newest first.'),
  }),
);
export type FolderStats = Static<typeof FolderStats>;

/** "Watch-folder service status" of the API. */
export const WatchStatus = named(
  'WatchServiceStatus',
  Type.Object({
    state: described(
      oneOf(...watchStates),
      '`running`: files are analysed, are still being written, or are pending for another reason. `waiting`: nothing is pending. `paused`: another task is active, or a folder cannot be ' +
        'read; tried again by itself. `stopping`: files that are being worked on are finished. `stopped`.',
    ),
    current_folder: described(nullable(Type.String()), 'Path of the watch folder that is worked on.'),
    current_file: described(nullable(Type.String()), 'A file that is worked on.'),
    task_id: described(nullable(Type.String()), 'The task that works on it: its room has the progress.'),
    files_pending: described(Count, 'Of all folders that are enabled.'),
    files_processed_this_session: described(Count, 'Since the service was started.'),
    last_error: described(
      nullable(Type.String()),
      'The same of the service and of all folders that are enabled.',
    ),
    paused_until: described(nullable(Seconds), 'Of `paused`: when it is tried again, in Unix seconds.'),
    folder_stats: described(Type.Record(Type.String(), FolderStats), 'By id of the watch folder.'),
  }),
);
export type WatchStatus = Static<typeof WatchStatus>;

export const WatchFolderList = Type.Object({
  watch_folders: Type.Array(WatchFolder),
  service_status: WatchStatus,
});
export type WatchFolderList = Static<typeof WatchFolderList>;

/**
 * The watch folders of this home folder, and the service that watches them. Configuration is read from the disk whenever
 * it may have changed, so that several processes see the same. Errors of all: WATCH_FOLDERS_DAMAGED.
 */
export interface WatchFolders {
  list(): Promise<WatchFolderList>;
  /**
   * Recorded (*flushed*) when answered; starts no service. Throws WATCH_FOLDER_MISSING, ALREADY_WATCHED, CACHE_DIR_MISSING,
   * CACHE_DIR_NOT_ALLOWED, INVALID_WATCH_FOLDER naming the field, the errors of filters, NO_FACE_MODEL,
   * WATCH_FOLDERS_UNWRITABLE.
   */
  add(folder: NewWatchFolder, signal: AbortSignal): Promise<WatchFolder>;
  /** The same, for what is given. WATCH_FOLDER_UNKNOWN. */
  change(id: string, changes: WatchFolderChanges, signal: AbortSignal): Promise<WatchFolder>;
  /** What was analysed stays. WATCH_FOLDER_UNKNOWN, WATCH_FOLDERS_UNWRITABLE. */
  remove(id: string): Promise<void>;
  /** Watches the folders that are enabled, now and after a restart. WATCHED_ELSEWHERE, NOT_WATCHING, WATCH_FOLDERS_UNWRITABLE. */
  start(): Promise<WatchStatus>;
  /** Answers at once: `stopping` while files are finished, then `stopped`. NOT_WATCHING, WATCH_FOLDERS_UNWRITABLE. */
  stop(): Promise<WatchStatus>;
  status(): Promise<WatchStatus>;
  /** Starts again what was running when the engine before it ended; says in the log why it does not. Never rejects. */
  resume(): Promise<void>;
  /** The engine ends: begins nothing any more. It stays recorded that it was running. Never rejects. */
  close(): Promise<void>;
}
