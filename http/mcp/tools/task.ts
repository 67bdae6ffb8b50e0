// The tools for work: task and analyze.
import { type Static, Type } from 'typebox';
import { isAnalysis } from '../../../actors/analysis/stages/kinds.ts';
import { isEnd, type TaskDetail, type TaskSnapshot } from '../../../actors/analysis/tasks/contract.ts';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import type { FolderPage } from '../../../actors/library/contract.ts';
import { visualModelErrors } from '../../../actors/search/models/contract.ts';
import { defaulted, described, nullable, oneOf } from '../../../runtime/schema.ts';
import { counted } from '../../../runtime/text.ts';
import type { Operations } from '../../client/addresses.ts';
import { ApiError, isOf } from '../../client/error.ts';
import type { InputOf } from '../../client/request.ts';
import { fileName, listed, oneLine, placeAfter, secondsText } from '../answer.ts';
import { argumentErrors, type Call, Cursor, limitOf, startOf, type ToolAnswer, tool } from '../tool.ts';

// task: how a task stands, and steering it.

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

const output = Type.Object({
  tasks: described(
    Type.Array(
      Type.Object({
        task_id: Type.String(),
        state: described(
          Type.String(),
          'queued, running, stopping, completed, cancelled, failed, interrupted',
        ),
        progress: described(Type.Number(), 'Percentage.'),
        done: described(Type.Integer(), 'Files and jobs that have ended.'),
        total: described(Type.Integer(), 'Files and jobs.'),
        failed: described(Type.Integer(), 'Of those that have ended.'),
        estimated_remaining_seconds: nullable(Type.Number()),
      }),
    ),
    'The task that was named, or the latest ones.',
  ),
});

