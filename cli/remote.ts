// The backend that is a service on this machine, driven over its API.
import { storeErrors } from '../actors/index/store/contract.ts';
import type { SearchAnswer } from '../actors/search/contract.ts';
import type { TranscriptionsAnswer } from '../actors/search/transcripts/contract.ts';
import { type CallOptions, type Client, createClient } from '../http/client/client.ts';
import { ApiError, clientErrors } from '../http/client/error.ts';
import { engineErrors, errorTable } from '../runtime/errors.ts';
import type { Backend, LibraryBackend } from './backend.ts';
import type { Context } from './context.ts';
import { writeDeviceLine } from './device-line.ts';
import { analyseFirst, writeNothingAnalysed } from './nothing-analysed.ts';
import { peopleFilter, type Question } from './question.ts';
import { type Explained, remotePeople } from './remote-people.ts';
import { remoteSummaries } from './remote-summaries.ts';
import { followTask } from './remote-task.ts';
import { remoteWatch } from './remote-watch.ts';

const remoteErrors = errorTable({
  NOT_LICENSED: { meaning: 'The service does not accept the license key', status: 403, retryable: false },
});

/** How often a busy service is asked again; its answer says when. */
const RETRIES = 15;

export function createRemote(context: Context): Backend {
  const { server: url, license_key } = context.values;
  const client = createClient({ url, ...(license_key !== '' && { key: license_key }) });
  const call = { signal: context.signal, retries: RETRIES };
  const explained: Explained = (work) => {
    return (...args) => work(...args).catch((error) => Promise.reject(explain(error, context)));
  };
  return {
    sight: explained(async () => (await client.availableModels({}, call)).sight),
    analyze: explained(async (request, view) => {
      const { visual_media_paths = [] } = request;
      if (visual_media_paths.length > 0) await useModelAndTell(client, context);
      const { task_id } = await client.analyze(request, call);
      return followTask(client, task_id, view, context);
    }),
    resume: explained(async (task_id, view, force) => {
      await client.resumeTask({ task_id, force }, call);
      return followTask(client, task_id, view, context);
    }),
    tasks: explained(async () => (await client.listTasks({}, call)).tasks),
    task: explained((task_id, { offset, limit }) => client.getTask({ task_id, offset, limit }, call)),
    cancel: explained(async (task_id) => {
      const whole = task_id === undefined;
      const answer = await (whole ? client.cancelAnalysis({}, call) : client.cancelTask({ task_id }, call));
      return { stopped: !('still_stopping' in answer), message: answer.message };
    }),
    search: explained(async (question, cacheDir) => {
      await useModel(client, context);
      return ask(client, question, cacheDir, context);
    }),
    transcripts: explained(({ cache_dir, media_paths }) =>
      allTranscriptions(client, cache_dir, media_paths, call),
    ),
    searchTranscripts: explained(async ({ speaker_name, metadata_filter_request: _, ...request }) => {
      await client.loadTranscriptions({ cache_dir: request.cache_dir }, call);
      return client.searchTranscript({ ...request, ...(speaker_name !== null && { speaker_name }) }, call);
    }),
    searchWritten: explained((request) => client.searchWritten(request, call)),
    exportClips: explained(async ({ clips, ...request }) => {
      const answer = await client.exportClips({ ...request, clips: [...clips] }, call);
      if ('results' in answer) return answer;
      throw engineErrors.INTERNAL('the service answered an export with a task, although none was requested');
    }),
    exportTranscript: explained(({ segments, ...request }) =>
      client.exportTranscript({ ...request, segments: segments.map((row) => [...row]) }, call),
    ),
    exportTimeline: explained((request) => client.exportTimeline(request, call)),
    nameSpeakers: explained(({ assignments, ...request }) =>
      client.nameSpeakers({ ...request, assignments: [...assignments] }, call),
    ),
    library: libraryOf(client, explained, context.signal),
    people: remotePeople(client, explained, context),
    summaries: remoteSummaries(client, explained, call),
    watch: remoteWatch(client, explained, context.signal),
    thumbnails: explained((request) => client.thumbnails(request, call)),
    sceneThumbnails: explained(({ hash_str, ...request }) =>
      client.sceneThumbnails({ ...request, ...(hash_str !== null && { hash_str }) }, call),
    ),
  };
}

