// Tasks of the whole cluster as rows of the database, and what follows from them.
import type { AnalysisRequest, WorkResult } from '../analysis/contract.ts';
import { analysisErrors } from '../analysis/contract.ts';
import { type Amounts, progressOf, type TaskProgress } from '../analysis/progress.ts';
import { amountFields, count } from '../analysis/result.ts';
import type { StageKind } from '../analysis/stages/kind.ts';
import { stageKinds } from '../analysis/stages/kinds.ts';
import {
  isEnd,
  type TaskCounts,
  type TaskError,
  type TaskSnapshot,
  type TaskState,
} from '../analysis/tasks/contract.ts';
import type { Sql } from './database.ts';
import { type Adding, addChange, type ChangeBody, type TaskStanding } from './log.ts';

/** Times are Unix seconds by the clock of the database. Paths are by root. */
export interface TaskRow {
  readonly id: string;
  readonly created: number;
  /** The latest run. */
  readonly started: number;
  readonly ended: number | null;
  /** Time of the query, by the same clock. */
  readonly now: number;
  readonly state: TaskState;
  readonly error: TaskError | null;
  readonly first: TaskSnapshot;
  readonly counts: TaskCounts;
  readonly amounts: Readonly<Record<string, Amounts>>;
  readonly results: number;
}

const seconds = (what: string) => `extract(epoch from ${what})::float8`;
/** Columns of a row. */
const columns = `id, ${seconds('created')} as created, ${seconds('started')} as started,
  ${seconds('ended')} as ended,
  ${seconds('clock_timestamp()')} as now, state, error, first, counts, amounts, results`;

/** Form of a task's id; requests may contain any text. */
const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Limit of the latest ended tasks in the list, beside the running ones. */
const LISTED = 200;

export async function listTasks(sql: Sql, library: string): Promise<TaskRow[]> {
  return sql.query(
    `select ${columns} from framehound.task where library = $1
      and (ended is null or id in
        (select id from framehound.task where library = $1 and ended is not null
          order by created desc limit ${LISTED}))
      order by created desc`,
    [library],
  );
}

/** Null when none runs. */
export async function oldestTask(sql: Sql, library: string): Promise<string | null> {
  const [row] = await sql.query<{ id: string }>(
    'select id from framehound.task where library = $1 and ended is null order by created limit 1',
    [library],
  );
  return row?.id ?? null;
}

/** `lock`: for the rest of the transaction. Null when there is no such task. */
export async function readTask(sql: Sql, id: string, lock = false): Promise<TaskRow | null> {
  if (!isUuid.test(id)) return null;
  const [row] = await sql.query<TaskRow>(
    `select ${columns} from framehound.task where id = $1 ${lock ? 'for update' : ''}`,
    [id],
  );
  return row ?? null;
}

/** Request with all its files, which may be long. Null when there is no such task. */
export async function readRequest(sql: Sql, id: string): Promise<AnalysisRequest | null> {
  if (!isUuid.test(id)) return null;
  const [row] = await sql.query<{ request: AnalysisRequest }>(
    'select request from framehound.task where id = $1',
    [id],
  );
  return row?.request ?? null;
}

/** Results that a worker adds to a task. */
export interface AddedResults {
  readonly results: readonly WorkResult[];
  readonly amounts: Readonly<Record<string, Amounts>>;
  /** No further job of it is left. */
  readonly isLast: boolean;
}

/** How the task stands with it. */
export function standingAfter(task: TaskRow, { results, amounts, isLast }: AddedResults): TaskStanding {
  const counts: TaskCounts = { ...task.counts };
  for (const result of results) count(counts, result);
  const sums = { ...task.amounts };
  add(sums, amounts);
  const all = counts.files > 0 && counts.failed === counts.files;
  const end = !isLast
    ? null
    : all
      ? ({ state: 'failed', error: allFailed(counts, results) } as const)
      : ({ state: 'completed', error: null } as const);
  return { counts, amounts: sums, end };
}

function add(sums: Record<string, Amounts>, amounts: Readonly<Record<string, Amounts>>): void {
  for (const [type, { done, all }] of Object.entries(amounts)) {
    const before = sums[type] ?? { done: 0, all: 0 };
    sums[type] = { done: before.done + done, all: before.all + all };
  }
}

function allFailed({ files }: TaskCounts, results: readonly WorkResult[]): TaskError {
  const { code, meaning } = analysisErrors.ALL_FAILED;
  const why = results.find(({ error }) => error !== null)?.error?.message ?? meaning;
  const message = files === 1 ? why : `All ${files} files failed. Last error: ${why}`;
  return { code, error: meaning, message };
}

/** Results of a job of a task; `job`: empty for work that no worker does. */
type NewResults = Pick<
  Extract<ChangeBody, { readonly kind: 'results' }>,
  'job' | 'results' | 'sealed' | 'standing'
