// The front door of analysis: checks a request, records the task, and has it run when it is its turn. The work itself is done
// by `analysis`, a task that runs is kept by `RunningTask`, its turn by a `Place`, the files by the records.
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
import { Place } from './place.ts';
import { createPreflight, type Preflight, type PreflightParts } from './preflight.ts';
import { type OwnRun, TaskFolder, type TaskRecords } from './records.ts';
import { RunningTask } from './running-task.ts';

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
  readonly #place = new Place((run) => this.#task(run));
  /** Final snapshots that could not be recorded; this engine answers them instead of the stale records. */
  readonly #unrecorded = new Map<string, TaskSnapshot>();

  constructor(parts: TaskParts) {
    this.#parts = parts;
    this.#listeners = new Listeners(parts.log);
  }

  get running(): string | null {
    return this.#place.current?.task_id ?? null;
  }

  get busy(): boolean {
    return this.#place.busy;
  }

  async start(request: TaskRequest, options: StartOptions = {}): Promise<{ task_id: string }> {
    const { preflight, newTaskId, records } = this.#parts;
    return this.#place.entering(async () => {
      await preflight.check(request, options.signal ?? never);
      return this.#place.take(options, async () => {
        const settled = { ...preflight.settle(request), source: options.source ?? 'request' };
        return () => records.create(newTaskId(), settled);
      });
    });
  }

  async resume(task_id: string, options: StartOptions = {}): Promise<{ task_id: string }> {
    const { preflight, records } = this.#parts;
    const running = this.#running(task_id);
    if (running) throw analysisErrors.TASK_RUNNING(`Task ${task_id} is ${running.state}`, { task_id });
    const prepare = async () => {
      if (!this.#unrecorded.has(task_id)) await preflight.admit(await records.claimable(task_id));
      return () => records.claim(task_id);
    };
    return this.#place.entering(() => this.#place.take(options, prepare));
  }

  async cancel(task_id?: string): Promise<{ stopped: boolean; task_id: string | null }> {
    const running = task_id === undefined ? this.#place.current : this.#running(task_id);
    if (!running) {
      if (task_id !== undefined) await this.#expectEnded(task_id);
      return { stopped: true, task_id: null };
    }
    return { stopped: await running.halt('cancelled'), task_id: running.task_id };
  }

  finish(task_id: string): void {
    this.#running(task_id)?.finish();
  }

  async stop(): Promise<void> {
    await this.#place.stop();
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
    return this.#place.current?.unfinished() ?? null;
  }

  subscribe(listener: TaskListener): () => void {
    return this.#listeners.add(listener);
  }

  #running(task_id: string): RunningTask | null {
    const { current } = this.#place;
    return current?.task_id === task_id ? current : null;
  }

  async #expectEnded(task_id: string): Promise<void> {
    const { ended, state } = await this.get(task_id, { offset: 0, limit: 0 });
    if (ended !== null) return;
    const what = `Task ${task_id} is ${state} in another process, which alone can stop it`;
    throw analysisErrors.TASK_RUNNING(what, { task_id });
  }

  /** The record may be some seconds old. */
  #live(task: TaskSnapshot): TaskSnapshot {
    const { task_id } = task;
    return this.#running(task_id)?.snapshot() ?? this.#unrecorded.get(task_id) ?? task;
  }

  #task(run: OwnRun): RunningTask {
    const { records, log } = this.#parts;
    this.#unrecorded.delete(run.task.task_id);
    records.prune().catch((error: unknown) => log.warn('old tasks cannot be removed', { error }));
    const ended = (task: TaskSnapshot, isRecorded: boolean) => {
      if (!isRecorded) this.#unrecorded.set(task.task_id, task);
      this.#place.leave();
    };
    return new RunningTask({ ...this.#parts, listeners: this.#listeners, ended }, run);
  }
}
