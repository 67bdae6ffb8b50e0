// Asks a program of ours in a process of its own: native code that crashes or hangs in it takes nothing else
// with it.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../clock.ts';
import { engineErrors } from '../errors.ts';

interface IsolatedOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Ms for all of it, the start of the process included. */
  readonly limitMs: number;
  /** Called once when the process is gone, or was never there. */
  readonly onGone?: () => void;
}

/** `failure`: what came in place of an answer, to be said of the process: `ended with SIGSEGV`. */
type Isolated<T> = { readonly answer: T } | { readonly failure: string };

/**
 * Sends `order` to the program and answers the first message that comes back. The process is ended then, and
 * after the limit. What it writes is thrown away: drivers write where they like. Rejects only with CANCELLED.
 */
export async function askIsolated<T>(
  program: URL,
  order: object,
  { signal, clock, limitMs, onGone = () => {} }: IsolatedOptions,
): Promise<Isolated<T>> {
  if (signal.aborted) {
    onGone();
    throw engineErrors.CANCELLED();
  }
  const child = fork(fileURLToPath(program), [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const result = Promise.withResolvers<Isolated<T>>();
  const failed = (failure: string) => result.resolve({ failure });
  const notStarted = ({ message }: Error) => failed(`cannot be started: ${message}`);
  const onAbort = () => result.reject(engineErrors.CANCELLED());
  const cancel = clock.after(limitMs, () => failed(`gave no sign of life for ${limitMs} ms`));
  signal.addEventListener('abort', onAbort, { once: true });
  child.on('message', (answer: T) => result.resolve({ answer }));
  child.on('error', notStarted);
  child.on('exit', (code, signalName) => failed(`ended with ${signalName ?? code}`));
  try {
    child.send(order, (error) => error && notStarted(error));
    return await result.promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
    end(child, onGone);
  }
}

/**
 * Not asked: native code that hangs would not hear it. Nobody waits for a process that the system cannot end.
 */
function end(child: ChildProcess, onGone: () => void) {
  child.removeAllListeners();
  child.on('error', () => {}); // It may have ended by itself.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) onGone();
  else child.once('exit', onGone);
  if (child.connected) child.disconnect();
  child.kill('SIGKILL');
}
