// The tally of one run of a task: counts results and makes snapshots. Pure but for the clock it is given.
import { type AnalysisRequest, analysisErrors, type WorkResult } from '../contract.ts';
import type { TaskProgress } from '../progress.ts';
import { amountFields, count, noneDone, workKey } from '../result.ts';
import { hasWork, type StageJob, type StageKind } from '../stages/kind.ts';
import { piecesOf } from '../stages/stage.ts';
import type { TaskCounts, TaskError, TaskSnapshot, TaskSource, TaskState } from './contract.ts';

/** Position of a task that does not wait. */
export const nowhere = { queue_position: null, waits_for: null } as const;

interface NewTaskFields {
  readonly task_id: string;
  readonly request: AnalysisRequest;
  readonly source: TaskSource;
  readonly state: TaskState;
  /** Unix seconds. */
  readonly now: number;
}

/** A task at the moment a run of it is recorded. */
export function newTask(
  kinds: readonly StageKind[],
  { task_id, request, source, state, now }: NewTaskFields,
): TaskSnapshot {
  const { cache_dir, force } = request;
  const values: Readonly<Record<string, unknown>> = request;
  const shown = kinds.flatMap(({ shows }) => shows.map((name) => [name, values[name]] as const));
  const pieces = kinds.map((kind) => ({ type: kind.type, ...piecesIn(kind.jobsOf(request)) }));
  const files = pieces.reduce((sum, piece) => sum + piece.files, 0);
  const jobs = pieces.reduce((sum, piece) => sum + piece.jobs, 0);
  const types = pieces.filter((piece) => piece.files + piece.jobs > 0).map(({ type }) => type);
  return {
    task_id,
    state,
    created: now,
    started: now,
    ended: null,
    counts: noneDone(kinds, files, jobs),
    progress: 0,
    ...amountFields(kinds, undefined),
    elapsed_seconds: 0,
    estimated_remaining_seconds: null,
    error: null,
    source,
    ...nowhere,
    request: { cache_dir, ...Object.fromEntries(shown), force, files, types },
  } as TaskSnapshot;
}

/** Pieces of work, as the runner will count them. */
function piecesIn(jobs: readonly StageJob[]): { readonly files: number; readonly jobs: number } {
  const { paths, closing } = piecesOf({ jobs: jobs.filter(hasWork) });
  return { files: paths.length, jobs: closing.length };
}

export interface RunTally {
  /** The run begins now. `started`: Unix seconds. */
  begin(started: number): void;
  /** The run ends before it has begun: what earlier ones did is what there is. */
  giveUp(): void;
  /** Answers the result that stands for the file, and whether it still has to be recorded. */
  result(result: WorkResult): { readonly stands: WorkResult; readonly fresh: boolean };
  progress(progress: TaskProgress): void;
  /** Why the task as a whole failed: all of its files did. Null otherwise. */
  failure(): TaskError | null;
  /** `ended`: Unix seconds. */
  snapshot(state: TaskState, ended?: number, error?: TaskError | null): TaskSnapshot;
}

/**
 * `earlier`: results of earlier runs of the task by `workKey`; each is dropped when this run reaches the
 * file.
 */
export function createRunTally(
  kinds: readonly StageKind[],
  first: TaskSnapshot,
  earlier: Map<string, WorkResult> | null,
  now: () => number,
): RunTally {
  let { started } = first;
  let began: number | null = null;
  const counts: TaskCounts = { ...first.counts };
  let latest: TaskProgress | undefined;
  let firstError: WorkResult['error'] = null;
  return {
    begin: (at) => {
      started = at;
      began = now();
    },
    giveUp: () => {
      for (const result of earlier?.values() ?? []) count(counts, result);
    },
    result: (result) => {
      const before = earlier?.get(workKey(result));
      earlier?.delete(workKey(result));
      const stands = before && saysTheSame(before, result) ? before : result;
      count(counts, stands);
      if (stands.outcome === 'failed') firstError ??= stands.error;
      return { stands, fresh: stands !== before };
    },
    progress: (progress) => {
      latest = progress;
    },
    failure: () => {
      const { failed, files, jobs, jobs_failed } = counts;
      const all = files + jobs;
      if (all === 0 || failed + jobs_failed < all) return null;
      const { code, meaning } = analysisErrors.ALL_FAILED;
      const why = firstError?.message ?? meaning;
      return {
        code,
        error: meaning,
        message: all === 1 ? why : `${allOf(files)} failed. First error: ${why}`,
      };
    },
    snapshot: (state, ended, error = null) => ({
      ...first,
      state,
      started,
      ended: ended ?? null,
      counts: { ...counts },
      progress: state === 'completed' ? 100 : (latest?.percentage ?? first.progress),
      ...(amountFields(kinds, latest?.stages) as Pick<TaskSnapshot, 'frames' | 'grid_frames'>),
      elapsed_seconds: began === null ? 0 : (now() - began) / 1000,
      estimated_remaining_seconds: state === 'running' ? (latest?.estimated_remaining_seconds ?? null) : null,
      error,
    }),
  };
}

/** One that failed with the job it is of, and jobs without files, need no number. */
function allOf(files: number): string {
  return files > 1 ? `All ${files} files` : 'Everything';
}

/**
 * A file that an earlier run of this task analysed stays `analyzed`, though this run finds it stored. What
 * this run did itself says what there is now: a closing step takes more files than one that an earlier run
 * took before its end.
 */
function saysTheSame(before: WorkResult, now: WorkResult): boolean {
  if (before.hash_str !== now.hash_str || now.outcome === 'analyzed') return false;
  const resumed = before.outcome === 'analyzed' && now.outcome === 'stored';
  const same = before.outcome === now.outcome && before.reason === now.reason;
  return resumed || (same && before.error?.message === now.error?.message);
}
