// A place in which one task runs at a time: who gets it next, and what becomes of the task that has it.
import { analysisErrors, type StartOptions } from '../contract.ts';
import type { OwnRun } from './records.ts';
import type { RunningTask } from './running-task.ts';
import { Turns } from './turns.ts';

export class Place {
  readonly #create: (run: OwnRun) => RunningTask;
  readonly #turns = new Turns();
  #current: RunningTask | null = null;
  #starting = false;
  /** Requests that are checked, wait or are about to start. */
  #entering = 0;
  #stopping = false;

  /** `create`: makes the task of a run that is recorded; whoever does calls `leave` when it has ended. */
  constructor(create: (run: OwnRun) => RunningTask) {
    this.#create = create;
  }

  /** The task that runs or is stopping. */
  get current(): RunningTask | null {
    return this.#current;
  }

  /** A task runs, is stopping, waits or is about to start. */
  get busy(): boolean {
    return this.#entering > 0 || this.#current !== null;
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

  /**
   * Answers when the task is recorded and runs. `prepare` throws what keeps it from being started, before anything else is
   * stopped for it, and answers how its run is recorded.
   */
  async take(
    { whenBusy = 'replace', priority = 0, signal }: StartOptions,
    prepare: () => Promise<() => Promise<OwnRun>>,
  ): Promise<{ readonly task_id: string }> {
    const ticket = this.#turns.ticket(priority);
    while (whenBusy === 'wait' && this.#isTaken && !this.#stopping) await ticket.wait(signal);
    if (this.#stopping) throw analysisErrors.STOPPING();
    // Of several that start at once the first wins.
    if (this.#starting) throw analysisErrors.ANOTHER_TASK('Another task is about to start');
    if (whenBusy === 'refuse' && this.#current !== null) {
      const { task_id } = this.#current;
      throw analysisErrors.ANOTHER_TASK(`Task ${task_id} is running`, { task_id });
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
      this.#current = this.#create(run);
      this.#current.begin();
      return { task_id: run.task.task_id };
    } finally {
      this.#starting = false;
      if (this.#current === null) this.#turns.next();
    }
  }

  /** The task has ended: the next one may come. */
  leave(): void {
    this.#current = null;
    this.#turns.next();
  }

  /** Nobody gets the place any more. Resolves when the task that has it has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#turns.end(analysisErrors.STOPPING());
    await this.#current?.halt('interrupted');
  }

  async #makeRoom(): Promise<void> {
    const running = this.#current;
    if (!running || (await running.halt('cancelled'))) return;
    const { task_id } = running;
    throw analysisErrors.ANOTHER_TASK(`Task ${task_id} is still stopping`, { task_id });
  }
}
