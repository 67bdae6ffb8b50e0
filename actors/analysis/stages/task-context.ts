// Shared state of the stages in one run of a task: the request, the tracker, the surveys, and the signal that
// ends it.
import { existsSync } from 'node:fs';
import { engineErrors } from '../../../runtime/errors.ts';
import { Condition, Semaphore, SharedLock } from '../../../runtime/sync/locks.ts';
import { createQueue } from '../../../runtime/sync/queue.ts';
import { type MediaRecord, storeErrors } from '../../index/store/contract.ts';
import type { AnalysisRequest, TaskRun, WorkResult } from '../contract.ts';
import { expectUnchanged, type GoneMedia, goneMedia, surveyAndRemember } from '../media/survey.ts';
import { hangOf, journalledSurvey, worthAnotherTry } from '../recovery/journal.ts';
import { workKey } from '../result.ts';
import { IdleDecoders } from './film-sections.ts';
import type { AnalysisParts, StageParts } from './parts.ts';
import type { TaskTracker } from './tracker.ts';

export class TaskContext {
  readonly parts: StageParts;
  readonly run: TaskRun;
  readonly tracker: TaskTracker;
  /** Aborted by a cancel, and when nothing more can be stored. */
  readonly signal: AbortSignal;
  /**
   * Aborted when nothing further is to be begun: with `signal`, or before it, while what was begun is
   * finished.
   */
  readonly ending: AbortSignal;
  readonly surveys: Surveys;
  /** Results that other work of the task waits for. */
  readonly results: WorkResults;
  /** Work that comes after all other. */
  readonly last: LastWork;
  readonly idleDecoders: IdleDecoders;
  readonly #broken = new AbortController();