export const task = tool({
  name: 'task',
  title: 'Tasks',
  description:
    'How a task stands, an analysis, a download or an export: state, progress, time left, and the files that failed with the ' +
    'reason; queued means that it is waiting for another one. Cancels or resumes it. Without id: the latest tasks.',
  input,
  output,
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
async function refuseWhileBusy({ client, callOptions }: Call, id?: string): Promise<void> {
  const { tasks } = await client.listTasks({}, callOptions);
  const match = tasks.find(({ task_id }) => task_id === id);
  if (match && !isAnalysis(match.request.types)) return;
  const busy = tasks.find((task) => isBusy(task) && task.task_id !== id && isAnalysis(task.request.types));
  if (busy === undefined) return;
  const message = `Task ${oneLine(busy.task_id, 64)} is ${busy.state} (${Math.round(busy.progress)}%), and one analysis runs at a time. Wait for it with task {"id": "${oneLine(busy.task_id, 64)}", "wait_seconds": ${MOST_WAIT}}, or cancel it if a person wants that.`;
  throw argumentErrors.TASK_RUNS(message);
}

const isBusy = ({ state }: Pick<TaskSnapshot, 'state'>) => !isEnd(state);

/** Resolves when the task has ended, or the time is over. */
async function ended(task_id: string, seconds: number, call: Call): Promise<void> {
  for (let waited = 0; waited < seconds; waited += STEP) {
    const detail = await call.client.getTask({ task_id, limit: 0 }, call.callOptions);
    if (!isBusy(detail)) return;
    call.progress(Math.round(detail.progress), rowOf(detail));
    await call.wait(STEP);
  }
}

async function latest(
  limit: number,
  start: number,
  { client, callOptions }: Call,
): Promise<ToolAnswer<Static<typeof output>>> {
  const { tasks } = await client.listTasks({}, callOptions);
  const page = tasks.slice(start, start + limit);
  if (page.length === 0)
    return { text: start > 0 ? 'There are no more tasks.' : 'There are no tasks.', data: { tasks: [] } };
  const { text, shown } = listed({
    head: [`${counted(tasks.length, 'task')}, newest first:`],
    rows: page.map(rowOf),
    next: placeAfter(start, tasks.length),
  });
  return { text, data: { tasks: page.slice(0, shown).map(dataOf) } };
}

/** A file counts once for each kind of work; clips, models and clusterings are jobs. */
function dataOf({ task_id, state, progress, counts, estimated_remaining_seconds }: TaskSnapshot) {
  const [done, total] = [counts.done + counts.jobs_done, counts.files + counts.jobs];
  const failed = counts.failed + counts.jobs_failed;
  return { task_id, state, progress, done, total, failed, estimated_remaining_seconds };
}

function rowOf(task: TaskSnapshot): string {
  const { request, queue_position: place } = task;
  const {
    task_id,
    state,
    progress,
    done,
    total,
    failed,
    estimated_remaining_seconds: seconds,
  } = dataOf(task);
  const types = request.types.slice(0, 8).join(', ');
  const remaining = seconds === null ? '' : `, about ${secondsText(Math.ceil(seconds))} s left`;
  const failures = failed > 0 ? `, ${failed} of them failed` : '';
  const queued = state === 'queued' && place !== null ? ` (position ${place} in the queue)` : '';
  return `${oneLine(task_id, 64)} ${state}${queued} ${Math.round(progress)}% (${oneLine(types, 120)}): ${done} of ${total} done${failures}${remaining}`;
}

/** A task with the files that failed. */
async function one(
  task_id: string,
  head: readonly string[],
  { limit, start }: { readonly limit: number; readonly start: number },
  call: Call,
): Promise<ToolAnswer<Static<typeof output>>> {
  // One more tells whether there are more.
  const { detail, failures } = await failuresOf(task_id, start + limit + 1, call);
  const page = failures.slice(start, start + limit);
  const error =
    detail.error === null ? [] : [`Error: ${oneLine(`${detail.error.error}: ${detail.error.message}`, 600)}`];
  const { text } = listed({
    head: [
      ...head.map((line) => oneLine(line, 400)),
      rowOf(detail),
      ...error,
      ...(page.length > 0 ? ['Failed:'] : []),
    ],
    rows: page.map(failureOf),
    next: placeAfter(start, failures.length),
    below: () => advice(detail),
  });
  return { text, data: { tasks: [dataOf(detail)] } };
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

// The media files of paths that an assistant names: a folder stands for all media in it.

/** Folders and files of a page. */
const PAGE = 1_000;
/** Folders that are looked into. */
const MOST_FOLDERS = 20_000;

/**
 * Absolute, each once, in the same order each time: those after the first `start`. `hasMore`: there are more
 * than `most`.
 */
async function mediaUnder(
  paths: readonly string[],
  { start, most }: { readonly start: number; readonly most: number },
  call: Call,
): Promise<{ readonly files: string[]; readonly hasMore: boolean }> {
  const end = start + most;
  const files = new Set<string>();
  const folders = new Set<string>();
  // Without links, which may lead back to a folder above.
  const visited = new Set<string>();
  for (const path of paths) {
    const page = await pageOf(path, 0, call);
    if (page === null) files.add(path);
    else folders.add(path);
  }
  // A set is walked in the order of insertion, what is added meanwhile too.
  for (const folder of folders) {
    for (let offset = 0; files.size <= end; offset += PAGE) {
      const page = await pageOf(folder, offset, call);
      const real = page?.real_path ?? folder;
      if (page === null || (offset === 0 && visited.has(real))) break;
      visited.add(real);
      for (const { media_path } of page.files) files.add(media_path);
      for (const { path, is_wide_link } of page.folders)
        if (folders.size < MOST_FOLDERS && !is_wide_link) folders.add(path);
      if (offset + PAGE >= page.total) break;
    }
  }
  return { files: [...files].slice(start, end), hasMore: files.size > end };
}

/** Null for what is no folder: the analysis says what is wrong with it. */
async function pageOf(
  folder: string,
  offset: number,
  { client, cacheDir, callOptions }: Call,
): Promise<FolderPage | null> {
  try {
    return await client.listMedia({ cache_dir: cacheDir, folder, offset, limit: PAGE }, callOptions);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 404)) return null;
    throw error;
  }
}

// analyze: begins an analysis of files and folders as a task.

/** Files of one task. */
const MOST_FILES = 5_000;

export const analyze = tool({
  name: 'analyze',
  title: 'Analyse media',
  description:
    'Starts to analyse media files, or all media in folders, and returns the id of the task immediately: ask task for its ' +
    'progress. Stored results are not recomputed. pictures: what is seen (find_moments); speech: transcripts; ' +
    'faces: people; summary: chapters. Refused while another analysis runs; downloads and exports run beside it. Long footage takes minutes to hours; start nothing that was not requested.',
  input: Type.Object({
    paths: described(
      Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { minItems: 1, maxItems: 1000 }),
      'Absolute paths of files or folders on the machine of the service.',
    ),
    what: defaulted(
      described(
        Type.Array(oneOf('pictures', 'speech', 'faces', 'summary'), { minItems: 1, maxItems: 4 }),
        'What is looked for (["pictures"]).',
      ),
      ['pictures'],
    ),
    language: defaulted(
      described(
        Type.String({ minLength: 1, maxLength: 40 }),
        'Of speech: english, de, pt-BR; auto finds out.',
      ),
      'auto',
    ),
    clustering: defaulted(
      described(Type.String({ minLength: 1, maxLength: 200 }), 'Of faces: name of the clustering.'),
      'people',
    ),
    cursor: Cursor,
  }),
  output: Type.Object({
    task_id: Type.String(),
    files: described(Type.Integer(), 'Files of the task.'),
    cursor: described(nullable(Type.String()), 'For the rest of the folders; null when there is none.'),
  }),
  effect: 'adds',
  run: async ({ paths, what, language, clustering, cursor }, call) => {
    const start = startOf(cursor);
    const { files, hasMore } = await mediaUnder(paths, { start, most: MOST_FILES }, call);
    if (files.length === 0) {
      const none = start > 0 ? `they contain only ${start} files` : 'they contain no media';
      throw argumentErrors.BAD_ARGUMENT(`paths: ${none}`, { field: 'paths' });
    }
    const has = (kind: (typeof what)[number]) => what.includes(kind);
    const request = {
      cache_dir: call.cacheDir,
      ...(has('pictures') && { visual_media_paths: files }),
      ...(has('speech') && { transcription_jobs: files.map((path) => ({ path, language })) }),
      ...(has('faces') && {
        face_clustering_jobs: [{ ...(await clusteringOf(clustering, call)), face_media_paths: files }],
      }),
      ...(has('summary') && { summary_requests: files.map((path) => ({ path, replace_existing: true })) }),
    };
    const task_id = await begun(request, call);
    const id = oneLine(task_id, 64);
    const advice = hasMore
      ? ` The folders hold more files: when it has ended, call again with cursor "${start + MOST_FILES}".`
      : '';
    const text = `Task ${id} has started on ${counted(files.length, 'file')} (${what.join(', ')}).${advice} Ask task {"id": "${id}", "wait_seconds": ${MOST_WAIT}}.`;
    return {
      text,
      data: { task_id, files: files.length, cursor: hasMore ? String(start + MOST_FILES) : null },
    };
  },
});

