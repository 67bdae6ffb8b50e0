// The library as a whole: what an analysis folder holds of which media, what is taken out of it, and footage
// that moves.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import {
  defaulted,
  described,
  field,
  Message,
  nullable,
  offsetOf,
  oneOf,
  shown,
} from '../../runtime/schema.ts';
import { OptionalSpeakerRange, SpeakersUncertain } from '../diarizer/contract.ts';
import { CacheDir, FilePath } from '../index/store/contract.ts';

export const libraryErrors = errorTable({
  NOT_IN_LIBRARY: { meaning: 'The media is not in the analysis folder', status: 404 },
  IN_WORK: { meaning: 'A task is working on this media', status: 409, retryable: true },
  FOLDER_GONE: { meaning: 'Folder not found', status: 404 },
  FOLDER_NOT_LISTED: { meaning: 'The folder cannot be listed', status: 400 },
  NOT_MOVED: { meaning: 'The footage is not at the new path', status: 400 },
});

const Count = Type.Integer({ minimum: 0 });

/** Unix seconds. */
const Stored = described(
  nullable(Type.Number()),
  'When it was stored, as a Unix time in seconds; null if it was stored by version 0.1.0 or earlier.',
);

export const LibraryResult = Type.Object({
  type: described(
    Type.String(),
    'The work that found it, as in tasks: `video`, `speech`, `faces`, `text`, `things`, `sounds` or `summary`; ' +
      '`previews` and `voices` come with other work. There may be more.',
  ),
  model_key: described(nullable(Type.String()), 'Key of the model that found it; null for previews.'),
  count: described(
    Count,
    'Number of frames, segments, faces, lines of text, things, ranges of sounds, previews, voices, or nodes ' +
      'of a summary.',
  ),
  stored: Stored,
});
export type LibraryResult = Static<typeof LibraryResult>;

const Results = described(Type.Array(LibraryResult), 'Everything that is stored, by the work that found it.');

export const LibraryMedia = Type.Object({
  media_path: described(Type.String(), 'The path at which the file was last seen.'),
  hash_str: described(Type.String(), 'Content hash. Copies have the same hash.'),
  replaced: described(
    Type.Boolean(),
    'Whether the file at the path has been replaced. The stored data then belongs to its former content.',
  ),
  kind: described(
    nullable(Type.String()),
    'Kind of the media: `video`, `audio` or `image`; null if the record is damaged.',
  ),
  size_bytes: described(nullable(Type.Integer()), 'Size of the file in bytes.'),
  duration_seconds: described(nullable(Type.Number()), '0 for stills.'),
  visual: described(
    Type.Array(
      Type.Object({
        model_key: described(Type.String(), 'Key of the visual model.'),
        frames: described(Count, 'Number of stored frames, one for each second.'),
        stored: Stored,
      }),
    ),
    'Stored visual analyses, one for each model.',
  ),
  transcript: described(
    nullable(
      Type.Object({
        model_key: described(Type.String(), 'Key of the speech model, or `subtitles`.'),
        language: described(
          nullable(Type.String()),
          'Spoken language as a BCP 47 code; null if nothing is said.',
        ),
        segments: described(Count, 'Number of segments in the transcript.'),
        speakers: described(Count, 'Number of speakers.'),
        speakers_uncertain: SpeakersUncertain,
        speaker_range: OptionalSpeakerRange,
        stored: Stored,
      }),
    ),
    'The stored transcript; null if there is none.',
  ),
  faces: described(
    Type.Array(
      Type.Object({
        model_key: described(Type.String(), 'Detector and embedder that found the faces.'),
        faces: described(Count, 'Number of stored faces.'),
        stored: Stored,
      }),
    ),
    'Stored faces, by the models that searched for them.',
  ),
  summaries: described(Count, 'Number of stored summaries.'),
  preview_bytes: described(Type.Number(), 'Size of the stored previews in bytes.'),
  unreadable: described(
    Type.Array(Type.String()),
    'Damaged parts: keys of models, `transcript`, or types of work.',
  ),
  results: Results,
});
export type LibraryMedia = Static<typeof LibraryMedia>;

