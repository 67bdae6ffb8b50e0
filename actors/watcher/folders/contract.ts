// Watch folders: what is watched and how, and how the service that watches them stands, with the fields of
// the API.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import type { FileClaim } from '../../../runtime/files/lock.ts';
import { AbsolutePath } from '../../../runtime/paths.ts';
import {
  absolutePath,
  clearable,
  defaulted,
  described,
  field,
  named,
  nullable,
  oneOf,
} from '../../../runtime/schema.ts';
import { speechBody } from '../../analysis/stages/speech/kind.ts';
import { MetadataFilter, RequestedFilter } from '../../index/facets/contract.ts';
import { FilePath } from '../../index/store/contract.ts';
import { epsMeaning, usualEps } from '../../models/face-distance.ts';
import { LONGEST_EXTENSION } from '../exclusions.ts';

export const watchErrors = errorTable({
  WATCH_FOLDER_UNKNOWN: { meaning: 'Watch folder not found', status: 404 },
  WATCH_FOLDER_MISSING: { meaning: 'folder_path does not exist or is not a folder', status: 400 },
  /** The same folder with the same analysis folder. */
  ALREADY_WATCHED: { meaning: 'The folder is already being watched', status: 409 },
  CACHE_DIR_MISSING: { meaning: 'cache_dir does not exist or is not a folder', status: 400 },
  CACHE_DIR_NOT_ALLOWED: { meaning: 'cache_dir cannot be used as an analysis folder', status: 400 },
  INVALID_WATCH_FOLDER: { meaning: 'The settings of the watch folder are not valid', status: 400 },
  /** Another process with the same home folder does. */
  WATCHED_ELSEWHERE: { meaning: 'Another process is already watching the folders', status: 409 },
  NOT_WATCHING: { meaning: 'Folders are watched only by a running service', status: 409 },
  WATCH_FOLDERS_DAMAGED: { meaning: 'The configuration of the watch folders cannot be read', status: 500 },
  WATCH_FOLDERS_UNWRITABLE: {
    meaning: 'The configuration of the watch folders cannot be written',
    status: 507,
  },
});

const Count = Type.Integer({ minimum: 0 });
const Seconds = Type.Number({ minimum: 0 });
const LastPollTime = described(
  Seconds,
  'When the folder was last listed, as a Unix time in seconds; 0 before the first time.',
);
const Globs = Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 1000 });