/** Faces join a clustering as it is. In a new one two pictures are a person, as on the page. */
async function clusteringOf(cluster_job_name: string, { client, cacheDir, callOptions }: Call) {
  const { jobs } = await client.faceClusters({ cache_dir: cacheDir }, callOptions).catch((error: unknown) => {
    if (isOf(storeErrors.STORE_UNAVAILABLE, error)) return { jobs: [] };
    throw error;
  });
  const before = jobs.find(({ name }) => name === cluster_job_name);
  if (before === undefined) return { cluster_job_name, face_min_samples: 2 };
  return { cluster_job_name, face_eps: before.eps, face_min_samples: before.min_samples };
}

/** Seconds to wait for the visual model, which loads when the service starts. */
const MOST_LOADING_SECONDS = 15;

/** A refused request waits, because a repeated one would stop a task that has begun meanwhile. */
async function begun(request: InputOf<Operations['analyze']>, call: Call): Promise<string> {
  for (let waited = 0; ; waited++) {
    await refuseWhileBusy(call);
    try {
      return (await call.client.analyze(request, { signal: call.callOptions.signal })).task_id;
    } catch (error) {
      const loads = isOf(visualModelErrors.MODELS_LOADING, error);
      if (!loads || waited === MOST_LOADING_SECONDS) throw error;
      await call.wait(1);
    }
  }
}