export const LibraryPage = Type.Object({
  total: described(Count, 'Total number of media on all pages.'),
  offset: described(Count, 'Number of media before this page.'),
  limit: described(Count, 'Maximum number of media on a page.'),
  media: described(Type.Array(LibraryMedia), 'Media sorted by path.'),
});
export type LibraryPage = Static<typeof LibraryPage>;

export const PageRequest = Type.Object({
  cache_dir: CacheDir,
  under: Type.Optional(
    shown(
      described(AbsolutePath, 'Return only the files in this folder, or the file at this path.'),
      '/media',
    ),
  ),
  offset: offsetOf('media'),
  limit: defaulted(
    described(Type.Integer({ minimum: 0, maximum: 10_000 }), 'Maximum number of media.'),
    1000,
  ),
});
export type PageRequest = Static<typeof PageRequest>;

export const Forgotten = Type.Object({
  media_paths: described(Type.Array(Type.String()), 'All known paths of the content.'),
  hash_str: described(Type.String(), 'Content hash.'),
  frames: described(Count, 'Number of frames that were stored, by all models together.'),
  transcript: described(Type.Boolean(), 'Whether a transcript was stored.'),
  faces: described(Count, 'Number of faces that were stored.'),
  summaries: described(Count, 'Number of summaries that were stored.'),
  preview_bytes: described(Type.Number(), 'Size in bytes of its previews, which were deleted from the disk.'),
  results: Results,
});

const ClusteringsGone = described(
  Type.Array(Type.String()),
  'Face clusterings that are now empty, because all of their media were forgotten.',
);
export type Forgotten = Static<typeof Forgotten>;

export const ForgetAnswer = Type.Object({
  message: Message,
  dry_run: described(Type.Boolean(), 'Nothing was changed.'),
  forgotten: described(Type.Array(Forgotten), 'Media whose analysis was deleted.'),
  unknown: described(Type.Array(Type.String()), 'Paths that the analysis folder does not know.'),
  clusterings_gone: ClusteringsGone,
});
export type ForgetAnswer = Static<typeof ForgetAnswer>;

const DryRun = defaulted(
  described(Type.Boolean(), 'Return what would be done without changing anything.'),
  false,
);

export const ForgetRequest = Type.Object({
  cache_dir: CacheDir,
  media_paths: described(
    Type.Array(AbsolutePath, { minItems: 1, maxItems: 10_000 }),
    'Files, or folders for everything in them. They no longer have to exist.',
  ),
  dry_run: DryRun,
});
export type ForgetRequest = Static<typeof ForgetRequest>;

export const PruneRequest = Type.Object({ cache_dir: CacheDir, dry_run: DryRun });
export type PruneRequest = Static<typeof PruneRequest>;

export const PruneAnswer = Type.Object({
  message: Message,
  dry_run: described(Type.Boolean(), 'Nothing was changed.'),
  looked_at: described(Count, 'Number of media that were checked.'),
  forgotten: described(
    Type.Array(Forgotten),
    'Media whose files no longer exist and whose analysis was deleted.',
  ),
  clusterings_gone: ClusteringsGone,
  paths_gone: described(Type.Array(Type.String()), 'Removed paths of media that still exist at other paths.'),
  skipped: described(
    Type.Array(
      Type.Object({
        reason: described(Type.String(), 'Why it is unknown whether these media still exist.'),
        count: described(Count, 'Number of media that were kept for this reason.'),
        example: described(Type.String(), 'Path of one of these media.'),
      }),
    ),
    'Missing media that were kept, by reason.',
  ),
});
export type PruneAnswer = Static<typeof PruneAnswer>;

