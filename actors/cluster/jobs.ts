// The jobs of a task as rows of the database, and which of them are queued when. Within transactions that
// have locked the library.
import { randomUUID } from 'node:crypto';
import type { WorkResult } from '../analysis/contract.ts';
import { silentSeconds } from './contract.ts';
import type { Database, Sql } from './database.ts';
import type { CostedWork, JobWork } from './pieces.ts';
import { rootsOf } from './places.ts';

/** How many workers there are. */
export async function workersNow(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ workers: number }>(
    `select count(*)::int as workers from framehound.node where 'worker' = any(roles) and not draining
      and seen > clock_timestamp() - interval '${silentSeconds} seconds'`,
  );
  return row!.workers;
}

/** The lowest priority that the queue knows. */
const LOWEST = -(2 ** 31);

/** `work`: by root. Those of the first step are queued. */
export async function addJobs(
  sql: Sql,
  database: Database,
  task: string,
  work: readonly CostedWork[],
): Promise<void> {
  // Start-time fair queueing: a job comes after all that its task costs before it, counted from the job that
  // was taken last. So tasks get equal shares of the workers, and a small one does not wait for a large one.
  let priority = await database.takenPriority(sql);
  const jobs = work.map(({ cost, ...fields }) => {
    const job = { ...fields, id: randomUUID(), priority: Math.max(LOWEST, priority) };
    priority -= cost;
    return job;
  });
  await insertJobs(sql, task, jobs);
  await goOn(sql, database, task, -1);
}

interface NewJob extends JobWork, Pick<CostedWork, 'pictures'> {
  readonly id: string;
  readonly priority: number;
}

async function insertJobs(sql: Sql, task: string, jobs: readonly NewJob[]): Promise<void> {
  await sql.query(
    `insert into framehound.job (id, task, paths, priority, step, name, roots)
      select id, $1::uuid, paths, priority, step, name, roots from jsonb_to_recordset($2)
        as j(id uuid, paths jsonb, priority integer, step integer, name text, roots text[])`,
    [task, JSON.stringify(jobs.map((job) => ({ ...job, roots: rootsOf([...job.paths, ...job.pictures]) })))],
  );
}

/**
 * Leaves the first `count` files in a job that was taken, and queues another one of the rest. False where
 * somebody else has taken it meanwhile, or it has ended.
 */
export async function cutJob(
  sql: Sql,
  database: Database,
  { id, task, paths, step, name }: JobWork & { readonly id: string; readonly task: string },
  count: number,
): Promise<boolean> {
  const [cut] = await sql.query<{ priority: number }>(
    `update framehound.job set paths = $2::jsonb where id = $1 and not ended and paths = $3::jsonb
      returning priority`,
    [id, JSON.stringify(paths.slice(0, count)), JSON.stringify(paths)],
  );
  if (cut === undefined) return false;
  const priority = Math.max(LOWEST, cut.priority - count);
  const remainder = { id: randomUUID(), paths: paths.slice(count), pictures: [], priority, step, name };
  await insertJobs(sql, task, [remainder]);
  await database.addJobs(sql, task, [remainder]);
  return true;
}

/** Queues the jobs of the next step when none is left of `step`. False when none is left at all. */
export async function goOn(sql: Sql, database: Database, task: string, step: number): Promise<boolean> {
  const [row] = await sql.query<{ next: number | null }>(
    'select min(step) as next from framehound.job where task = $1 and not ended',
    [task],
  );
  const { next } = row!;
  if (next === null) return false;
  // Nearly always others of its step are left, and they may be many.
  if (next <= step) return true;
  const jobs = await sql.query<{ id: string; priority: number }>(
    'select id, priority from framehound.job where task = $1 and not ended and step = $2',
    [task, next],
  );
  await database.addJobs(sql, task, jobs);
  return true;
}

/** Ends all that are left, and answers them. */
export async function endJobs(sql: Sql, database: Database, task: string): Promise<JobWork[]> {
  const jobs = await sql.query<JobWork & { readonly id: string }>(
    `update framehound.job set ended = true where task = $1 and not ended
      returning id, step, paths, name`,
    [task],
  );
  await database.cancelJobs(
    sql,
    jobs.map(({ id }) => id),
  );
  return jobs;
}

/** Files of which this task has found faces, or knows that they are stored; by root. */
export async function facesFound(sql: Sql, task: string): Promise<string[]> {
  const rows = await sql.query<{ path: string }>(
    `select body->>'path' as path from framehound.result where task = $1 and body->>'type' = 'faces'
      and body->>'outcome' in ('analyzed', 'stored')`,
    [task],
  );
  return rows.map(({ path }) => path);
}

/** Takes away the results of work that is to be done again. Answers those that stay. */
export async function keepResults(
  sql: Sql,
  task: string,
  keeps: (result: WorkResult) => boolean,
): Promise<WorkResult[]> {
  const rows = await sql.query<{ position: number; body: WorkResult }>(
    'select position, body from framehound.result where task = $1 order by position',
    [task],
  );
  const positions = rows.filter(({ body }) => !keeps(body)).map(({ position }) => position);
  await sql.query('delete from framehound.result where task = $1 and position = any($2)', [task, positions]);
  return rows.flatMap(({ body }) => (keeps(body) ? [body] : []));
}

// Attachments of a request.

export async function addAttachments(sql: Sql, task: string, all: readonly Uint8Array[]): Promise<void> {
  for (const [number, bytes] of all.entries()) {
    await sql.query('insert into framehound.attachment (task, number, bytes) values ($1, $2, $3)', [
      task,
      number,
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    ]);
  }
}

export function attachmentsOf(
  sql: Sql,
  task: string,
): Promise<{ readonly number: number; readonly bytes: Uint8Array }[]> {
  return sql.query('select number, bytes from framehound.attachment where task = $1', [task]);
}
