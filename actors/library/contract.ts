// The library as a whole: what an analysis folder holds of which media, what is taken out of it, and footage that moves.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { described, nullable } from '../../runtime/schema.ts';
import type { FolderPage, FolderRequest } from './listing/contract.ts';

export const libraryErrors = errorTable({
  NOT_IN_LIBRARY: { meaning: 'The media is not in the analysis folder', status: 404, retryable: false },
  IN_WORK: { meaning: 'A task is working on this media', status: 409, retryable: true },
  FOLDER_GONE: { meaning: 'Folder not found', status: 404, retryable: false },
  FOLDER_NOT_LISTED: { meaning: 'The folder cannot be listed', status: 400, retryable: false },
  NOT_MOVED: { meaning: 'The footage is not at the new path', status: 400, retryable: false },
});

const Count = Type.Integer({ minimum: 0 });

/** Unix seconds. */
const Stored = described(
  nullable(Type.Number()),
  'When it was stored, in seconds since 1970; null for what version 0.1.0 or an earlier one stored.',
);

export const LibraryMedia = Type.Object({
  media_path: described(Type.String(), 'The path at which it was seen last.'),
  hash_str: described(Type.String(), 'Content hash; copies have the same.'),
  replaced: described(
    Type.Boolean(),
    'The file at the path was replaced since: what is stored belongs to its former content.',
  ),
  kind: described(nullable(Type.String()), '`video`, `audio` or `image`; null where the record is damaged.'),
  size_bytes: described(nullable(Type.Integer()), 'Size of the file.'),
  duration_seconds: described(nullable(Type.Number()), '0 for stills.'),
  visual: described(
    Type.Array(
      Type.Object({
        model_key: described(Type.String(), 'The visual model that made it.'),
        frames: described(Count, 'Seconds of picture that are stored.'),
        stored: Stored,
      }),
    ),
    'The visual analyses that are stored, one a model.',
  ),
  transcript: described(
    nullable(
      Type.Object({
        model_key: described(Type.String(), 'The speech model, or `subtitles`.'),
        language: described(nullable(Type.String()), 'Spoken language, BCP 47; null when nothing was said.'),
        segments: described(Count, 'Segments of the transcript.'),
        speakers: described(Count, 'Speakers that are told apart.'),
        stored: Stored,
      }),
    ),
    'The transcript that is stored; null without one.',
  ),
  faces: described(
    Type.Array(
      Type.Object({
        model_key: described(Type.String(), 'Detector and embedder that found them.'),
        faces: described(Count, 'Faces that are stored.'),
        stored: Stored,
      }),
    ),
    'The faces that are stored, by the models that looked for them.',
  ),
  summaries: described(Count, 'Summaries that are stored of it.'),
  preview_bytes: described(Type.Number(), 'Bytes of its stored previews.'),
  unreadable: described(
    Type.Array(Type.String()),
    'What is damaged of it: keys of models, `transcript`, `previews`.',
  ),
});
export type LibraryMedia = Static<typeof LibraryMedia>;

export const LibraryPage = Type.Object({
  total: described(Count, 'Media there are, on all pages.'),
  offset: described(Count, 'Media before this page.'),
  limit: described(Count, 'Media of a page, at most.'),
  media: described(Type.Array(LibraryMedia), 'In the order of paths.'),
});
export type LibraryPage = Static<typeof LibraryPage>;

export interface PageRequest {
  readonly cache_dir: string;
  /** Only media that lie in this folder, or the one at this path; null for all. */
  readonly under: string | null;
  readonly offset: number;
  readonly limit: number;
}

export const Forgotten = Type.Object({
  media_paths: described(Type.Array(Type.String()), 'Every path the content was known by.'),
  hash_str: described(Type.String(), 'Content hash.'),
  frames: described(Count, 'Seconds of picture that were stored of it, over all models.'),
  transcript: described(Type.Boolean(), 'Whether a transcript was stored of it.'),
  faces: described(Count, 'Faces that were stored of it.'),
  summaries: described(Count, 'Summaries that were stored of it.'),
  preview_bytes: described(Type.Number(), 'Bytes of its previews, which are gone from the disk.'),
});

const ClusteringsGone = described(
  Type.Array(Type.String()),
  'Face clusterings of which nothing is left, because all of their media are forgotten.',
);
export type Forgotten = Static<typeof Forgotten>;

export const ForgetAnswer = Type.Object({
  message: Type.String(),
  dry_run: described(Type.Boolean(), 'Nothing was changed.'),
  forgotten: described(Type.Array(Forgotten), 'The media whose analysis is gone.'),
  unknown: described(Type.Array(Type.String()), 'Paths that the analysis folder knows nothing of.'),
  clusterings_gone: ClusteringsGone,
});
export type ForgetAnswer = Static<typeof ForgetAnswer>;

export interface ForgetRequest {
  readonly cache_dir: string;
  /** Absolute paths of files, or of folders for everything in them. */
  readonly media_paths: readonly string[];
  readonly dry_run: boolean;
}