export const DiskAnswer = Type.Object({
  analysis: described(
    Type.Object({
      folder: described(Type.String(), 'Absolute path of the analysis folder.'),
      bytes: described(Type.Number(), 'Total size of the analysis folder.'),
      records_bytes: described(
        Type.Number(),
        'Size of media records, transcripts, summaries, names, and previews of stills.',
      ),
      vectors_bytes: described(Type.Number(), 'Size of the vectors of all models.'),
      people_bytes: described(
        Type.Number(),
        'Size of the vectors and pictures of faces and of face clusterings.',
      ),
      previews_bytes: described(Type.Number(), 'Size of the previews of films.'),
      peaks_bytes: described(Type.Number(), 'Size of the peaks of sound.'),
      proxies_bytes: described(Type.Number(), 'Size of the proxies of films and sound for browsers.'),
      unfinished_bytes: described(
        Type.Number(),
        'Size of data that is being written, or kept from interrupted work until it is finished.',
      ),
      models: described(
        Type.Array(
          Type.Object({
            model_key: field('Key of the model.', Type.String()),
            vectors: described(Count, 'Number of vectors in the files of the model.'),
            dead_vectors: described(
              Count,
              'Always 0: the disk space of deleted vectors is freed immediately.',
            ),
            bytes: described(Type.Number(), 'Size of the files of the model in bytes.'),
          }),
        ),
        'Models with stored vectors.',
      ),
      face_models: described(
        Type.Array(
          Type.Object({
            model_key: described(Type.String(), 'Keys of the detector and embedder.'),
            faces: described(Count, 'Number of faces in the files of the models.'),
            dead_faces: described(
              Count,
              'Number of these faces that were deleted or found again. The next compaction frees their disk space.',
            ),
            bytes: described(Type.Number(), 'Size of their files in bytes.'),
          }),
        ),
        'Models with stored faces.',
      ),
      summaries: described(
        Type.Object({
          count: described(Count, 'Number of stored summaries.'),
          nodes: described(Count, 'Number of nodes in all summaries.'),
          bytes: described(
            Type.Number(),
            'Size of their texts and evidence in bytes; included in `records_bytes`.',
          ),
        }),
        'Disk usage of summaries.',
      ),
    }),
    'Disk usage of the analysis folder.',
  ),
  models: described(
    Type.Object({
      folder: described(Type.String(), 'Absolute path of the models folder.'),
      bytes: described(Type.Number(), 'Size of downloaded models and partial downloads.'),
    }),
    'Disk usage of the models.',
  ),
  free_bytes: described(Type.Number(), 'Free bytes on the disk of the analysis folder.'),
});
export type DiskAnswer = Static<typeof DiskAnswer>;

export const MoveAnswer = Type.Object({
  message: Message,
  dry_run: described(Type.Boolean(), 'Nothing was changed.'),
  moved: described(Count, 'Number of changed paths.'),
  missing: described(Count, 'Number of these paths where no file exists now.'),
  stayed: described(
    Type.Array(
      Type.Object({
        media_path: FilePath,
        reason: field('Why the path was not changed.', Type.String()),
      }),
    ),
    'Paths that were not changed.',
  ),
});
export type MoveAnswer = Static<typeof MoveAnswer>;

export const MoveRequest = Type.Object({
  cache_dir: CacheDir,
  from: described(AbsolutePath, 'Folder where the footage was, or one file.'),
  to: described(AbsolutePath, 'Path where it is now.'),
  dry_run: DryRun,
});
export type MoveRequest = Static<typeof MoveRequest>;

/**
 * The coordinator of the library: what is stored is listed, forgotten and moved. Everywhere the errors of the
 * store, among them STORE_IN_USE when another process writes the folder.
 */
export interface Library {
  /** A folder of the disk, with what is analysed there. FOLDER_GONE, FOLDER_NOT_LISTED. */
  folder(request: FolderRequest, signal: AbortSignal): Promise<FolderPage>;
  list(request: PageRequest, signal: AbortSignal): Promise<LibraryPage>;
  /** NOT_IN_LIBRARY when none of the paths is known; IN_WORK, and then nothing is forgotten. */
  forget(request: ForgetRequest, signal: AbortSignal): Promise<ForgetAnswer>;
  /** Forgets media whose file is missing while its volume is there. */
  prune(request: PruneRequest, signal: AbortSignal): Promise<PruneAnswer>;
  disk(cacheDir: string, signal: AbortSignal): Promise<DiskAnswer>;
  /** NOT_IN_LIBRARY, NOT_MOVED, IN_WORK. Cut short, it is done again and goes on. */
  move(request: MoveRequest, signal: AbortSignal): Promise<MoveAnswer>;
}

