// One batch: some files of a folder are taken, filtered, worked on as one task, and their ends are told.
import { stat } from 'node:fs/promises';
import { engineErrors } from '../../../runtime/errors.ts';
import { makeFolder } from '../../../runtime/files/make-folder.ts';
import type { Ref } from '../../../runtime/ref.ts';
import {
  type Analysis,
  analysisErrors,
  type EndState,
  type StartOptions,
  type TaskError,
  type TaskEvent,
  type TaskRequest,
  type Tasks,
  type WorkResult,
} from '../../analysis/contract.ts';
import { mediaErrors } from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { BatchSize, SeenFile } from '../contract.ts';
import type { FolderSettings } from './configuration.ts';
import { type EndedFile, type Fault, FileEnds } from './ends.ts';
import { hasFaces, type Plan, requestOf } from './request-of.ts';
import type { Watched } from './watched.ts';
import type { WatcherClient } from './watcher-client.ts';

export interface BatchParts extends CandidateParts {
  readonly tasks: Pick<Tasks, 'start' | 'finish' | 'subscribe' | 'busy'>;
  readonly analysis: Pick<Analysis, 'properties'>;
  readonly client: WatcherClient;
  /** Files of one task. */
  readonly size: BatchSize;
  /** Tells the watcher what became of files. Never rejects. */
  report(watched: Watched, plan: Plan, ended: readonly EndedFile[]): Promise<void>;
}

/** How the task of a batch ended; null when no task was needed. */
export type BatchEnd = {
  /** Somebody stopped the task, or files changed under it: the same would happen again at once. */
  readonly isHandedBack: boolean;
  readonly fault: TaskError | Fault | null;
} | null;

export class Batch {
  readonly watched: Watched;
  task_id: string | null = null;
  readonly #parts: BatchParts;
  /** Ends what comes before the task. */
  readonly #before = new AbortController();
  #finishing = false;
  /** Taken and not ended, by path. */
  readonly #left = new Map<string, SeenFile>();
  /** Of the latest progress. */
  #worked: string | null = null;

  constructor(parts: BatchParts, watched: Watched) {
    this.#parts = parts;
    this.watched = watched;
  }

