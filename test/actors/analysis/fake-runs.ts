// An analysis whose runs the test plays by hand, and engines that share a home folder and can crash.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Analysis,
  AnalysisEvent,
  RunOptions,
  TaskEvent,
  TaskRequest,
  TaskRun,
  WorkOutcome,
  WorkResult,
} from '../../../actors/analysis/contract.ts';
import { progressOf } from '../../../actors/analysis/progress.ts';
import { count, fileResult, noneDone } from '../../../actors/analysis/result.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import type { FileResult, TaskCounts } from '../../../actors/analysis/tasks/contract.ts';
import { createPreflight, type Preflight } from '../../../actors/analysis/tasks/preflight.ts';
import { TaskRecords } from '../../../actors/analysis/tasks/records.ts';
import { TaskRegistry } from '../../../actors/analysis/tasks/tasks.ts';
import { noRoots, PathMap } from '../../../actors/index/store/path-map.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import type { LockHolder } from '../../../runtime/files/lock.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { eachTurn, until } from '../../until.ts';
import { expectFaceModel, orders } from './no-models.ts';

export function resultOf(
  path: string,
  outcome: WorkOutcome,
  hash_str: string | null = `hash${path}`,
): WorkResult {
  const error =
    outcome === 'failed' || outcome === 'cancelled' ? { code: 'X', message: `${path}: why` } : null;
  return {
    path,
    type: 'video',
    hash_str,
    outcome,
    reason: outcome === 'not_applicable' ? 'no_picture' : null,
    facts: { frames: 3, missing_frames: 0 },
    duration_seconds: 3,
    error,
  };
}

/** The same as records and answers write it. */
export function recordedOf(...result: Parameters<typeof resultOf>): FileResult {
  return fileResult(stageKinds, resultOf(...result));
}

const never = new AbortController().signal;

/** One run of the fake analysis. */
export class FakeRun {
  readonly run: TaskRun;
  readonly signal: AbortSignal;
  readonly draining: AbortSignal;
  readonly emit: (event: AnalysisEvent) => void;
  readonly #end = Promise.withResolvers<void>();
  readonly counts: TaskCounts;
  readonly left: Set<string>;
  over = false;

  constructor(run: TaskRun, { signal, draining = never, onEvent }: RunOptions) {
    this.run = run;
    this.signal = signal;
    this.draining = draining;
    this.emit = onEvent;
    this.left = new Set(run.request.paths);
    this.counts = noneDone(stageKinds, this.left.size);
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  get isToldToEnd(): boolean {
    return this.signal.aborted || this.draining.aborted;
  }

  tell(path: string, outcome: WorkOutcome): void {
    this.left.delete(path);
    const result = resultOf(path, outcome);
    count(this.counts, result);
    this.emit({ type: 'result', result });
  }

  next(outcome: WorkOutcome = 'analyzed'): void {
    const [path] = this.left;
    if (path !== undefined) this.tell(path, outcome);
  }

  /** Ends as an analysis does: what was told to stop leaves files that were not finished. */
  finish(): void {
    while (this.left.size > 0) this.next(this.isToldToEnd ? 'cancelled' : 'analyzed');
    this.over = true;
    this.#end.resolve();
  }

  fail(error: unknown): void {
    this.over = true;
    this.#end.reject(error);
  }
}

export class FakeAnalysis implements Pick<Analysis, 'run'> {
  readonly runs: FakeRun[] = [];
  /** True if a run that is told to stop does so at once. */
  willing = true;

  get last(): FakeRun {
    return this.runs.at(-1)!;
  }

  get active(): FakeRun[] {
    return this.runs.filter(({ over }) => !over);
  }

  async run(run: TaskRun, options: RunOptions) {
    const fake = new FakeRun(run, options);
    this.runs.push(fake);
    options.signal.addEventListener('abort', () => this.willing && !fake.over && fake.finish());
    await fake.ended;
    const { files, done: files_done } = fake.counts;
    const ended = { files, files_done, surveyed: true, percentage: 100, elapsed_seconds: 0, amounts: {} };
    const progress = progressOf(stageKinds, { types: ['video'], ...ended });
    // Work without files is cut short whenever it is told to stop.
    const isCut = files === 0 ? options.signal.aborted : fake.counts.cancelled > 0;
    return { cancelled: isCut, counts: fake.counts, progress };
  }
}

const kinds = stageKinds;

const checked = createPreflight({
  kinds,
  analysis: {
    properties: () => Promise.reject(new Error('nobody looks')),
    hasGone: () => Promise.reject(new Error('nobody looks')),
    summaryNames: () => Promise.reject(new Error('nobody looks')),
    collections: () => Promise.reject(new Error('nobody looks')),
  },
  models: { active: () => 'fake', current: (key) => key },
  decode: 'exact',
  expectModelFor: expectFaceModel,
  summaryModel: async () => null,
});

/** For files that are only names: nothing is looked for on the disk. */
export const unchecked: Preflight = {
  ...checked,
  check: async () => {},
  resolve: (request) => checked.resolve({ ...request, cache_dir: tmpdir() }),
};

/** A home folder and the engines that were started in it. */
export function home() {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  const clock = manualClock();
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const alive = new Set<string>();
  const now = () => 1_000_000 + clock.now() / 1000;
  let engines = 0;
  let ids = 0;
  let roots = noRoots;
  const start = (
    change: (records: TaskRecords) => TaskRecords = (records) => records,
    preflight: Preflight = unchecked,
    mostWaiting = 100,
  ) => {
    const token = `engine-${++engines}`;
    alive.add(token);
    const self: LockHolder = { pid: engines, started: '', host: 'here', token };
    const hasEnded = (owner: LockHolder) => !alive.has(owner.token);
    const records = change(
      new TaskRecords({ folder: join(folder, 'tasks'), kinds, self, now, log, hasEnded, paths: () => roots }),
    );
    const analysis = new FakeAnalysis();
    const parts = {
      kinds,
      preflight,
      records,
      clock,
      now,
      log,
      newTaskId: () => `task-${++ids}`,
      mostWaiting,
    };
    const tasks = new TaskRegistry({ ...parts, orders, analysis });
    const events: [string, TaskEvent][] = [];
    tasks.subscribe((task_id, event) => events.push([task_id, event]));
    return { tasks, analysis, events, crash: () => alive.delete(token) };
  };
  /** Lets time pass until the promise has settled. */
  const settle = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false;
    const done = () => {
      settled = true;
    };
    promise.then(done, done);
    let turns = 0;
    await until(() => {
      // Files are written in turns of the event loop, which no clock moves.
      if (!settled && ++turns > 200) clock.advance(100);
      return settled;
    }, eachTurn);
    return promise;
  };
  /** Where the root `footage` is, which was at `/footage` first. */
  const moveRoot = (to: string) => {
    roots = new PathMap([{ name: 'footage', prefix: '/footage', folder: to, volume: null }]);
  };
  return {
    folder,
    clock,
    lines,
    log,
    start,
    settle,
    moveRoot,
    end: () => rmSync(folder, { recursive: true }),
  };
}

export const whole = { offset: 0, limit: 1000 };

export function requestOf(paths: readonly string[], more: Partial<TaskRequest> = {}): TaskRequest {
  return { cache_dir: '/cache', visual_media_paths: [...paths], ...more };
}

export const cancelled = engineErrors.CANCELLED;

/** The state of each task that an engine lists, by its id. */
export const states = async ({ tasks }: ReturnType<ReturnType<typeof home>['start']>) =>
  Object.fromEntries((await tasks.list()).map(({ task_id, state }) => [task_id, state]));
