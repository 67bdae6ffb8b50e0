// Windows that wait for the model, of all sessions in one line: those that ask the same of the same model run together.
// A window whose owner is gone leaves; a run whose owners are all gone ends between two tokens.
import { engineErrors } from '../../runtime/errors.ts';
import type { Checkpoint } from '../../runtime/sync/checkpoint.ts';
import { Condition } from '../../runtime/sync/condition.ts';
import type { SpeechWindow, Spoken } from './family.ts';

/** What is asked for one window. */
export interface Job {
  /** Whose it is: a session. */
  readonly owner: object;
  readonly model_key: string;
  /** BCP 47, or null to find out. */
  readonly language: string | null;
  readonly window: SpeechWindow;
  done(spoken: Spoken): void;
  failed(error: unknown): void;
}

export type RunWindows = (
  windows: readonly SpeechWindow[],
  language: string | null,
  checkpoint: Checkpoint,
) => Promise<readonly Spoken[]>;

export interface QueueOptions {
  /**
   * Calls `work` with the loaded model, alone: how many windows one run takes, and the run. Throws MODEL_NOT_LOADED without
   * having called it.
   */
  model(key: string, work: (most: number, run: RunWindows) => Promise<void>): Promise<void>;
  /** Lets the event loop turn; throws CANCELLED when the actor stops. */
  readonly checkpoint: Checkpoint;
  /** Windows that may wait before `room` does. */
  readonly limit: number;
}

/** A turn that waits for windows. */
export interface WaitingTurn {
  readonly signal: AbortSignal;
  readonly alive: () => void;
}

/** Steps of a run, of which one is a token, after which those who wait learn that the model works. */
const STEPS_OF_LIFE = 16;

export class WindowQueue {
  readonly #options: QueueOptions;
  #jobs: Job[] = [];
  readonly #gone = new WeakSet<object>();
  #working: Promise<void> | null = null;
  /** Rings when the queue has changed, and every now and then while a run goes on. */
  readonly #moved = new Condition();
  #steps = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Windows that wait. */
  get size(): number {
    return this.#jobs.length;
  }

  /** *Moved*: the samples of the window stay as they are until the job is done, failed or dropped. */
  add(job: Job): void {
    if (this.#gone.has(job.owner)) return;
    this.#jobs.push(job);
    this.#working ??= this.#work();
  }

  /** Nothing of this owner is run any more, nor told; a run that is only for it ends at its next step. */
  drop(owner: object): void {
    this.#gone.add(owner);
    this.#jobs = this.#jobs.filter((job) => job.owner !== owner);
    this.#moved.notifyAll();
  }

  /** Resolves when few enough windows wait. Throws CANCELLED when the turn is cancelled first. */
  room(turn: WaitingTurn): Promise<void> {
    return this.until(() => this.#jobs.length <= this.#options.limit, turn);
  }

  /** Resolves when `fact`, which changes only as windows are done, is so; the turn shows life while the model works. */
  async until(fact: () => boolean, { signal, alive }: WaitingTurn): Promise<void> {
    while (!fact()) {
      if (signal.aborted) throw engineErrors.CANCELLED();
      await this.#moved.wait(signal);
      alive();
    }
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    try {
      // What is added in the same moment runs together.
      await this.#options.checkpoint();
      for (let next = this.#jobs[0]; next; next = this.#jobs[0]) await this.#workOn(next.model_key);
    } catch (error) {
      for (const job of this.#jobs.splice(0)) this.#fail(job, error);
    }
    this.#working = null;
    this.#moved.notifyAll();
  }

  async #workOn(modelKey: string): Promise<void> {
    try {
      await this.#options.model(modelKey, async (most, run) => {
        const batch = this.#take(modelKey, most);
        if (batch.length > 0) await this.#run(batch, run);
      });
    } catch (error) {
      // The model is not there: that is so for each of its windows.
      for (const job of this.#take(modelKey, Number.POSITIVE_INFINITY, true)) this.#fail(job, error);
    }
    await this.#options.checkpoint();
  }

  /** The first job of the model and those behind it in the same language; with `all`, in any. */
  #take(modelKey: string, most: number, all = false): Job[] {
    const first = this.#jobs.find((job) => job.model_key === modelKey);
    const taken = this.#jobs
      .filter((job) => job.model_key === modelKey && (all || job.language === first?.language))
      .slice(0, most);
    const set = new Set(taken);
    this.#jobs = this.#jobs.filter((job) => !set.has(job));
    this.#moved.notifyAll();
    return taken;
  }

  async #run(batch: readonly Job[], run: RunWindows): Promise<void> {
    const windows = batch.map(({ window }) => window);
    try {
      const answers = await run(windows, batch[0]!.language, () => this.#step(batch));
      for (const [at, job] of batch.entries()) this.#tell(job, answers[at]!);
      this.#moved.notifyAll();
    } catch (error) {
      const waiting = batch.filter(({ owner }) => !this.#gone.has(owner));
      // One window that the model cannot take is no reason to lose the others.
      if (batch.length > 1 && !engineErrors.CANCELLED.is(error)) {
        for (const job of waiting) await this.#run([job], run);
      } else for (const job of waiting) this.#fail(job, error);
    }
  }

  async #step(batch: readonly Job[]): Promise<void> {
    await this.#options.checkpoint();
    this.#steps += 1;
    if (this.#steps % STEPS_OF_LIFE === 0) this.#moved.notifyAll();
    if (batch.every(({ owner }) => this.#gone.has(owner))) {
      throw engineErrors.CANCELLED('nobody waits for the window');
    }
  }

  /** What one owner cannot take is no reason to run the windows of the others again. */
  #tell(job: Job, spoken: Spoken): void {
    if (this.#gone.has(job.owner)) return;
    try {
      job.done(spoken);
    } catch (error) {
      job.failed(error);
    }
  }

  #fail(job: Job, error: unknown): void {
    if (!this.#gone.has(job.owner)) job.failed(error);
  }
}