// A folder of the disk as a page of it is answered: its folders, and its media with what is analysed of them.

const ListedCount = Type.Integer({ minimum: 0 });

export const Failure = Type.Object({
  code: described(Type.String(), 'Code of the error.'),
  message: described(Type.String(), 'What went wrong, with details.'),
  task_id: described(
    nullable(Type.String()),
    'Id of the task in which the work failed; null if the file itself cannot be accessed.',
  ),
});
export type Failure = Static<typeof Failure>;

export const ListedFile = Type.Object({
  media_path: FilePath,
  name: described(Type.String(), 'Its last part.'),
  kind: described(
    oneOf('video', 'audio', 'image'),
    'Kind of the media, derived from its name until the file has been analysed.',
  ),
  size_bytes: described(nullable(Type.Integer()), 'Size in bytes; null if the file cannot be accessed.'),
  modified_at: described(
    nullable(Type.Number()),
    'Time of the last change, as a Unix time in seconds; null if `size_bytes` is null.',
  ),
  hash_str: described(
    nullable(Type.String()),
    'Content hash; null if no file with this path, size and time is known.',
  ),
  visual: described(Type.Array(Type.String()), 'Visual models that have analysed its pictures.'),
  transcript: described(nullable(Type.String()), 'Speech model of its transcript, or `subtitles`.'),
  faces: described(Type.Boolean(), 'Whether the file has been searched for faces.'),
  summaries: described(ListedCount, 'Number of stored summaries.'),
  failure: described(
    nullable(Failure),
    'The last failure, unless the file has been analysed since. Only failures in tasks that are still ' +
      'recorded are known.',
  ),
});
export type ListedFile = Static<typeof ListedFile>;

export const FolderPage = Type.Object({
  folder: described(nullable(Type.String()), 'Path of the folder; null for the top folders.'),
  real_path: described(
    nullable(Type.String()),
    'Path of the folder with symbolic links resolved; null for the top folders.',
  ),
  parent: described(
    nullable(Type.String()),
    'Path of the parent folder; null if there is none and for the top folders.',
  ),
  home_folder: described(
    nullable(Type.String()),
    'Home folder of the user who runs the service, which `~` stands for; null if the system knows none.',
  ),
  export_folder: described(
    nullable(Type.String()),
    'Folder to propose for clips and other exports: `Movies` or `Videos` of the home folder, whichever ' +
      'exists; null without a home folder. With `create_folders` an export creates it if neither does.',
  ),
  folders: described(
    Type.Array(
      Type.Object({
        path: FilePath,
        name: described(Type.String(), 'Name of the folder; of a top folder, its path.'),
        analysed: described(ListedCount, 'Number of analysed files in this folder and its subfolders.'),
        is_wide_link: described(
          Type.Boolean(),
          'Whether it is a link to a folder above this one, to a whole volume or to one that the system ' +
            'generates. Such a link is not followed where whole folders are analysed.',
        ),
      }),
    ),
    'Folders of this page, in natural order.',
  ),
  files: described(
    Type.Array(ListedFile),
    'Media of this page, in natural order, after the folders. Hidden files and files whose names are not ' +
      'those of media are omitted.',
  ),
  total: described(ListedCount, 'Total number of folders and files on all pages.'),
  offset: described(ListedCount, 'Number of folders and files before this page.'),
  limit: described(ListedCount, 'Maximum number of folders and files on a page.'),
});
export type FolderPage = Static<typeof FolderPage>;

export const FolderRequest = Type.Object({
  cache_dir: CacheDir,
  folder: Type.Optional(described(AbsolutePath, 'The folder to list.')),
  offset: offsetOf('folders and files'),
  limit: defaulted(
    described(Type.Integer({ minimum: 0, maximum: 10_000 }), 'Maximum number of folders and files.'),
    1000,
  ),
});
export type FolderRequest = Static<typeof FolderRequest>;
