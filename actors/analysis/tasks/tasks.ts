// The front door of analysis: checks a request, records the task, and runs one at a time. The work itself is done by
// `analysis`, a task that runs is kept by `RunningTask`, the files by the records.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../runtime/clock.ts';
import type { Log } from '../../../runtime/log.ts';
import { thisProcess } from '../../../runtime/process/identity.ts';
import {
  type Analysis,
  analysisErrors,
  type Page,
  type StartOptions,
  type TaskDetail,
  type TaskListener,
  type TaskRequest,
  type TaskSnapshot,
  type Tasks,
  type UnfinishedWork,
} from '../contract.ts';
import type { StageKind } from '../stages/kind.ts';
import { stageKinds } from '../stages/kinds.ts';
import { Listeners } from './listeners.ts';
import { createPreflight, type Preflight, type PreflightParts } from './preflight.ts';
import { type OwnRun, TaskFolder, type TaskRecords } from './records.ts';
import { RunningTask } from './running-task.ts';
import { Turns } from './turns.ts';

const never = new AbortController().signal;

export interface TaskParts {
  readonly analysis: Pick<Analysis, 'run'>;
  readonly preflight: Preflight;
  /** The kinds of work there are. */
  readonly kinds: readonly StageKind[];
  readonly records: TaskRecords;
  readonly clock: Clock;
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
  newTaskId(): string;
}

export function createTasks(parts: TaskParts): Tasks {
  return new TaskRegistry(parts);
}

export interface FrontDoorParts extends Pick<PreflightParts, 'models' | 'decode' | 'expectFaceModel'> {
  readonly analysis: Analysis;
  readonly clock: Clock;
  readonly log: Log;
}

/** The tasks recorded in `folder`, as they are by the clock of the system. */
export function openTasks(folder: string, parts: FrontDoorParts): Tasks {
  const now = () => Date.now() / 1000;
  const self = { ...thisProcess(), token: randomUUID() };
  const { clock, log, analysis } = parts;
  const kinds = stageKinds;
  const records = new TaskFolder({ folder, kinds, self, now, log });
  const preflight = createPreflight({ ...parts, kinds });
  return createTasks({ analysis, preflight, kinds, records, clock, log, now, newTaskId: randomUUID });
}

class TaskRegistry implements Tasks {
  readonly #parts: TaskParts;
  readonly #listeners: Listeners;
  #current: RunningTask | null = null;
  #starting = false;
  /** Requests that are checked, wait or are about to start. */
  #entering = 0;
  readonly #turns = new Turns();
  #stopping = false;
  /** Final snapshots that could not be recorded; this engine answers them instead of the stale records. */
  readonly #unrecorded = new Map<string, TaskSnapshot>();

  constructor(parts: TaskParts) {
    this.#parts = parts;
    this.#listeners = new Listeners(parts.log);
  }

  get running(): string | null {
    return this.#current?.task_id ?? null;
  }

  get busy(): boolean {
    return this.#entering > 0 || this.#current !== null;
  }

  async start(request: TaskRequest, options: StartOptions = {}): Promise<{ task_id: string }> {
    const { preflight, newTaskId, records } = this.#parts;
    return this.#enter(async () => {
      await preflight.check(request, options.signal ?? never);
      return this.#startNext(options, async () => {
        const settled = { ...preflight.settle(request), source: options.source ?? 'request' };
        return () => records.create(newTaskId(), settled);
      });
    });
  }

  async resume(task_id: string, options: StartOptions = {}): Promise<{ task_id: string }> {
    const { preflight, records } = this.#parts;
    if (this.#current?.task_id === task_id) {
      throw analysisErrors.TASK_RUNNING(`Task ${task_id} is ${this.#current.state}`, { task_id });
    }
    const prepare = async () => {
      if (!this.#unrecorded.has(task_id)) await preflight.admit(await records.claimable(task_id));
      return () => records.claim(task_id);
    };
    return this.#enter(() => this.#startNext(options, prepare));
  }

  async cancel(): Promise<{ stopped: boolean; task_id: string | null }> {
    const running = this.#current;
    if (!running) return { stopped: true, task_id: null };
    return { stopped: await running.halt('cancelled'), task_id: running.task_id };
  }

  finish(task_id: string): void {
    if (this.#current?.task_id === task_id) this.#current.finish();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#turns.end(analysisErrors.STOPPING());
    await this.#current?.halt('interrupted');
  }

  async list(): Promise<TaskSnapshot[]> {
    const recorded = await this.#parts.records.list();
    return recorded.map((task) => this.#live(task));
  }

  async get(task_id: string, page: Page): Promise<TaskDetail> {
    const detail = await this.#parts.records.get(task_id, page);
    return { ...detail, ...this.#live(detail) };
  }

  unfinished(): UnfinishedWork | null {
    return this.#current?.unfinished() ?? null;
  }

  subscribe(listener: TaskListener): () => void {
    return this.#listeners.add(listener);
  }

  /** The record may be some seconds old. */
  #live(task: TaskSnapshot): TaskSnapshot {
    const running = this.#current;
    if (running?.task_id === task.task_id) return running.snapshot();
    return this.#unrecorded.get(task.task_id) ?? task;
  }

  async #enter<T>(work: () => Promise<T>): Promise<T> {
    this.#entering++;
    try {
      return await work();
    } finally {
      this.#entering--;
    }
  }

  get #isTaken(): boolean {
    return this.#starting || this.#current !== null;
  }

  /**
   * `prepare` throws what keeps the task from being started, before anything else is stopped for it, and answers how its
   * run is recorded.
   */
  async #startNext(
    { whenBusy = 'replace', priority = 0, signal }: StartOptions,
    prepare: () => Promise<() => Promise<OwnRun>>,
  ): Promise<{ task_id: string }> {
    const ticket = this.#turns.ticket(priority);
    while (whenBusy === 'wait' && this.#isTaken && !this.#stopping) await ticket.wait(signal);
    if (this.#stopping) throw analysisErrors.STOPPING();
    // Of several that start at once the first wins.
    if (this.#starting) throw analysisErrors.ANOTHER_TASK('Another task is about to start');
    const { running } = this;
    if (whenBusy === 'refuse' && running !== null) {
      throw analysisErrors.ANOTHER_TASK(`Task ${running} is running`, { task_id: running });
    }
    this.#starting = true;
    try {
      const record = await prepare();
      await this.#makeRoom();
      const run = await record();
      if (this.#stopping) {
        run.discard();
        throw analysisErrors.STOPPING();
      }
      this.#launch(run);
      return { task_id: run.task.task_id };
    } finally {
      this.#starting = false;
      if (this.#current === null) this.#turns.next();
    }
  }

  async #makeRoom(): Promise<void> {
    const running = this.#current;
    if (!running || (await running.halt('cancelled'))) return;
    const { task_id } = running;
    throw analysisErrors.ANOTHER_TASK(`Task ${task_id} is still stopping`, { task_id });
  }

  #launch(run: OwnRun): void {
    const { records, log } = this.#parts;
    const listeners = this.#listeners;
    const ended = (task: TaskSnapshot, isRecorded: boolean) => {
      if (!isRecorded) this.#unrecorded.set(task.task_id, task);
      this.#current = null;
      this.#turns.next();
    };
    this.#current = new RunningTask({ ...this.#parts, listeners, ended }, run);
    this.#unrecorded.delete(run.task.task_id);
    this.#current.begin();
    records.prune().catch((error: unknown) => log.warn('old tasks cannot be removed', { error }));
  }
}
