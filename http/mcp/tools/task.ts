// task: how a task stands, and steering it.
import { Type } from 'typebox';
import { isAnalysis } from '../../../actors/analysis/stages/kinds.ts';
import { isEnd, type TaskDetail, type TaskSnapshot } from '../../../actors/analysis/tasks/contract.ts';
import { defaulted, described, oneOf } from '../../../runtime/schema.ts';
import { Cursor, limitOf, startOf } from '../arguments.ts';
import { fileName, listed, moreBelow, oneLine, secondsText } from '../text.ts';
import { argumentErrors, type Call, type ToolAnswer, tool } from '../tool.ts';

/** Clients of the protocol give up on a call after a minute. */
const MOST_WAIT = 45;
/** Results of a task that are asked for at once. */
const RESULTS = 5_000;
/** Between two questions. */
const STEP = 1;

const input = Type.Object({
  id: Type.Optional(
    described(
      Type.String({ minLength: 1, maxLength: 64 }),
      'Id of the task, as returned by analyze. If omitted, the latest tasks are listed.',
    ),
  ),
  action: defaulted(
    described(
      oneOf('status', 'cancel', 'resume'),
      'cancel keeps finished work; resume continues with the rest.',
    ),
    'status',
  ),
  wait_seconds: defaulted(
    described(
      Type.Integer({ minimum: 0, maximum: MOST_WAIT }),
      `Wait for the end of the task for so long before answering (0; at most ${MOST_WAIT}), instead of polling.`,
    ),
    0,
  ),
  limit: limitOf(10, 50),
  cursor: Cursor,
});

export const task = tool({
  name: 'task',
  title: 'Tasks',
  description:
    'How a task stands, an analysis, a download or an export: state, progress, time left, and the files that failed with the ' +
    'reason; queued means that it is waiting for another one. Cancels or resumes it. Without id: the latest tasks.',
  input,
  effect: 'steers',
  run: async ({ id, action, wait_seconds, limit, cursor }, call) => {
    if (id === undefined) {
      const wanting = action !== 'status' ? action : wait_seconds > 0 ? 'wait_seconds' : null;
      if (wanting === null) return latest(limit, startOf(cursor), call);
      throw argumentErrors.BAD_ARGUMENT(`id: is required for ${wanting}`, { field: 'id' });
    }
    const { client, callOptions } = call;
    const head: string[] = [];
    if (action === 'cancel') head.push((await client.cancelTask({ task_id: id }, callOptions)).message);
    if (action === 'resume') {
      await refuseWhileBusy(call, id);
      head.push((await client.resumeTask({ task_id: id }, callOptions)).message);
    }
    await ended(id, wait_seconds, call);
    return one(id, head, { limit, start: startOf(cursor) }, call);
  },
});

/**
 * The service stops an analysis that runs for another one: a call of a tool must not do that by the way.
 * `id`: to be resumed.
 */
export async function refuseWhileBusy({ client, callOptions }: Call, id?: string): Promise<void> {
  const { tasks } = await client.listTasks({}, callOptions);
  const found = tasks.find(({ task_id }) => task_id === id);
  if (found && !isAnalysis(found.request.types)) return;
  const busy = tasks.find((one) => isBusy(one) && one.task_id !== id && isAnalysis(one.request.types));
  if (busy === undefined) return;
  const message = `Task ${oneLine(busy.task_id, 64)} is ${busy.state} (${Math.round(busy.progress)}%), and one analysis runs at a time. Wait for it with task {"id": "${oneLine(busy.task_id, 64)}", "wait_seconds": ${MOST_WAIT}}, or cancel it if a person wants that.`;
  throw argumentErrors.TASK_RUNS(message);
}

const isBusy = ({ state }: Pick<TaskSnapshot, 'state'>) => !isEnd(state);

