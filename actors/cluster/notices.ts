// How work goes on, as workers tell it by notices of the database: whoever misses one misses nothing that
// matters.
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock } from '../../runtime/clock.ts';
import { nullable } from '../../runtime/schema.ts';
import type { AnalysisEvent } from '../analysis/contract.ts';
import type { Amounts, TaskProgress } from '../analysis/progress.ts';
import type { Database } from './database.ts';
import type { RootPaths } from './places.ts';

export const progressChannel = 'framehound_progress';

const AmountOf = Type.Object({ done: Type.Number(), all: Type.Number() });

const ProgressNotice = Type.Object({
  task_id: Type.String(),
  job: Type.String(),
  /** The file that was worked on last. */
  file: nullable(
    Type.Object({
      ...AmountOf.properties,
      path: Type.String(),
      type: Type.String(),
      percentage: Type.Number(),
    }),
  ),
  /** Amounts by type of work. */
  amounts: Type.Record(Type.String(), AmountOf),
  /** How much of its files is done: 1.5 is one and a half. */
  files: Type.Number(),
});
type ProgressNotice = Static<typeof ProgressNotice>;

/** ms between two notices of a worker. Every node hears each, so many workers together send 40 a second. */
export const tellEvery = (workers: number) => Math.max(500, 25 * workers);

/** Bytes that a notice of the database may have. */
const LONGEST = 7_900;

/** Null where it is too long to be sent. */
function noticeText(notice: ProgressNotice): string | null {
  const text = JSON.stringify(notice);
  return Buffer.byteLength(text) > LONGEST ? null : text;
}

/** Null for what an engine of another version says. */
export function noticeIn(text: string): ProgressNotice | null {
  try {
    const value: unknown = JSON.parse(text);
    return Check(ProgressNotice, value) ? value : null;
  } catch {
    return null;
  }
}

function standOf(task: TaskProgress): Pick<ProgressNotice, 'amounts' | 'files'> {
  return { amounts: amountsOf(task), files: (task.files * task.percentage) / 100 };
}

export function amountsOf({ stages }: TaskProgress): Record<string, Amounts> {
  return Object.fromEntries(Object.entries(stages).map(([type, { done, all }]) => [type, { done, all }]));
}

/** Sends the progress of a job to other nodes. */
export function progressNotices(
  {
    database,
    clock,
    places,
  }: { readonly database: Database; readonly clock: Clock; readonly places: RootPaths },
  task_id: string,
  job: string,
  workers: number,
): (event: AnalysisEvent) => void {
  const every = tellEvery(workers);
  let file: ProgressNotice['file'] = null;
  let lastNotice = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.type === 'file') file = event.file;
    if (event.type !== 'task' || clock.now() - lastNotice < every) return;
    lastNotice = clock.now();
    const text = noticeText(places.shared({ task_id, job, file, ...standOf(event.task) }));
    if (text === null) return;
    database.query('select pg_notify($1, $2)', [progressChannel, text]).catch(() => {
      // Nobody waits for it.
    });
  };
}