/** Asked once: what a task works on is told at once, not waited for. */
function libraryOf(client: Client, explained: Explained, signal: AbortSignal): LibraryBackend {
  const call = { signal };
  return {
    list: explained(({ under, ...page }) =>
      client.listLibrary({ ...page, ...(under !== null && { under }) }, call),
    ),
    forget: explained(({ media_paths, ...request }) =>
      client.forgetMedia({ ...request, media_paths: [...media_paths] }, call),
    ),
    prune: explained((request) => client.pruneLibrary(request, call)),
    disk: explained((cache_dir: string) => client.libraryDisk({ cache_dir }, call)),
    move: explained((request) => client.moveMedia(request, call)),
  };
}

/** The same error with what a person can do about it. */
function explain(error: unknown, { signal, leave, values }: Context): unknown {
  if (signal.aborted || leave.aborted) return engineErrors.CANCELLED();
  if (clientErrors.NO_SERVICE.is(error)) {
    return clientErrors.NO_SERVICE(`${error.message}; to start one: framehound serve`, {}, error);
  }
  if (!(error instanceof ApiError)) return error;
  if (error.status === 401) {
    const message = `the service at ${values.server} needs a license key: set FRAMEHOUND_LICENSE_KEY; to make a key: framehound license issue --tier pro`;
    return remoteErrors.NOT_LICENSED(message, {}, error);
  }
  if (error.status === 403) {
    const why = error.message === error.error ? error.error : `${error.error}: ${error.message}`;
    return remoteErrors.NOT_LICENSED(`the service at ${values.server} refused access: ${why}`, {}, error);
  }
  return error;
}

/** A model that a person names is brought into use; else the service keeps the one it has. */
async function useModel(client: Client, { config, values, signal, screen }: Context): Promise<void> {
  if (config.sources.model === 'default') return;
  const { warning } = await client.loadModel({ model_key: values.model }, { signal, retries: RETRIES });
  if (warning !== undefined) screen.write(`note: ${warning}\n`);
}

async function useModelAndTell(client: Client, context: Context): Promise<void> {
  await useModel(client, context);
  const { visual } = await client.loadedModels({}, { signal: context.signal, retries: RETRIES });
  writeDeviceLine(context.screen, visual);
}

async function ask(
  client: Client,
  question: Question,
  cache_dir: string,
  { signal, screen }: Context,
): Promise<SearchAnswer> {
  const call = { signal, retries: RETRIES };
  const loaded = await client.loadAnalysisData({ cache_dir }, call).catch((error) => {
    throw withAdvice(error);
  });
  if (loaded.media === 0) {
    const { visual } = await client.loadedModels({}, call);
    writeNothingAnalysed(screen, visual.model_key ?? '', cache_dir);
  }
  const { image, frame, query, previews } = question;
  const common = {
    cache_dir,
    media_paths: question.media,
    max_results: question.max,
    ...(question.perFilm !== null && { max_per_media: question.perFilm }),
    exclude: question.exclude,
    text_weight: question.textWeight,
    explain: true,
    query,
    ...peopleOf(question),
  };
  const answer = image
    ? await client.searchImage({ ...common, image_path: image }, call)
    : frame
      ? await client.searchFrame({ ...common, media_path: frame.path, time_seconds: frame.seconds }, call)
      : await client.searchText({ ...common, query: query ?? '' }, call);
  if (previews) return answer;
  return { ...answer, matches: answer.matches.map(({ image: _, ...match }) => match) };
}

/** The people of a question with the fields of the API. */
function peopleOf(question: Question) {
  const { people_filter } = peopleFilter(question);
  if (people_filter === undefined) return {};
  return { people_filter: people_filter.people, people_filter_mode: people_filter.mode };
}

function withAdvice(error: unknown): unknown {
  const { STORE_UNAVAILABLE } = storeErrors;
  if (!(error instanceof ApiError) || error.error !== STORE_UNAVAILABLE.meaning) return error;
  return analyseFirst(error.message);
}

/** An answer holds so much text at most; it names the files that are left. */
async function allTranscriptions(
  client: Client,
  cache_dir: string,
  media_paths: readonly string[],
  options: CallOptions,
): Promise<TranscriptionsAnswer> {
  const all: TranscriptionsAnswer = { transcriptions: {}, transcription_data: {} };
  const unreadable: string[] = [];
  for (let left = [...media_paths]; left.length > 0; ) {
    const part = await client.transcriptions({ cache_dir, media_paths: left }, options);
    Object.assign(all.transcriptions, part.transcriptions);
    Object.assign(all.transcription_data, part.transcription_data);
    unreadable.push(...(part.unreadable ?? []));
    const { remaining_media_paths: next = [] } = part;
    if (next.length >= left.length) break;
    left = [...next];
  }
  return unreadable.length > 0 ? { ...all, unreadable } : all;
}