/** Resolves when the task has ended, or the time is over. */
async function ended(task_id: string, seconds: number, { client, callOptions, wait }: Call): Promise<void> {
  for (let waited = 0; waited < seconds; waited += STEP) {
    if (!isBusy(await client.getTask({ task_id, limit: 0 }, callOptions))) return;
    await wait(STEP);
  }
}

async function latest(limit: number, start: number, { client, callOptions }: Call): Promise<ToolAnswer> {
  const { tasks } = await client.listTasks({}, callOptions);
  const page = tasks.slice(start, start + limit);
  if (page.length === 0) return { text: start > 0 ? 'There are no more tasks.' : 'There are no tasks.' };
  return listed({
    head: [`${tasks.length} tasks, newest first:`],
    rows: page.map(rowOf),
    below: (shown) => moreBelow(shown, { there: page.length, start, total: tasks.length }),
  });
}

function rowOf({
  task_id,
  state,
  progress,
  counts,
  request,
  estimated_remaining_seconds: left,
  queue_position: place,
}: TaskSnapshot): string {
  const types = request.types.slice(0, 8).join(', ');
  const rest = left === null ? '' : `, about ${secondsText(Math.ceil(left))} s left`;
  // A file counts once for each kind of work; clips, models and clusterings are jobs.
  const [done, all] = [counts.done + counts.jobs_done, counts.files + counts.jobs];
  const failures = counts.failed + counts.jobs_failed;
  const failed = failures > 0 ? `, ${failures} of them failed` : '';
  const queued = state === 'queued' && place !== null ? ` (position ${place} in the queue)` : '';
  return `${oneLine(task_id, 64)} ${state}${queued} ${Math.round(progress)}% (${oneLine(types, 120)}): ${done} of ${all} done${failed}${rest}`;
}

/** A task with the files that failed. */
async function one(
  task_id: string,
  head: readonly string[],
  { limit, start }: { readonly limit: number; readonly start: number },
  call: Call,
): Promise<ToolAnswer> {
  // One more tells whether there are more.
  const { detail, failures } = await failuresOf(task_id, start + limit + 1, call);
  const page = failures.slice(start, start + limit);
  const error =
    detail.error === null ? [] : [`Error: ${oneLine(`${detail.error.error}: ${detail.error.message}`, 600)}`];
  return listed({
    head: [
      ...head.map((line) => oneLine(line, 400)),
      rowOf(detail),
      ...error,
      ...(page.length > 0 ? ['Failed:'] : []),
    ],
    rows: page.map(failureOf),
    below: (shown) => [
      ...moreBelow(shown, { there: page.length, start, total: failures.length }),
      ...advice(detail),
    ],
  });
}

/**
 * The task, and the first `most` of its results that say that the work failed, however many results there
 * are.
 */
async function failuresOf(task_id: string, most: number, { client, callOptions }: Call) {
  const pageAt = (offset: number) => client.getTask({ task_id, offset, limit: RESULTS }, callOptions);
  const detail = await pageAt(0);
  const failures: TaskDetail['results'] = [];
  for (let [page, offset] = [detail, 0]; ; page = await pageAt(offset)) {
    failures.push(...page.results.filter(({ outcome }) => outcome === 'failed'));
    if (failures.length >= most || page.results.length < RESULTS) return { detail, failures };
    offset += RESULTS;
  }
}

function failureOf({ path, type, error }: TaskDetail['results'][number]): string {
  return `${fileName(path)} (${oneLine(type, 20)}): ${oneLine(error?.message ?? 'unknown', 400)}`;
}

function advice({ state, task_id }: TaskDetail): string[] {
  const id = oneLine(task_id, 64);
  if (state === 'queued')
    return [`It starts by itself when its turn comes: task {"id": "${id}", "wait_seconds": ${MOST_WAIT}}.`];
  if (state === 'running')
    return [`It is running: task {"id": "${id}", "wait_seconds": ${MOST_WAIT}} waits for it.`];
  const goesOn = state === 'cancelled' || state === 'interrupted';
  return goesOn ? [`task {"id": "${id}", "action": "resume"} continues with the rest.`] : [];
}