  /**
   * One that is worked on. Until progress is told of any, that is the first: files are taken up in their
   * order.
   */
  get file(): string | null {
    if (this.task_id === null) return null;
    if (this.#worked !== null && this.#left.has(this.#worked)) return this.#worked;
    const [first = null] = this.#left.keys();
    return first;
  }

  /** What is being worked on is finished, nothing more is begun. */
  finish(): void {
    this.#finishing = true;
    this.#before.abort();
    if (this.task_id !== null) this.#parts.tasks.finish(this.task_id);
  }

  /**
   * `closed` aborts when the engine ends: then nothing is waited for any more. Files that were taken are told
   * to the watcher in every case. Throws what kept the task from being started.
   */
  async run(closed: AbortSignal, now: () => number): Promise<BatchEnd> {
    const { client, size } = this.#parts;
    const { files, counts, plan } = await client.take(this.watched, size);
    this.watched.took(files.length, counts, now());
    if (files.length === 0) return null;
    for (const file of files) this.#left.set(file.path, file);
    const report = (ended: readonly EndedFile[]) => {
      for (const { path } of ended) this.#left.delete(path);
      return this.#parts.report(this.watched, plan, ended);
    };
    try {
      const signal = AbortSignal.any([closed, this.#before.signal]);
      const wanted = await this.#wanted(files, signal, report);
      if (wanted.length === 0) return null;
      return await this.#work(wanted, plan, { closed, signal, report });
    } catch (error) {
      const returned = [...this.#left.values()].map(
        (file) => ({ ...file, end: 'returned', fault: null }) as const,
      );
      await report(returned);
      if (engineErrors.CANCELLED.is(error) && this.#finishing) return null;
      throw error;
    }
  }

  async #wanted(
    files: readonly SeenFile[],
    signal: AbortSignal,
    report: (ended: readonly EndedFile[]) => Promise<void>,
  ): Promise<SeenFile[]> {
    const { folder, cache } = this.watched;
    const paths = files.map(({ path }) => path);
    const passes = await passing(this.#parts, folder, cache, paths, signal);
    const out = files.filter((_, i) => !passes[i]);
    await report(out.map((file) => ({ ...file, end: 'filtered', fault: null }) as const));
    if (signal.aborted) throw engineErrors.CANCELLED();
    return files.filter((_, i) => passes[i]);
  }

  async #work(
    files: readonly SeenFile[],
    plan: Plan,
    { closed, signal, report }: Working,
  ): Promise<BatchEnd> {
    const { folder, cache } = this.watched;
    const ends = new FileEnds(files, hasFaces(folder));
    const reports: Promise<void>[] = [];
    let fault: Fault | null = null;
    const end = (ended: readonly EndedFile[]) => {
      fault ??= ended.find((one) => one.end === 'returned')?.fault ?? null;
      reports.push(report(ended));
    };
    const followed = await this.#start(files, { folder, cache }, signal, {
      // Every file gets every kind of work.
      start: (types) => ends.begin(types.length),
      file: (path) => {
        this.#worked = path;
      },
      result: (result) => {
        const ended = ends.add(result);
        if (ended) end([ended]);
      },
    }).catch(async (error) => {
      if (!analysisErrors.NO_VALID_MEDIA.is(error)) throw error;
      end(await this.#unsupported(files, cache, signal));
      return null;
    });
    if (followed === null) {
      await Promise.all(reports);
      return { isHandedBack: this.watched.ready > 0, fault: null };
    }
    this.task_id = followed.task_id;
    // It was asked to finish while the task was being started; or another thing is to be done with the files
    // by now.
    if (this.#finishing || this.watched.isGone || this.watched.work !== plan.work) this.finish();
    const ended = await endOf(followed, closed);
    if (ended === null) {
      await Promise.all(reports);
      return null;
    }
    const { state, error } = ended;
    end(ends.rest(error));
    await Promise.all(reports);
    const ofTask = error !== null && analysisErrors.ALL_FAILED.code !== error.code ? error : null;
    return { isHandedBack: state === 'cancelled' && !this.#finishing, fault: ofTask ?? fault };
  }

  #start(
    files: readonly SeenFile[],
    { folder, cache }: Pick<Watched, 'folder' | 'cache'>,
    signal: AbortSignal,
    listener: Parameters<typeof followTask>[3],
  ): Promise<FollowedTask> {
    const paths = files.map(({ path }) => path);
    const options = { whenBusy: 'refuse', source: 'watch_folder', signal } as const;
    return followTask(this.#parts.tasks, requestOf(folder, cache, paths), options, listener);
  }

  /** None of them can be read: each is asked for its own reason. */
  async #unsupported(
    files: readonly SeenFile[],
    cache_dir: string,
    signal: AbortSignal,
  ): Promise<EndedFile[]> {
    const ended: EndedFile[] = [];
    for (const file of files) {
      const fault = await this.#faultOf(file.path, cache_dir, signal);
      ended.push({ ...file, end: fault === null ? 'returned' : 'failed', fault });
    }
    return ended;
  }

  /** Null when the file is gone, or readable by now. */
  async #faultOf(path: string, cache_dir: string, signal: AbortSignal): Promise<Fault | null> {
    try {
      await this.#parts.analysis.properties({ cache_dir, media_paths: [path], model_key: null }, signal);
      return null;
    } catch (error) {
      if (!analysisErrors.NO_MEDIA.is(error) || error.details['unsupported'] !== true) throw error;
      const isThere = await stat(path).then(
        () => true,
        () => false,
      );
      return isThere ? { code: mediaErrors.NOT_MEDIA.code, message: error.message } : null;
    }
  }
}

interface Working {
  readonly closed: AbortSignal;
  readonly signal: AbortSignal;
  readonly report: (ended: readonly EndedFile[]) => Promise<void>;
}

/** Null when the engine ends first. */
async function endOf(followed: FollowedTask, closed: AbortSignal) {
  const { promise: over, resolve } = Promise.withResolvers<null>();
  const stop = () => resolve(null);
  if (closed.aborted) stop();
  closed.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([followed.ended, over]);
  } finally {
    closed.removeEventListener('abort', stop);
    followed.close();
  }
}

// Which files of a folder are analysed at all: those that pass its metadata filter, and those of which too
// little is known.

interface CandidateParts {
  readonly analysis: Pick<Analysis, 'properties'>;
  readonly index: Ref<typeof indexContract>;
}

/** Whether each file passes. Errors: those of filters and of the store, CANCELLED. */
async function passing(
  { analysis, index }: CandidateParts,
  { metadata_filter_request }: FolderSettings,
  cache_dir: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly boolean[]> {
  if (metadata_filter_request === null) return paths.map(() => true);
  // Nothing is remembered in a folder that is not there, and what is not known passes.
  makeFolder(cache_dir);
  try {
    // What they are is looked up once and remembered; the task that follows finds it known.
    await analysis.properties({ cache_dir, media_paths: paths, model_key: null }, signal);
  } catch (error) {
    // What cannot be read passes: the task says why.
    if (!analysisErrors.NO_MEDIA.is(error)) throw error;
  }
  const { filters } = metadata_filter_request;
  const request = { cache_dir, names: [...paths], filters };
  while (!(await index.ask('ready_facets', { cache_dir }, { signal })).done);
  return (await index.ask('passing', request, { signal })).passing;
}

// Starts a task and follows it to its end.

interface TaskListener {
  /** Its kinds of work. */
  start(types: readonly string[]): void;
  /** A file that is worked on. */
  file(path: string): void;
  result(result: WorkResult): void;
}

interface FollowedTask {
  readonly task_id: string;
  /** Never rejects. */
  readonly ended: Promise<{ readonly state: EndState; readonly error: TaskError | null }>;
  /** Ends the subscription; `ended` stays open then. */
  close(): void;
}

/** Throws as `tasks.start`. */
async function followTask(
  tasks: Pick<Tasks, 'start' | 'subscribe'>,
  request: TaskRequest,
  options: StartOptions,
  listener: TaskListener,
): Promise<FollowedTask> {
  const { promise: ended, resolve } = Promise.withResolvers<{ state: EndState; error: TaskError | null }>();
  let task_id: string | null = null;
  // Events may come before the answer that says of which task they are.
  const early: [string, TaskEvent][] = [];
  const hear = (event: TaskEvent) => {
    if (event.type === 'start') listener.start(event.types);
    if (event.type === 'file') listener.file(event.file.path);
    if (event.type === 'result') listener.result(event.result);
    if (event.type !== 'end') return;
    close();
    resolve({ state: event.state, error: event.error });
  };
  const close = tasks.subscribe((id, event) => {
    if (task_id === null) early.push([id, event]);
    else if (id === task_id) hear(event);
  });
  try {
    ({ task_id } = await tasks.start(request, options));
  } catch (error) {
    close();
    throw error;
  }
  for (const [id, event] of early) if (id === task_id) hear(event);
  return { task_id, ended, close };
}