export const PruneAnswer = Type.Object({
  message: Type.String(),
  dry_run: described(Type.Boolean(), 'Nothing was changed.'),
  looked_at: described(Count, 'Media that were looked for.'),
  forgotten: described(Type.Array(Forgotten), 'The media whose file is gone, and their analysis with it.'),
  clusterings_gone: ClusteringsGone,
  paths_gone: described(
    Type.Array(Type.String()),
    'Paths that are forgotten of media that still lie elsewhere.',
  ),
  skipped: described(
    Type.Array(
      Type.Object({
        reason: described(Type.String(), 'Why it is not known whether they are gone.'),
        count: described(Count, 'Media that are left alone for it.'),
        example: described(Type.String(), 'The path of one of them.'),
      }),
    ),
    'Media that are missing and left alone, by the reason.',
  ),
});
export type PruneAnswer = Static<typeof PruneAnswer>;

export const DiskAnswer = Type.Object({
  analysis: described(
    Type.Object({
      folder: described(Type.String(), 'The analysis folder, absolute.'),
      bytes: described(Type.Number(), 'All that the service keeps there.'),
      records_bytes: described(Type.Number(), 'Media, transcripts, summaries, names, previews of stills.'),
      vectors_bytes: described(Type.Number(), 'Vectors of all models.'),
      people_bytes: described(
        Type.Number(),
        'Vectors and pictures of faces, and what belongs to clusterings of them.',
      ),
      previews_bytes: described(Type.Number(), 'Previews of films.'),
      peaks_bytes: described(Type.Number(), 'Peaks of sound.'),
      proxies_bytes: described(
        Type.Number(),
        'Films and sound that browsers play, made of those they do not.',
      ),
      unfinished_bytes: described(
        Type.Number(),
        'What is being written, and what is kept of interrupted work until it is finished.',
      ),
      models: described(
        Type.Array(
          Type.Object({
            model_key: Type.String(),
            vectors: described(Count, 'Vectors in its files.'),
            dead_vectors: described(
              Count,
              'Of these, vectors of removed media; the next compaction frees their space.',
            ),
            bytes: described(Type.Number(), 'Bytes of its files.'),
          }),
        ),
        'The models whose vectors are stored.',
      ),
      face_models: described(
        Type.Array(
          Type.Object({
            model_key: described(Type.String(), 'Detector and embedder.'),
            faces: described(Count, 'Faces in their files.'),
            dead_faces: described(
              Count,
              'Of these, faces that were deleted or found again; the next compaction frees their space.',
            ),
            bytes: described(Type.Number(), 'Bytes of their files.'),
          }),
        ),
        'The models whose faces are stored.',
      ),
      summaries: described(
        Type.Object({
          count: described(Count, 'Summaries that are stored.'),
          nodes: described(Count, 'Nodes of all of them.'),
          bytes: described(Type.Number(), 'Bytes of their texts and evidence, a part of `records_bytes`.'),
        }),
        'What summaries take.',
      ),
    }),
    'What the analysis folder takes.',
  ),
  models: described(
    Type.Object({
      folder: described(Type.String(), 'The folder of the models, absolute.'),
      bytes: described(Type.Number(), 'Downloaded models, and what is left of downloads.'),
    }),
    'What the models take.',
  ),
  free_bytes: described(Type.Number(), 'Free on the disk of the analysis folder.'),
});
export type DiskAnswer = Static<typeof DiskAnswer>;

export const MoveAnswer = Type.Object({
  message: Type.String(),
  dry_run: described(Type.Boolean(), 'Nothing was changed.'),
  moved: described(Count, 'Paths that were changed.'),
  missing: described(Count, 'Of these, paths at which there is no file now.'),
  stayed: described(
    Type.Array(Type.Object({ media_path: Type.String(), reason: Type.String() })),
    'Paths that were left as they are.',
  ),
});
export type MoveAnswer = Static<typeof MoveAnswer>;

export interface MoveRequest {
  readonly cache_dir: string;
  /** Absolute: a folder of footage, or one file, and where it lies now. */
  readonly from: string;
  readonly to: string;
  readonly dry_run: boolean;
}

/**
 * The coordinator of the library: what is stored is listed, forgotten and moved. Everywhere the errors of the store, among
 * them STORE_IN_USE when another process writes the folder.
 */
export interface Library {
  /** A folder of the disk, with what is analysed there. FOLDER_GONE, FOLDER_NOT_LISTED. */
  folder(request: FolderRequest, signal: AbortSignal): Promise<FolderPage>;
  list(request: PageRequest, signal: AbortSignal): Promise<LibraryPage>;
  /** NOT_IN_LIBRARY when none of the paths is known; IN_WORK, and then nothing is forgotten. */
  forget(request: ForgetRequest, signal: AbortSignal): Promise<ForgetAnswer>;
  /** Forgets media whose file is missing while its volume is there. */
  prune(
    request: { readonly cache_dir: string; readonly dry_run: boolean },
    signal: AbortSignal,
  ): Promise<PruneAnswer>;
  disk(cacheDir: string, signal: AbortSignal): Promise<DiskAnswer>;
  /** NOT_IN_LIBRARY, NOT_MOVED, IN_WORK. Cut short, it is done again and goes on. */
  move(request: MoveRequest, signal: AbortSignal): Promise<MoveAnswer>;
}