/** Changeable settings of a watch folder, in the order of the API, without defaults. */
const changeable = {
  cache_dir: described(
    clearable(absolutePath(Type.String({ minLength: 1, maxLength: 32_768 }))),
    'Absolute path of an existing analysis folder; null for the default analysis folder.',
  ),
  enabled: described(
    Type.Boolean(),
    'Whether the folder is watched while the watch-folder service is running.',
  ),
  enable_visual_analysis: described(
    Type.Boolean(),
    'Whether to analyse pictures, including things, printed words, music and singing if their models are downloaded.',
  ),
  enable_audio_analysis: described(Type.Boolean(), 'Whether to transcribe speech.'),
  enable_face_analysis: described(Type.Boolean(), 'Whether to find faces and cluster them into people.'),
  audio_language: described(
    Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
    'Name or code of a language, such as `english`, `de` or `pt-BR`; `auto` detects the language.',
  ),
  cluster_job_name: described(
    clearable(Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' })),
    'Name of the face clustering; required for face analysis.',
  ),
  face_eps: described(Type.Number({ minimum: 0, maximum: 2 }), epsMeaning),
  face_min_samples: described(
    Type.Integer({ minimum: 1 }),
    'Smallest number of similar faces that make a cluster.',
  ),
  excluded_extensions: described(
    Type.Array(Type.String({ minLength: 1, maxLength: LONGEST_EXTENSION }), { maxItems: 1000 }),
    'File name extensions to exclude; stored in lower case with a leading dot, which counts as a character.',
  ),
  excluded_filename_globs: described(
    Globs,
    'Globs for file names to exclude, matched against the name only; case is ignored. `*` is any text, also at ' +
      'the start of a hidden name, `?` one character, `[a-f]` one of these, `[!a-f]` one of the others, `{a,b}` ' +
      'one of these texts. Everything else is literal, and a name always excludes itself. Example: `*_proxy.*`.',
  ),
  excluded_folder_globs: described(
    Globs,
    'Globs for folders to exclude; case is ignored. Without a separator: folders of that name at any ' +
      'depth. With `/` or `\\`: paths below the watched folder, segment by segment from its root; a ' +
      'wildcard segment, `**` too, matches exactly one level. Excluding a folder excludes everything in it. ' +
      'Examples: `cache` (at any depth), `/cache` (in the watched folder itself), `*/proxy` (one level below it).',
  ),
  channels: described(
    clearable(Type.Array(Type.Integer({ minimum: 1 }))),
    'Channels to transcribe separately, counted from 1. If null or empty, all channels are mixed into ' +
      'one.',
  ),
  detect_speakers: described(defaulted(Type.Boolean(), true), 'Whether to detect speakers.'),
  speaker_count: speechBody.speaker_count,
  preferred_x_model_key: speechBody.preferred_x_model_key,
  metadata_filter_request: described(
    clearable(
      Type.Array(RequestedFilter),
      Type.Object({
        filters: field('Filters. Media must pass all of them.', defaulted(Type.Array(RequestedFilter), [])),
      }),
    ),
    'Only files that pass every filter are analysed. Unknown properties of a file do not exclude it. A ' +
      '`scope` is ignored; `[]` and null clear the filters.',
  ),
};

export const NewWatchFolder = Type.Object({
  folder_path: described(AbsolutePath, 'Absolute path of an existing folder. It cannot be changed later.'),
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

/** In a change, a field that is left out takes no default. */
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

export const WatchFolder = named(
  'WatchFolder',
  Type.Object({
    id: described(Type.String({ minLength: 1 }), 'Id of the watch folder.'),
    folder_path: described(
      Type.String({ minLength: 1 }),
      'Absolute path of the folder, which cannot be changed.',
    ),
    ...withoutDefaults(changeable),
    metadata_filter_request: described(
      nullable(
        Type.Object({ filters: field('Filters. Media must pass all of them.', Type.Array(MetadataFilter)) }),
      ),
      'Only files that pass every filter are analysed; null if there are no filters.',
    ),
    created_at: described(Seconds, 'Unix seconds.'),
    last_poll_time: LastPollTime,
    files_analyzed_count: described(Count, 'Number of analysed files in the folder.'),
  }),
);
export type WatchFolder = Static<typeof WatchFolder>;

export const watchStates = ['stopped', 'running', 'stopping', 'paused', 'waiting'] as const;
export type WatchState = (typeof watchStates)[number];

const FileFailure = Type.Object({
  media_path: FilePath,
  error: field('Why the file could not be analysed.', Type.String()),
  time: field('When the file failed, as a Unix time in seconds.', Seconds),
});
export type FileFailure = Static<typeof FileFailure>;

/** Most errors name the file themselves. */
export function failureText({ media_path, error }: FileFailure): string {
  return error.includes(media_path) ? error : `${media_path}: ${error}`;
}

export const FolderStats = named(
  'WatchFolderStats',
  Type.Object({
    files_pending: described(
      Count,
      'Number of files not analysed yet, including files that are still being written.',
    ),
    files_analyzed: described(Count, 'Number of analysed files, including those analysed earlier.'),
    files_failed: described(
      Count,
      'Number of files that failed. They are not tried again until they change.',
    ),
    files_filtered: described(Count, 'Number of files excluded by the metadata filter.'),
    last_poll_time: LastPollTime,
    last_error: described(
      nullable(Type.String()),
      'Why the folder cannot be listed or analysed; otherwise the file that failed last and the reason, ' +
        'until a file has been analysed.',
    ),
    paused_until: described(
      nullable(Seconds),
      'When the folder will be tried again, as a Unix time in seconds, while it cannot be read; otherwise ' +
        'null.',
    ),
    failures: described(Type.Array(FileFailure), 'The latest files that failed, newest first.'),
  }),
);
export type FolderStats = Static<typeof FolderStats>;

export const WatchStatus = named(
  'WatchServiceStatus',
  Type.Object({
    state: described(
      oneOf(...watchStates),
      'State of the service. `running`: files are being analysed, are still being written, or are pending ' +
        'for another reason. `waiting`: no files are pending. `paused`: another task is active, or a folder ' +
        'cannot be read; the service tries again by itself. `stopping`: files in progress are being ' +
        'finished. `stopped`: the service is not running.',
    ),
    current_folder: described(nullable(Type.String()), 'Path of the watch folder in progress.'),
    current_file: described(nullable(Type.String()), 'A file in progress.'),
    task_id: described(
      nullable(Type.String()),
      'Id of the task that is analysing it. Its event room has the progress.',
    ),
    files_pending: described(Count, 'Number of pending files in all enabled folders.'),
    files_processed_this_session: described(
      Count,
      'Number of files processed since the service was started.',
    ),
    last_error: described(nullable(Type.String()), 'Why the service or an enabled folder failed last.'),
    paused_until: described(
      nullable(Seconds),
      'When the service will try again, as a Unix time in seconds, while it is `paused`.',
    ),
    folder_stats: described(Type.Record(Type.String(), FolderStats), 'Statistics by id of the watch folder.'),
  }),
);
export type WatchStatus = Static<typeof WatchStatus>;

export const WatchFolderList = Type.Object({
  watch_folders: field('All watch folders.', Type.Array(WatchFolder)),
  service_status: field('Status of the watch-folder service.', WatchStatus),
});
export type WatchFolderList = Static<typeof WatchFolderList>;

export interface WatchClaims {
  /** WATCHED_ELSEWHERE. `onLost`: another one may watch now. */
  claim(onLost: () => void): Promise<FileClaim>;
  /** Process that watches in place of this one; null if there is none. */
  other(): string | null;
}

/** The service of this machine, where several have watch folders in common. */
export interface OwnWatch extends WatchFolders {
  /** True if the service is recorded as running, here or elsewhere. */
  readonly isRecorded: boolean;
  record(running: boolean): Promise<void>;
  /** True if this machine can read every enabled folder; false if it watches nothing. */
  reads(): Promise<boolean>;
}

/** How machines that have watch folders in common watch them: one of them at a time. */
export interface SharedWatch {
  /**
   * The service of all of them. `open`: that of this machine, which watches when its claim is granted;
   * `resumes`: whether it takes over what another one has watched.
   */
  service(resumes: boolean, open: (claims: WatchClaims) => OwnWatch): WatchFolders;
  /** The folder of the ledgers, which all machines write. It is made. */
  ledgers(): string;
  /** Names the analysis folder of all machines. */
  readonly store: string;
}

/**
 * The watch folders of this home folder, and the service that watches them. Configuration is read from the
 * disk whenever it may have changed, so that several processes see the same. Errors of all:
 * WATCH_FOLDERS_DAMAGED.
 */
export interface WatchFolders {
  list(): Promise<WatchFolderList>;
  /**
   * Recorded (*flushed*) when answered; starts no service. Throws WATCH_FOLDER_MISSING, ALREADY_WATCHED,
   * CACHE_DIR_MISSING, CACHE_DIR_NOT_ALLOWED, INVALID_WATCH_FOLDER naming the field, the errors of filters,
   * NO_FACE_MODEL, WATCH_FOLDERS_UNWRITABLE.
   */
  add(folder: NewWatchFolder, signal: AbortSignal): Promise<WatchFolder>;
  /** The same, for what is given. WATCH_FOLDER_UNKNOWN. */
  change(id: string, changes: WatchFolderChanges, signal: AbortSignal): Promise<WatchFolder>;
  /** Keeps the results of the folder. WATCH_FOLDER_UNKNOWN, WATCH_FOLDERS_UNWRITABLE. */
  remove(id: string): Promise<void>;
  /**
   * Watches the folders that are enabled, now and after a restart. WATCHED_ELSEWHERE, NOT_WATCHING,
   * WATCH_FOLDERS_UNWRITABLE.
   */
  start(): Promise<WatchStatus>;
  /**
   * Answers at once: `stopping` while files are finished, then `stopped`. NOT_WATCHING,
   * WATCH_FOLDERS_UNWRITABLE.
   */
  stop(): Promise<WatchStatus>;
  status(): Promise<WatchStatus>;
  /**
   * Starts again what was running when the engine before it ended; says in the log why it does not. Never
   * rejects.
   */
  resume(): Promise<void>;
  /** The engine ends: begins nothing any more. It stays recorded that it was running. Never rejects. */
  close(): Promise<void>;
}
