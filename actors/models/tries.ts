// Tries again what a network broke, with growing pauses, and gives up on what has gone silent.
import type { Clock } from '../../runtime/clock.ts';
import { type EngineError, engineErrors } from '../../runtime/errors.ts';
import { modelErrors } from './contract.ts';

export interface TransferProgress {
  /** `waiting`: until the next try, because of `reason`. */
  readonly phase: 'connecting' | 'receiving' | 'waiting';
  /** Why the try before failed; null in the other phases. */
  readonly reason: string | null;
  /** Bytes on the disk so far, those of earlier tries included. */
  readonly received: number;
  readonly total: number | null;
}

export interface TransferOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly progress?: (progress: TransferProgress) => void;
  /** Longest silence of the server, ms. */
  readonly stallMs?: number;
  /** Attempts in a row without a new byte. */
  readonly tries?: number;
}

export interface Transfer<Result> {
  /** What messages begin with, and `reason` is told without: a url or the name of a package. */
  readonly name: string;
  readonly total: number | null;
  attempt(): Promise<Result>;
  /** Bytes that the next try goes on from. */
  kept(): Promise<number>;
  /** A DOWNLOAD_FAILED is tried again, every other error is thrown. */
  explain(error: unknown): EngineError | Promise<EngineError>;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

export async function withTries<Result>(
  { name, total, attempt, kept, explain }: Transfer<Result>,
  options: TransferOptions,
): Promise<Result> {
  const tries = options.tries ?? 6;
  let fruitless = 0;
  for (;;) {
    const before = await kept();
    const tell = (phase: 'connecting' | 'waiting', received: number, reason: string | null) =>
      options.progress?.({ phase, reason, received, total });
    tell('connecting', before, null);
    try {
      return await attempt();
    } catch (error) {
      const failure = await explain(error);
      if (!modelErrors.DOWNLOAD_FAILED.is(failure)) throw failure;
      fruitless = (await kept()) > before ? 1 : fruitless + 1;
      if (fruitless >= tries) throw failure;
      tell('waiting', await kept(), failure.message.replace(`${name}: `, ''));
      await pause(Math.min(FIRST_WAIT_MS * 2 ** (fruitless - 1), LONGEST_WAIT_MS), options);
    }
  }
}

export interface Watchdog {
  readonly signal: AbortSignal;
  /** The server sent something. */
  alive(): void;
  end(): void;
}

/** Aborts when the caller cancels or the server is silent for too long. */
export function watchdog({ signal, clock, stallMs = 30_000 }: TransferOptions): Watchdog {
  const stop = new AbortController();
  const cancel = () => stop.abort(engineErrors.CANCELLED());
  const stall = () => stop.abort(new Error(`the server sent nothing for ${stallMs / 1000} s`));
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  let disarm = clock.after(stallMs, stall);
  return {
    signal: stop.signal,
    alive: () => {
      disarm();
      disarm = clock.after(stallMs, stall);
    },
    end: () => {
      disarm();
      signal.removeEventListener('abort', cancel);
      // Closes the connection when the body was not read to its end.
      stop.abort();
    },
  };
}

/** Waits by the clock, and keeps the process running meanwhile, which the clock does not. */
async function pause(ms: number, { clock, signal }: TransferOptions): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const hold = setInterval(() => {}, 2 ** 30);
  const disarm = clock.after(ms, wake);
  signal.addEventListener('abort', wake, { once: true });
  if (signal.aborted) wake();
  await promise;
  signal.removeEventListener('abort', wake);
  disarm();
  clearInterval(hold);
  if (signal.aborted) throw engineErrors.CANCELLED();
}
