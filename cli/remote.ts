// The backend that is a service on this machine, driven over its API. Events feed the same view as those of an engine;
// what every file came to is read from the task itself, so that nothing is missed while a connection is lost.
import type { FileResult, TaskDetail } from '../actors/analysis/contract.ts';
import type { TaskProgress } from '../actors/analysis/progress.ts';
import { fileProgressFrom, progressFrom } from '../actors/analysis/progress-fields.ts';
import { workKey, workResult } from '../actors/analysis/result.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import { storeErrors } from '../actors/index/store/contract.ts';
import type { SearchAnswer } from '../actors/search/contract.ts';
import type { ProgressEvent } from '../events/protocol.ts';
import { type Client, createClient } from '../http/client/client.ts';
import { ApiError, clientErrors } from '../http/client/error.ts';
import { type EngineError, engineErrors, errorTable } from '../runtime/errors.ts';
import type { Backend } from './backend.ts';
import type { Context } from './context.ts';
import type { ProgressView } from './progress-view.ts';
import type { Question } from './question.ts';
import { createTally, type Report } from './report.ts';

const remoteErrors = errorTable({
  NOT_LICENSED: { meaning: 'The service does not take the license key', status: 403, retryable: false },
  TASK_LEFT: { meaning: 'The service stopped while the task ran', status: 503, retryable: true },
});

/** How often a busy service is asked again; it says itself when. */
const PATIENCE = 15;

export function createRemote(context: Context): Backend {
  const { server: url, license_key } = context.values;
  const client = createClient({ url, ...(license_key !== '' && { key: license_key }) });
  const asked = { signal: context.signal, retries: PATIENCE };
  const told = <A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) => {
    return (...args: A) => work(...args).catch((error) => Promise.reject(forPerson(error, context)));
  };
  return {
    analyze: told(async (request, view) => {
      const { visual_media_paths = [] } = request;
      if (visual_media_paths.length > 0) await useModel(client, context);
      const { task_id } = await client.analyze(request, asked);
      return follow(client, task_id, view, context);
    }),
    resume: told(async (task_id, view) => {
      await client.resumeTask({ task_id }, asked);
      return follow(client, task_id, view, context);
    }),
    tasks: told(async () => (await client.listTasks({}, asked)).tasks),
    task: told((task_id, { offset, limit }) => client.getTask({ task_id, offset, limit }, asked)),
    cancel: told(async () => {
      const answer = await client.cancelAnalysis({}, asked);
      return { stopped: !('still_stopping' in answer), message: answer.message };
    }),
    search: told(async (question, cacheDir) => {
      await useModel(client, context);
      return ask(client, question, cacheDir, context);
    }),
    transcripts: told(({ cache_dir, media_paths }) =>
      client.transcriptions({ cache_dir, media_paths: [...media_paths] }, asked),
    ),
    searchTranscripts: told(async ({ speaker_name, metadata_filter_request: _, ...request }) => {
      await client.loadTranscriptions({ cache_dir: request.cache_dir }, asked);
      return client.searchTranscript({ ...request, ...(speaker_name !== null && { speaker_name }) }, asked);
    }),
    nameSpeakers: told(({ assignments, ...request }) =>
      client.nameSpeakers({ ...request, assignments: [...assignments] }, asked),
    ),
    thumbnails: told((request) => client.thumbnails(request, asked)),
    sceneThumbnails: told(({ hash_str, ...request }) =>
      client.sceneThumbnails({ ...request, ...(hash_str !== null && { hash_str }) }, asked),
    ),
  };
}

/** What a person can do about it. */
function forPerson(error: unknown, { signal, leave, values }: Context): unknown {
  if (signal.aborted || leave.aborted) return engineErrors.CANCELLED();
  if (clientErrors.NO_SERVICE.is(error)) {
    return clientErrors.NO_SERVICE(`${error.message}; start one with: framehound serve`, {}, error);
  }
  if (!(error instanceof ApiError)) return error;
  if (error.status === 401) {
    const message = `the service at ${values.server} wants a license key: set FRAMEHOUND_LICENSE_KEY (framehound license issue --tier pro)`;
    return remoteErrors.NOT_LICENSED(message, {}, error);
  }
  if (error.status === 403) {
    const why = error.message === error.error ? error.error : `${error.error}: ${error.message}`;
    return remoteErrors.NOT_LICENSED(`the service at ${values.server} refuses: ${why}`, {}, error);
  }
  return error;
}

/** A model that a person names is brought into use; else the service keeps the one it has. */
async function useModel(client: Client, { config, values, signal, screen }: Context): Promise<void> {
  if (config.sources.model === 'default') return;
  const { warning } = await client.loadModel({ model_key: values.model }, { signal, retries: PATIENCE });
  if (warning !== undefined) screen.write(`note: ${warning}\n`);
}

/** Results asked for at a time. */
const PAGE = 1000;

