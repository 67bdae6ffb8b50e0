// A pool of threads for computing that needs nothing but its input: no model, no store, no native library of
// ours. So a thread may be terminated in the middle of a job, which the thread of an actor may not.
import type { Piscina } from 'piscina';
import { engineErrors, errorTable } from './errors.ts';
import { Semaphore } from './sync/locks.ts';

export const poolErrors = errorTable({
  THREAD_ENDED: { meaning: 'The thread ended while working on this', status: 503, retryable: true },
  OUT_OF_MEMORY: { meaning: 'The work needs more memory than its thread has', status: 500 },
});

export interface PoolOptions {
  /** Module that exports the function. */
  readonly module: URL;
  /** Name of the function; it is called with a task and returns a result or a promise. */
  readonly name: string;
  /** At most; none is started before there is a task, and an idle one ends after a while. */
  readonly threads: number;
  /** Tasks that may wait for a thread; unbounded where the caller has a bound of its own. */
  readonly waiting?: number;
  /** Heap of one thread. */
  readonly mostMegabytes: number;
}

interface Pool<Task, Result> {
  /**
   * `moved`: buffers inside the task that are moved to the thread; the rest is *copied*. Throws CANCELLED
   * when the signal aborts, which ends the thread of a task that runs, or when the pool is closed; BUSY,
   * THREAD_ENDED, OUT_OF_MEMORY; and what the function throws, as a plain `Error`.
   */
  run(task: Task, signal: AbortSignal, moved?: readonly ArrayBuffer[]): Promise<Result>;
  /** Ends every thread and every task. */
  close(): Promise<void>;
}

const IDLE_MS = 10_000;

export function createPool<Task, Result>(options: PoolOptions): Pool<Task, Result> {
  const { module, name, threads, waiting = Number.POSITIVE_INFINITY, mostMegabytes } = options;
  // Tasks wait here, not in piscina: there they would wait for ever once the thread they wait for was
  // terminated.
  const permits = new Semaphore(threads);
  const closing = new AbortController();
  const running = new Set<AbortController>();
  const start = async (): Promise<Piscina<Task, Result>> => {
    const { Piscina } = await import('piscina');
    const piscina = new Piscina<Task, Result>({
      filename: module.href,
      name,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
    });
    // A thread that ends before its first task, or between two: whoever waits for it has to be told.
    piscina.on('error', (error) => {
      for (const controller of running) controller.abort(error);
    });
    return piscina;
  };
  // Begun with the first task: most commands have none.
  let started: Promise<Piscina<Task, Result>> | null = null;

  const runNow = async (task: Task, signal: AbortSignal, moved: readonly ArrayBuffer[]): Promise<Result> => {
    const broken = new AbortController();
    running.add(broken);
    try {
      const until = AbortSignal.any([signal, broken.signal, closing.signal]);
      until.throwIfAborted();
      started ??= start();
      const piscina = await started;
      return await piscina.run(task, { signal: until, transferList: [...moved] });
    } catch (error) {
      if (signal.aborted || closing.signal.aborted)
        throw engineErrors.CANCELLED(`${name} in a thread`, {}, error);
      throw poolError(broken.signal.aborted ? broken.signal.reason : error, broken.signal.aborted);
    } finally {
      running.delete(broken);
    }
  };

  return {
    run: (task, signal, moved = []) => {
      if (closing.signal.aborted) return Promise.reject(engineErrors.CANCELLED('the pool is closed'));
      if (permits.waiting >= waiting) {
        return Promise.reject(
          engineErrors.BUSY(`${permits.waiting} tasks are already waiting for a thread (${name})`),
        );
      }
      const until = AbortSignal.any([signal, closing.signal]);
      return permits.run(() => runNow(task, signal, moved), { signal: until });
    },
    close: async () => {
      closing.abort();
      await (await started)?.destroy();
    },
  };
}

function poolError(error: unknown, isBroken: boolean): unknown {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return poolErrors.OUT_OF_MEMORY(undefined, {}, error);
  const hasEnded = isBroken || code.startsWith('ERR_WORKER_') || /^worker exited with code/.test(message);
  return hasEnded ? poolErrors.THREAD_ENDED(message, {}, error) : error;
}
