// What an analysis is asked for, what it tells while it works, and what it answers at the end.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { DecodeMode } from '../decoder/contract.ts';

export const analysisErrors = errorTable({
  NO_FILES: { meaning: 'There is no media to analyse', status: 400, retryable: false },
  QUARANTINED: {
    meaning: 'The file ended the engine twice and is left alone',
    status: 400,
    retryable: false,
  },
  FOLDER_UNREADABLE: { meaning: 'The folder cannot be read', status: 400, retryable: false },
  LINK_LOOP: { meaning: 'The link leads back to a folder above it', status: 400, retryable: false },
  ANOTHER_TASK: { meaning: 'Another task is active', status: 409, retryable: true },
});

export const AnalysisRequest = Type.Object({
  cache_dir: Type.String({ minLength: 1 }),
  /** Absolute paths of media files. */
  paths: Type.Array(Type.String({ minLength: 1 })),
  model_key: Type.String({ minLength: 1 }),
  decode: DecodeMode,
  /** Redo what is stored already. */
  force: Type.Boolean(),
});
export type AnalysisRequest = Static<typeof AnalysisRequest>;

/** How one file ended. `stored`: it was analysed before. `no_picture`: sound only, nothing to look at. */
export const FileOutcome = Type.Union([
  Type.Literal('analyzed'),
  Type.Literal('stored'),
  Type.Literal('no_picture'),
  Type.Literal('failed'),
  Type.Literal('cancelled'),
]);
export type FileOutcome = Static<typeof FileOutcome>;

export const FileResult = Type.Object({
  path: Type.String(),
  hash_str: Type.Union([Type.String(), Type.Null()]),
  outcome: FileOutcome,
  frames: Type.Integer(),
  /** Grid frames that could not be decoded. */
  missing_frames: Type.Integer(),
  duration_seconds: Type.Number(),
  error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
});
export type FileResult = Static<typeof FileResult>;

/** State of one file while its pictures are looked at. */
export interface FileProgress {
  readonly path: string;
  readonly frames: number;
  readonly grid_frames: number;
}

/** State of the whole task. `grid_frames` grows while files are still being surveyed. */
export interface TaskProgress {
  readonly files: number;
  readonly files_done: number;
  readonly surveyed: boolean;
  readonly frames: number;
  readonly grid_frames: number;
  /** Seconds of media looked at in this run, and wall time so far. */
  readonly media_seconds: number;
  readonly elapsed_seconds: number;
}

export type AnalysisEvent =
  | { readonly type: 'file'; readonly file: FileProgress }
  | { readonly type: 'result'; readonly result: FileResult }
  | { readonly type: 'task'; readonly task: TaskProgress };

export interface AnalysisReport {
  readonly task_id: string;
  readonly cancelled: boolean;
  readonly model_key: string;
  readonly results: readonly FileResult[];
  readonly progress: TaskProgress;
}