  /** `paths`: of every piece of work, in order. */
  constructor(parts: StageParts, run: TaskRun, given: ContextParts) {
    const { tracker, results, last, paths, signal, draining } = given;
    this.parts = parts;
    this.run = run;
    this.tracker = tracker;
    this.results = results;
    this.last = last;
    this.idleDecoders = new IdleDecoders(parts.decoders);
    this.signal = AbortSignal.any([signal, this.#broken.signal]);
    this.ending = draining ? AbortSignal.any([this.signal, draining]) : this.signal;
    this.surveys = new Surveys(parts, {
      task_id: run.task_id,
      cache_dir: run.request.cache_dir,
      paths,
      retryQuarantined: this.retryQuarantined,
      reads: this.request.force,
      signal: this.signal,
    });
  }

  get request(): AnalysisRequest {
    return this.run.request;
  }

  /** Work that was redone before the task was interrupted is not redone again. */
  redo(type: string, path: string): boolean {
    return this.request.force && !this.run.earlier?.finished(type, path);
  }

  /**
   * Holds for one run only: a file that ends the engine again is not tried again when the task is resumed.
   */
  get retryQuarantined(): boolean {
    return this.run.retries === 'all';
  }

  /** Done again at once when an actor ended meanwhile, for example; any other error is thrown. */
  async onceMore<T>(work: () => Promise<T>): Promise<T> {
    return work().catch((error) => {
      if (this.signal.aborted || !worthAnotherTry(error)) throw error;
      return work();
    });
  }

  /** The error that a failed file reports; one that concerns every file ends the task. */
  failure(path: string, error: unknown): unknown {
    if (endsTheTask(error)) this.break(error);
    // A file that the end of the task interrupted is cancelled; the reason is reported once, by the task. The
    // message of a cancelled call names an actor, which says nothing to a person.
    const isCut = this.#broken.signal.aborted || engineErrors.CANCELLED.is(error);
    return isCut ? engineErrors.CANCELLED(`${path}: was not finished`) : error;
  }

  /** Nothing more is begun; `throwIfBroken` throws the first reason. */
  break(reason: unknown): void {
    this.#broken.abort(reason);
  }

  /** One reason for the whole task, not the same one for every file. */
  throwIfBroken(): void {
    if (this.#broken.signal.aborted) throw this.#broken.signal.reason;
  }
}

export interface ContextParts {
  readonly tracker: TaskTracker;
  readonly results: WorkResults;
  readonly last: LastWork;
  readonly paths: readonly string[];
  readonly signal: AbortSignal;
  /** Aborted when what was begun is to be finished, and no more. */
  readonly draining?: AbortSignal | undefined;
}

/** True for an analysis folder that takes nothing more, whichever file comes next. */
function endsTheTask(error: unknown): boolean {
  const { STORE_FULL, STORE_IN_USE, STORE_READ_ONLY, STORE_TOO_NEW, STORE_TOO_OLD, STORE_UNAVAILABLE } =
    storeErrors;
  return [STORE_FULL, STORE_IN_USE, STORE_READ_ONLY, STORE_TOO_NEW, STORE_TOO_OLD, STORE_UNAVAILABLE].some(
    (row) => row.is(error),
  );
}

// Work that was running in a crash comes last and alone, so that a second crash tells which it was: after the
// other work of all groups, and one file at a time.

/** A group, as far as the order of its work matters. */
interface StageGroup {
  readonly needs: readonly string[];
  readonly stages: readonly { readonly stage: { readonly kind: { readonly type: string } } }[];
}

export class LastWork {
  /** Groups that have other work left. */
  readonly #busy: Set<StageGroup>;
  readonly #groups: readonly StageGroup[];
  readonly #changed = new Condition();
  /** Other work shares it. */
  readonly lock = new SharedLock();

  constructor(groups: readonly StageGroup[]) {
    this.#groups = groups;
    this.#busy = new Set(groups);
  }

  /** Nothing is left of the group but what comes last. */
  reached(group: StageGroup): void {
    if (this.#busy.delete(group)) this.#changed.notifyAll();
  }

  /** Resolves when no group has other work left, apart from those that wait for this one. */
  async turn(group: StageGroup): Promise<void> {
    this.reached(group);
    const others = this.#groups.filter(
      (candidate) => candidate !== group && !this.#waitsFor(candidate, group),
    );
    while (others.some((candidate) => this.#busy.has(candidate))) await this.#changed.wait();
  }

  /** Needs of a group are met by groups before it, so the recursion ends. */
  #waitsFor(group: StageGroup, target: StageGroup): boolean {
    return this.#groups.some((between) => {
      const needed = between.stages.some(({ stage }) => group.needs.includes(stage.kind.type));
      return needed && (between === target || this.#waitsFor(between, target));
    });
  }
}

// The surveys of one task: which file is it, what is in it. A file that several stages work on is surveyed
// once.

/** Files surveyed at the same time. */
const TOGETHER = 2;

interface SurveyRun {
  readonly task_id: string;
  readonly cache_dir: string;
  /** Paths of every piece of work of the task; a repeated path is surveyed twice. */
  readonly paths: readonly string[];
  readonly retryQuarantined: boolean;
  /** Each file is read, whatever is known of it. */
  readonly reads: boolean;
  readonly signal: AbortSignal;
}

class Surveys {
  readonly #parts: AnalysisParts;
  readonly #run: SurveyRun;
  readonly #semaphore = new Semaphore(TOGETHER);
  /** How often each path will still be asked for, where that is more than once. */
  readonly #repeated = new Map<string, number>();
  readonly #first = new Map<string, Promise<MediaRecord>>();

  constructor(parts: AnalysisParts, run: SurveyRun) {
    this.#parts = parts;
    this.#run = run;
    const knownPaths = new Set<string>();
    for (const path of run.paths) {
      if (knownPaths.has(path)) this.#repeated.set(path, (this.#repeated.get(path) ?? 1) + 1);
      knownPaths.add(path);
    }
  }

  /** A look at it was running in a crash: it comes last and alone. */
  isSuspect(path: string): boolean {
    return this.#parts.journal.history.isSuspectSurvey(path);
  }

  /** Tried again once after a crash; whoever asks after a hang comes later. */
  media(path: string): Promise<MediaRecord> {
    const media = this.#first.get(path) ?? this.#tried(path);
    const repeats = (this.#repeated.get(path) ?? 1) - 1;
    if (repeats > 0) {
      this.#repeated.set(path, repeats);
      this.#first.set(path, media);
      media.catch((error) => {
        if (hangOf(error) && this.#first.get(path) === media) this.#first.delete(path);
      });
    } else {
      this.#repeated.delete(path);
      this.#first.delete(path);
    }
    return media;
  }

  /** Facts about a missing file; null if its previews are not stored. */
  gone(path: string): Promise<GoneMedia | null> {
    const { cache_dir, signal } = this.#run;
    return goneMedia(this.#parts, cache_dir, path, { signal });
  }

  /**
   * The same of a file that may be there; one without pictures has no previews. Throws NOT_ANALYZED, and
   * FILE_CHANGED for one that was written since.
   */
  async previewed(
    path: string,
  ): Promise<GoneMedia | { readonly media: MediaRecord; readonly previews: null }> {
    const goneMedia = await this.gone(path);
    const isThere = existsSync(path);
    if (goneMedia === null) {
      const media = isThere ? await this.media(path) : null;
      if (media?.probe.grid_frames === 0) return { media, previews: null };
      const what = 'no previews are stored of it; analyse its pictures first';
      throw storeErrors.NOT_ANALYZED(`${path}: ${what}`, { path });
    }
    if (isThere) await expectUnchanged(goneMedia.media, 'was written since it was analysed');
    return goneMedia;
  }

  #tried(path: string): Promise<MediaRecord> {
    return this.#survey(path).catch((error) => {
      if (this.#run.signal.aborted || !worthAnotherTry(error) || hangOf(error)) throw error;
      return this.#survey(path);
    });
  }

  /** Journalled as well: a file can end the engine while it is probed. */
  #survey(path: string): Promise<MediaRecord> {
    const { prober, index, roots, journal } = this.#parts;
    const { task_id, cache_dir, retryQuarantined, reads, signal } = this.#run;
    const watched = journalledSurvey(journal, task_id, path, retryQuarantined);
    const parts = { cache_dir, prober, index, roots, watched, signal };
    return this.#semaphore.run(() => surveyAndRemember(path, parts, reads));
  }
}

// Results that other work of a task waits for: a stage waits for those it needs of the same file and for all
// closing steps of what it needs, a closing step for all files of its job.

export class WorkResults {
  /** Jobs that are waited for, by type. */
  readonly #closings = new Map<string, Set<string>>();
  readonly #expected = new Map<string, PromiseWithResolvers<WorkResult>>();
  /** How many pieces of each type have no result yet. */
  readonly #remaining: Map<string, number>;
  /** Types that somebody waits for as a whole. */
  readonly #types = new Map<string, PromiseWithResolvers<void>>();

  /** `pieces`: of the task, by type, closing steps among them. */
  constructor(pieces: Readonly<Record<string, number>>) {
    this.#remaining = new Map(Object.entries(pieces));
  }

  /** This piece of work is part of the task, and somebody waits for it. */
  expect(type: string, path: string): void {
    const key = workKey({ type, path });
    if (!this.#expected.has(key)) this.#expected.set(key, Promise.withResolvers<WorkResult>());
  }

  /** The same for this closing step. */
  expectClosing(type: string, name: string): void {
    const names = this.#closings.get(type) ?? new Set();
    this.#closings.set(type, names.add(name));
    this.expect(type, name);
  }

  tell(result: WorkResult): void {
    this.#expected.get(workKey(result))?.resolve(result);
    const remainingResults = (this.#remaining.get(result.type) ?? 0) - 1;
    this.#remaining.set(result.type, remainingResults);
    if (remainingResults === 0) this.#types.get(result.type)?.resolve();
  }

  /** Resolves when every piece of this type has its result. */
  async ended(type: string): Promise<void> {
    if ((this.#remaining.get(type) ?? 0) === 0) return;
    const waiting = this.#types.get(type) ?? Promise.withResolvers<void>();
    this.#types.set(type, waiting);
    await waiting.promise;
  }

  /** Resolves when all these types of work on the file have their results, or `stopped` does. */
  async all(types: readonly string[], path: string, stopped: Promise<unknown>): Promise<void> {
    await Promise.race([Promise.all(types.map((type) => this.result(type, path))), stopped]);
  }

  /** Resolves when all closing steps of these types have their results. */
  async closings(types: readonly string[]): Promise<void> {
    const jobs = types.flatMap((type) =>
      [...(this.#closings.get(type) ?? [])].map((name) => ({ type, name })),
    );
    await Promise.all(jobs.map(({ type, name }) => this.result(type, name)));
  }

  /** Resolves when the work has its result; at once, to undefined, when the task has no such work. */
  async result(type: string, path: string): Promise<WorkResult | undefined> {
    return this.#expected.get(workKey({ type, path }))?.promise;
  }
}

// The order in which the files of a group come up: each when the work it needs has its results, and closing
// steps with it.

/** `ending`: nothing is waited for any more. */
export async function* inOrder<T>(
  files: ReadonlyMap<string, T>,
  needs: readonly string[],
  results: WorkResults,
  ending: AbortSignal,
): AsyncGenerator<readonly [string, T]> {
  if (needs.length === 0) return yield* files;
  const queue = createQueue<readonly [string, T]>(Number.POSITIVE_INFINITY);
  // One listener for all of them: adding one takes as long as there are.
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  if (ending.aborted) end();
  ending.addEventListener('abort', () => end(), { once: true });
  const closed = Promise.race([results.closings(needs), ended]);
  const waiting = [...files].map(async (file) => {
    await results.all(needs, file[0], ended);
    await closed;
    await queue.put(file);
  });
  void Promise.all(waiting).then(queue.close);
  for (let file = await queue.take(); file; file = await queue.take()) yield file;
}
