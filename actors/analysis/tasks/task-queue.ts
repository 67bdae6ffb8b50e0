// A place in which one task runs at a time, and the line of those that wait for it: who gets it next, and
// what becomes of the task that has it.
import { type Accepted, analysisErrors, type StartOptions } from '../contract.ts';
import type { ActiveRun, FirstState } from './records.ts';
import type { RunningTask } from './running-task.ts';

/** Records a run of a task that begins in this state. */
export type RecordRun = (state: FirstState) => Promise<ActiveRun>;

/** `prepare` throws what keeps a task from being started, before anything else is stopped for it. */
export type Prepare = () => Promise<RecordRun>;

interface Waiting {
  readonly task: RunningTask;
  readonly priority: number;
  readonly order: number;
}

export class TaskQueue {
  readonly #create: (run: ActiveRun) => RunningTask;
  readonly #most: number;
  #current: RunningTask | null = null;
  /** Sorted by priority, then by arrival. */
  readonly #line: Waiting[] = [];
  /** Tasks that are about to be recorded, and then to join the line. */
  #joining = 0;
  #order = 0;
  /** Somebody takes the place without waiting. */
  #starting = false;
  /** Requests that are checked or are about to start. */
  #entering = 0;
  #stopping = false;

  /**
   * `create`: makes the task of a run that is recorded; it calls `leave` when it has ended, and then
   * `moveUp`. `most`: tasks that wait at the same time.
   */
  constructor(create: (run: ActiveRun) => RunningTask, most: number) {
    this.#create = create;
    this.#most = most;
  }

  get current(): RunningTask | null {
    return this.#current;
  }

  /** The same, and those that wait, in the order of their turns. */
  get tasks(): readonly RunningTask[] {
    const waiting = this.#line.map(({ task }) => task);
    return this.#current ? [this.#current, ...waiting] : waiting;
  }

  /** A task runs, is stopping, waits or is about to start. */
  get busy(): boolean {
    return this.#entering > 0 || this.#current !== null || this.#line.length > 0;
  }

  get #isTaken(): boolean {
    return this.#starting || this.#current !== null;
  }

  /** The place is busy while a request is being checked, too. */
  async entering<T>(work: () => Promise<T>): Promise<T> {
    this.#entering++;
    try {
      return await work();
    } finally {
      this.#entering--;
    }
  }

  /** A number for whoever comes now: those that wait go by it, however long their checks take. */
  ticket(): number {
    return ++this.#order;
  }

  /**
   * Answers when the task is recorded and runs, as it does with `wait` alone where the place is free; else
   * when it waits.
   */
  async take(
    { whenBusy = 'replace', priority = 0 }: StartOptions,
    prepare: Prepare,
    order: number = this.ticket(),
  ): Promise<Accepted> {
    if (this.#stopping) throw analysisErrors.STOPPING();
    if (whenBusy === 'wait') return this.#join({ priority, order }, prepare);
    // If several start at once the first wins.
    if (this.#starting) throw analysisErrors.ANOTHER_TASK('Another task is about to start');
    if (whenBusy === 'refuse' && this.#current !== null) {
      const { task_id } = this.#current;
      throw analysisErrors.ANOTHER_TASK(`Task ${task_id} is running`, { task_id });
    }
    this.#starting = true;
    try {
      const record = await prepare();
      await this.#makeRoom();
      const task = this.#create(this.#admitted(await record('running')));
      this.#begin(task);
      return { task_id: task.task_id };
    } finally {
      this.#starting = false;
      this.moveUp();
    }
  }

  async #join(by: Omit<Waiting, 'task'>, prepare: Prepare): Promise<Accepted> {
    const waiting = this.#line.length + this.#joining;
    if (waiting >= this.#most)
      throw analysisErrors.LINE_FULL(`${waiting} tasks are already queued; try again later`);
    this.#joining++;
    try {
      const record = await prepare();
      const run = await record(this.#isTaken || this.#line.length > 0 ? 'queued' : 'running');
      const task = this.#create(this.#admitted(run));
      this.#line.push({ task, ...by });
      this.#line.sort((a, b) => b.priority - a.priority || a.order - b.order);
      this.moveUp();
      const { task_id, standing } = task;
      return standing ? { task_id, queue_position: standing.queue_position } : { task_id };
    } finally {
      this.#joining--;
    }
  }

  /** The task has ended: it is not here any more. */
  leave(task_id: string): void {
    if (this.#current?.task_id === task_id) this.#current = null;
    const at = this.#line.findIndex(({ task }) => task.task_id === task_id);
    if (at >= 0) this.#line.splice(at, 1);
  }

  /** The first in the line has its turn when the place is free; the others hear where they are now. */
  moveUp(): void {
    if (this.#stopping) return;
    const next = this.#isTaken ? undefined : this.#line.shift();
    if (next) this.#begin(next.task);
    const waits_for = this.#current?.task_id ?? null;
    for (const [i, { task }] of this.#line.entries()) task.wait({ queue_position: i + 1, waits_for });
  }

  /** Nobody gets the place any more, and nobody waits. Resolves when the task that has it has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const ending = this.#current?.halt('interrupted');
    for (const { task } of this.#line.splice(0)) void task.halt('interrupted');
    await ending;
  }

  #begin(task: RunningTask): void {
    this.#current = task;
    task.begin();
  }

  #admitted(run: ActiveRun): ActiveRun {
    if (!this.#stopping) return run;
    run.discard();
    throw analysisErrors.STOPPING();
  }

  async #makeRoom(): Promise<void> {
    const running = this.#current;
    if (!running || (await running.halt('cancelled'))) return;
    const { task_id } = running;
    throw analysisErrors.ANOTHER_TASK(`Task ${task_id} is still stopping`, { task_id });
  }
}