>;

/**
 * Within a transaction that has locked the library: stores results and how the task stands with them, and
 * adds their change. Answers its number.
 */
export async function addResults(
  sql: Sql,
  adding: Adding,
  task: TaskRow,
  { job, results, sealed, standing }: NewResults,
): Promise<number> {
  await storeStanding(sql, task, results, standing);
  return addChange(sql, adding, { kind: 'results', task_id: task.id, job, results, sealed, standing });
}

async function storeStanding(
  sql: Sql,
  task: TaskRow,
  results: readonly WorkResult[],
  { counts, amounts, end }: TaskStanding,
): Promise<void> {
  const bodies = results.map((result, i) => ({
    position: i,
    failed: result.outcome === 'failed',
    body: result,
  }));
  await sql.query(
    `insert into framehound.result (task, position, failed, body)
      select $1::uuid, position + next, failed, body
      from jsonb_to_recordset($2) as r(position integer, failed boolean, body jsonb),
        (select coalesce(max(position) + 1, 0) as next from framehound.result where task = $1) as n`,
    [task.id, JSON.stringify(bodies)],
  );
  await sql.query(
    `update framehound.task set counts = $2, amounts = $3, results = results + $4,
      state = $5, error = $6, ended = case when $7 then clock_timestamp() end where id = $1`,
    [
      task.id,
      JSON.stringify(counts),
      JSON.stringify(amounts),
      results.length,
      end?.state ?? task.state,
      end?.error ? JSON.stringify(end.error) : null,
      end !== null,
    ],
  );
}

/** Results that need not be repeated. */
export async function goodResults(sql: Sql, task: string): Promise<Pick<WorkResult, 'type' | 'path'>[]> {
  return sql.query(
    `select body->>'type' as type, body->>'path' as path from framehound.result
      where task = $1 and body->>'outcome' in ('analyzed', 'stored', 'not_applicable')`,
    [task],
  );
}

/**
 * Within a transaction that has locked the library. `request`: by root, as roots are now; `results`: how many
 * there are still.
 */
export async function restart(
  sql: Sql,
  task: string,
  { request, counts, results }: Pick<TaskRow, 'counts' | 'results'> & { readonly request: AnalysisRequest },
): Promise<void> {
  await sql.query(
    `update framehound.task set state = 'running', ended = null, error = null, started = clock_timestamp(),
      request = $2, counts = $3, results = $4 where id = $1`,
    [task, JSON.stringify(request), JSON.stringify(counts), results],
  );
}

/** State of work in progress beside the rows, by job. */
export interface JobProgress {
  readonly amounts: Readonly<Record<string, Amounts>>;
  /** How much of its files is done: 1.5 is one and a half. */
  readonly files: number;
}

/** The progress of a task. `elapsed`: seconds since it was asked for. */
export function progressOfTask(
  kinds: readonly StageKind[],
  first: Pick<TaskSnapshot, 'request'>,
  { counts, amounts, end }: TaskStanding,
  underway: Iterable<JobProgress>,
  elapsed: number,
): TaskProgress {
  const sums: Record<string, Amounts> = { ...amounts };
  let done = counts.done;
  for (const job of underway) {
    done += job.files;
    add(sums, job.amounts);
  }
  const { types } = first.request;
  const share = counts.files === 0 ? 1 : Math.min(1, done / counts.files);
  const percentage = end?.state === 'completed' ? 100 : Math.min(99, 100 * share);
  const progress = progressOf(kinds, {
    types,
    files: counts.files,
    files_done: counts.done,
    surveyed: end !== null,
    percentage,
    elapsed_seconds: elapsed,
    amounts: sums,
  });
  const remaining = end === null && share > 0 ? (elapsed * (1 - share)) / share : null;
  return { ...progress, estimated_remaining_seconds: end === null ? remaining : 0 };
}

export function snapshotOf(
  row: TaskRow,
  underway: Iterable<JobProgress>,
  kinds: readonly StageKind[] = stageKinds,
): TaskSnapshot {
  const { first, state, created, started, ended, now, counts, amounts, error } = row;
  const elapsed_seconds = Math.max(0, (ended ?? now) - started);
  const end = isEnd(state) ? ({ state: state as never, error } as const) : null;
  const progress = progressOfTask(kinds, first, { counts, amounts, end }, underway, elapsed_seconds);
  return {
    ...first,
    state,
    created,
    started,
    ended,
    counts,
    progress: progress.percentage,
    ...(amountFields(kinds, progress.stages) as Pick<TaskSnapshot, 'frames' | 'grid_frames'>),
    elapsed_seconds,
    estimated_remaining_seconds: end === null ? progress.estimated_remaining_seconds : null,
    error,
  };
}
