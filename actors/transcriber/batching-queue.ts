// A batching queue of windows of all sessions: those that ask the same of the same model run in one batch.
// Windows of a dropped session leave the queue, and a batch in which all sessions are dropped ends between
// two tokens.
import { engineErrors } from '../../runtime/errors.ts';
import type { Checkpoint } from '../../runtime/sync/checkpoint.ts';
import { Condition } from '../../runtime/sync/locks.ts';
import type { SpeechWindow, WindowTranscript } from './family.ts';

/** Request for the text of a window, or for its language alone, which comes as a transcript without text. */
interface WindowRequest {
  readonly output: 'text' | 'language';
  /** BCP 47 of the text, or null to detect it. */
  readonly language: string | null;
  /** True if a window that is clearly in another language is written in that one. */
  readonly follows: boolean;
}

/** A window for the model. */
export interface WindowJob extends WindowRequest {
  /** The session it belongs to. */
  readonly owner: object;
  readonly model_key: string;
  readonly window: SpeechWindow;
  done(transcript: WindowTranscript): void;
  failed(error: unknown): void;
}

type RunBatch = (
  windows: readonly SpeechWindow[],
  request: WindowRequest,
  checkpoint: Checkpoint,
) => Promise<readonly WindowTranscript[]>;

interface BatchingQueueOptions {
  /**
   * Calls `work` with the loaded model, exclusively: the most windows of a batch, and how to run one. Throws
   * MODEL_NOT_LOADED without calling it.
   */
  withModel(key: string, work: (batchSize: number, run: RunBatch) => Promise<void>): Promise<void>;
  /** Lets the event loop turn; throws CANCELLED when the actor stops. */
  readonly checkpoint: Checkpoint;
  /** Windows that may wait before `waitForRoom` does. */
  readonly limit: number;
}

/** The turn of an actor that waits for windows. */
export interface WaitingTurn {
  readonly signal: AbortSignal;
  readonly alive: () => void;
}

/** Steps of a batch, about one for each token, after which waiting turns report a sign of life. */
const STEPS_PER_SIGN_OF_LIFE = 16;

export class BatchingQueue {
  readonly #options: BatchingQueueOptions;
  #jobs: WindowJob[] = [];
  readonly #dropped = new WeakSet<object>();
  #running: Promise<void> | null = null;
  /** Notified when the queue changes, and regularly while a batch runs. */
  readonly #changed = new Condition();
  #steps = 0;

  constructor(options: BatchingQueueOptions) {
    this.#options = options;
  }

  /** *Moved*: the samples of the window stay as they are until the job is done, failed or dropped. */
  add(job: WindowJob): void {
    if (this.#dropped.has(job.owner)) return;
    this.#jobs.push(job);
    this.#running ??= this.#run();
  }

  /** Removes the jobs of an owner; neither `done` nor `failed` of them is called any more. */
  drop(owner: object): void {
    this.#dropped.add(owner);
    this.#jobs = this.#jobs.filter((job) => job.owner !== owner);
    this.#changed.notifyAll();
  }

  /** Resolves when at most `limit` windows wait. Throws CANCELLED when the turn is cancelled first. */
  waitForRoom(turn: WaitingTurn): Promise<void> {
    return this.waitUntil(() => this.#jobs.length <= this.#options.limit, turn);
  }

  /**
   * Resolves when `condition`, which only finished windows change, is true; the turn stays alive while the
   * model works.
   */
  async waitUntil(condition: () => boolean, { signal, alive }: WaitingTurn): Promise<void> {
    while (!condition()) {
      if (signal.aborted) throw engineErrors.CANCELLED();
      await this.#changed.wait(signal);
      alive();
    }
  }

  /** Resolves when no batch runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      // Windows added in the same turn of the event loop run together.
      await this.#options.checkpoint();
      for (let next = this.#jobs[0]; next; next = this.#jobs[0]) await this.#runNext(next.model_key);
    } catch (error) {
      for (const job of this.#jobs.splice(0)) this.#fail(job, error);
    }
    this.#running = null;
    this.#changed.notifyAll();
  }

  async #runNext(modelKey: string): Promise<void> {
    try {
      await this.#options.withModel(modelKey, async (batchSize, run) => {
        const first = this.#jobs.find((job) => job.model_key === modelKey);
        const batch = this.#remove(
          (job) =>
            job.model_key === modelKey &&
            job.output === first?.output &&
            job.language === first.language &&
            job.follows === first.follows,
          batchSize,
        );
        if (batch.length > 0) await this.#runBatch(batch, run);
      });
    } catch (error) {
      // The model is not loaded: no job of it can run.
      for (const job of this.#remove((job) => job.model_key === modelKey)) this.#fail(job, error);
    }
    await this.#options.checkpoint();
  }

  /** Takes the first `most` jobs that match out of the queue. */
  #remove(matches: (job: WindowJob) => boolean, most = Number.POSITIVE_INFINITY): WindowJob[] {
    const removed = this.#jobs.filter(matches).slice(0, most);
    const set = new Set(removed);
    this.#jobs = this.#jobs.filter((job) => !set.has(job));
    this.#changed.notifyAll();
    return removed;
  }

  async #runBatch(batch: readonly WindowJob[], run: RunBatch): Promise<void> {
    const windows = batch.map(({ window }) => window);
    try {
      const transcripts = await run(windows, batch[0]!, () => this.#step(batch));
      for (const [at, job] of batch.entries()) this.#finish(job, transcripts[at]!);
      this.#changed.notifyAll();
    } catch (error) {
      const waiting = batch.filter(({ owner }) => !this.#dropped.has(owner));
      // The batch is run again window by window, so that one the model cannot take fails alone.
      if (batch.length > 1 && !engineErrors.CANCELLED.is(error)) {
        for (const job of waiting) await this.#runBatch([job], run);
      } else for (const job of waiting) this.#fail(job, error);
    }
  }

  async #step(batch: readonly WindowJob[]): Promise<void> {
    await this.#options.checkpoint();
    this.#steps += 1;
    if (this.#steps % STEPS_PER_SIGN_OF_LIFE === 0) this.#changed.notifyAll();
    if (batch.every(({ owner }) => this.#dropped.has(owner))) {
      throw engineErrors.CANCELLED('all sessions of the batch are dropped');
    }
  }

  /** An error thrown by `done` fails this job only: it is no reason to run the batch again. */
  #finish(job: WindowJob, transcript: WindowTranscript): void {
    if (this.#dropped.has(job.owner)) return;
    try {
      job.done(transcript);
    } catch (error) {
      job.failed(error);
    }
  }

  #fail(job: WindowJob, error: unknown): void {
    if (!this.#dropped.has(job.owner)) job.failed(error);
  }
}