/** Ends with the task. The first wish to stop cancels it, and its end is awaited; the second one leaves it alone. */
async function follow(
  client: Client,
  task_id: string,
  view: ProgressView,
  context: Context,
): Promise<Report> {
  const { signal, leave } = context;
  const tally = createTally();
  const ended = new Set<string>();
  const hear = (file: FileResult) => {
    const result = workResult(stageKinds, file);
    ended.add(workKey(result));
    tally.add(result);
    view.event({ type: 'result', result });
  };
  let read = 0;
  const readResults = async (): Promise<TaskDetail> => {
    for (;;) {
      const page = await client.getTask({ task_id, offset: read, limit: PAGE }, { signal: leave });
      read += page.results.length;
      page.results.forEach(hear);
      if (read >= page.total_results || page.results.length === 0) return page;
    }
  };
  const stopping = cancelOn(signal, client, task_id, context);
  try {
    let last: ProgressEvent | undefined;
    for await (const event of client.follow(task_id, { signal: leave })) {
      last = event;
      if (event.done) break;
      if ((event.files_done ?? 0) > read) await readResults();
      show(event, view, ended);
    }
    const task = await readResults();
    const progress = progressOf(task);
    view.event({ type: 'task', task: progress });
    const { counts, failures } = tally;
    const cancelled = task.state === 'cancelled';
    const error = task.error ?? interruption(last);
    return { cancelled, error, counts, failures, progress, model_key: task.request.model_key };
  } catch (error) {
    throw leftAlone(error, task_id);
  } finally {
    stopping();
  }
}

/** A service that stops or is gone leaves its task interrupted: a person wants to know how it goes on. */
function leftAlone(error: unknown, task_id: string): unknown {
  const stopping = error instanceof ApiError && error.status === 503;
  if (!stopping && !clientErrors.NO_SERVICE.is(error)) return error;
  const reason = `${error.message.replace(/\.$/, '')}. What is finished stays; when the service runs again, go on with:`;
  return remoteErrors.TASK_LEFT(`${reason} framehound tasks resume ${task_id}`, {}, error);
}

/** Answers the function that stops listening. */
function cancelOn(
  signal: AbortSignal,
  client: Client,
  task_id: string,
  { screen, leave }: Context,
): () => void {
  const cancel = async () => {
    screen.write('Asked the service to stop; ctrl-C again leaves it to itself\n');
    try {
      const { state } = await client.getTask({ task_id, limit: 0 }, { signal: leave });
      // Never the task of somebody else.
      if (state === 'running') await client.cancelAnalysis({}, { signal: leave });
    } catch (error) {
      if (!leave.aborted) screen.write(`✗ the service could not be asked: ${(error as Error).message}\n`);
    }
  };
  const listener = () => void cancel();
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

function show(event: ProgressEvent, view: ProgressView, ended: ReadonlySet<string>): void {
  const { video_path: path, type, files, surveyed } = event;
  if (
    path !== null &&
    type !== 'summary' &&
    event.error === undefined &&
    !ended.has(workKey({ path, type }))
  ) {
    const file = fileProgressFrom(stageKinds, { path, type }, event);
    if (file) view.event({ type: 'file', file });
  }
  if (files === undefined || surveyed === undefined) return;
  const { files_done = 0, elapsed_seconds = 0 } = event;
  const told = { files, files_done, surveyed, percentage: Number(event.progress), elapsed_seconds };
  view.event({ type: 'task', task: progressFrom(stageKinds, told, event) });
}

function progressOf(task: TaskDetail): TaskProgress {
  const { counts, progress, elapsed_seconds } = task;
  const told = {
    files: counts.files,
    files_done: counts.done,
    surveyed: true,
    percentage: progress,
    elapsed_seconds,
  };
  return progressFrom(stageKinds, told, task);
}

function interruption(last: ProgressEvent | undefined): Report['error'] {
  if (!last?.interrupted) return null;
  const message = `The engine of the service ended while it ran; go on with: framehound tasks resume ${last.task_id}`;
  return { code: last.error_code ?? 'INTERRUPTED', error: 'The task was interrupted', message };
}

async function ask(
  client: Client,
  question: Question,
  cache_dir: string,
  { signal, screen }: Context,
): Promise<SearchAnswer> {
  const asked = { signal, retries: PATIENCE };
  const loaded = await client.loadAnalysisData({ cache_dir }, asked).catch((error) => {
    throw withAdvice(error);
  });
  if (loaded.media === 0) {
    const { visual } = await client.loadedModels({}, asked);
    screen.write(`Nothing is analysed by ${visual.model_key} in ${cache_dir}: framehound analyze PATH\n`);
  }
  const { image, frame, query, previews } = question;
  const common = {
    cache_dir,
    media_paths: question.media,
    max_results: question.max,
    exclude: question.exclude,
    text_weight: question.textWeight,
    query,
  };
  const answer = image
    ? await client.searchImage({ ...common, image_path: image }, asked)
    : frame
      ? await client.searchFrame({ ...common, media_path: frame.path, time_seconds: frame.seconds }, asked)
      : await client.searchText({ ...common, query: query ?? '' }, asked);
  if (previews) return answer;
  return { ...answer, matches: answer.matches.map(({ image: _, ...match }) => match) };
}

function withAdvice(error: unknown): EngineError | unknown {
  const { STORE_UNAVAILABLE } = storeErrors;
  if (!(error instanceof ApiError) || error.error !== STORE_UNAVAILABLE.meaning) return error;
  return STORE_UNAVAILABLE(`${error.message}. Analyse something first: framehound analyze PATH`);
}
