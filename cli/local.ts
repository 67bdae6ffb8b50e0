// The backend that is an engine in this process.
import type { AnalysisEvent, EndState, TaskError, TaskRequest } from '../actors/analysis/contract.ts';
import type { TaskProgress } from '../actors/analysis/progress.ts';
import type { Engine } from '../actors/engine.ts';
import { storeErrors } from '../actors/index/store/contract.ts';
import { bestThere } from '../actors/models/advice.ts';
import type { SearchAnswer } from '../actors/search/contract.ts';
import type { Backend } from './backend.ts';
import { type Context, usageErrors } from './context.ts';
import { writeDeviceLine } from './device-line.ts';
import { localPeople } from './local-people.ts';
import { localSummaries } from './local-summaries.ts';
import { localWatch } from './local-watch.ts';
import { analyseFirst, writeNothingAnalysed } from './nothing-analysed.ts';
import type { ProgressView } from './progress-view.ts';
import { peopleFilter, type Question } from './question.ts';
import { createTally, type Report } from './report.ts';
import type { Screen } from './terminal.ts';

export function createLocal(engine: Engine, context: Context): Backend {
  const { tasks } = engine;
  const { signal } = context;
  return {
    sight: async () => {
      const { models } = await engine.models.list();
      const keyOf = (kind: 'object-detection' | 'text-recognition') => bestThere(models, kind)?.key ?? null;
      return { things_key: keyOf('object-detection'), words_key: keyOf('text-recognition') };
    },
    analyze: async (request, view) => {
      const model_key = wantsPictures(request)
        ? await useModel(engine, context.values.model, context.screen)
        : null;
      return follow(engine, model_key, () => tasks.start(request, { signal }), view, signal);
    },
    resume: async (task_id, view, force) => {
      const { request } = await tasks.get(task_id, { offset: 0, limit: 0 });
      if (request.model_key !== null) await useModel(engine, request.model_key, context.screen);
      return follow(engine, request.model_key, () => tasks.resume(task_id, { signal, force }), view, signal);
    },
    tasks: () => tasks.list(),
    task: (task_id, page) => tasks.get(task_id, page),
    cancel: async () => {
      throw usageErrors.USAGE(
        'a task can only be cancelled where it runs: press Ctrl-C there, or use --server URL if a service runs it',
      );
    },
    search: (question, cacheDir) => ask(engine, question, cacheDir, context),
    transcripts: (request) => engine.search.transcripts.list(request, context.signal),
    searchTranscripts: async (request) => {
      await engine.search.transcripts.load(request.cache_dir, context.signal);
      return engine.search.transcripts.search(request, context.signal);
    },
    searchWritten: (request) =>
      engine.search.written({ ...request, metadata_filter_request: null }, context.signal),
    exportClips: (request) => engine.clips.export(request, signal),
    exportTranscript: (request) => engine.exporter.transcript({ ...request, output_dir: null }, signal),
    exportTimeline: (request) => engine.timelines.make({ ...request, output_path: null }, signal),
    nameSpeakers: (request) => engine.search.transcripts.name(request, context.signal),
    library: {
      list: (request) => engine.library.list(request, signal),
      forget: (request) => engine.library.forget(request, signal),
      prune: (request) => engine.library.prune(request, signal),
      disk: (cacheDir) => engine.library.disk(cacheDir, signal),
      move: (request) => engine.library.move(request, signal),
    },
    people: localPeople(engine, signal, (start, view) => follow(engine, null, start, view, signal)),
    summaries: localSummaries(engine, signal),
    watch: localWatch(engine, signal),
    thumbnails: (request) => engine.search.thumbnails(request, context.signal),
    sceneThumbnails: (request) => engine.search.sceneThumbnails(request, context.signal),
  };
}

function wantsPictures({ visual_media_paths = [] }: TaskRequest): boolean {
  return visual_media_paths.length > 0;
}

/** Answers the key of the model really used, and tells where it runs. */
async function useModel(engine: Engine, key: string, screen: Screen): Promise<string> {
  writeDeviceLine(screen, await engine.search.models.load(key));
  return engine.search.models.active();
}

/** Starts a task and resolves when it has ended; it is cancelled when `signal` is aborted. */
async function follow(
  { tasks }: Engine,
  model_key: string | null,
  start: () => Promise<{ readonly task_id: string }>,
  view: ProgressView,
  signal: AbortSignal,
): Promise<Report> {
  const end = Promise.withResolvers<{ state: EndState; error: TaskError | null }>();
  const tally = createTally();
  let progress: TaskProgress | undefined;
  const onEvent = (event: AnalysisEvent) => {
    view.event(event);
    if (event.type === 'task') progress = event.task;
    if (event.type === 'result') tally.add(event.result);
  };
  const unsubscribe = tasks.subscribe((_, event) => {
    if (event.type === 'end') end.resolve(event);
    else if (event.type !== 'start' && event.type !== 'queued') onEvent(event);
  });
  let cancel = () => {};
  try {
    const { task_id } = await start();
    // By its id: without one, only an analysis is stopped.
    cancel = () => void tasks.cancel(task_id);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const { state, error } = await end.promise;
    const { counts, ofFiles, failures } = tally;
    return { cancelled: state === 'cancelled', error, counts, ofFiles, failures, progress, model_key };
  } finally {
    signal.removeEventListener('abort', cancel);
    unsubscribe();
  }
}

async function ask(
  engine: Engine,
  question: Question,
  cache_dir: string,
  { values, signal, screen }: Context,
): Promise<SearchAnswer> {
  await engine.search.models.load(values.model);
  const loaded = await engine.search.load(cache_dir, signal).catch((error) => {
    if (!storeErrors.STORE_UNAVAILABLE.is(error)) throw error;
    throw analyseFirst(error.message);
  });
  if (loaded.media === 0) {
    writeNothingAnalysed(screen, engine.search.models.active(), cache_dir);
  }
  if (question.people.length > 0) await engine.search.loadPeople(cache_dir, signal);
  const common = {
    cache_dir,
    media_paths: [...question.media],
    search_all: false,
    metadata_filter_request: null,
    max_results: question.max,
    ...(question.perFilm !== null && { max_per_media: question.perFilm }),
    exclude: [...question.exclude],
    segments_to_frame_indices: {},
    ...peopleFilter(question),
    previews: question.previews,
    explain: true,
    text_weight: question.textWeight,
    query: question.query,
  };
  const { image, frame, query } = question;
  if (image) return engine.search.image({ ...common, image_path: image }, signal);
  if (frame)
    return engine.search.frame({ ...common, media_path: frame.path, time_seconds: frame.seconds }, signal);
  return engine.search.text({ ...common, query: query ?? '' }, signal);
}
