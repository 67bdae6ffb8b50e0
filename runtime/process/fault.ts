// Ends the engine after an uncaught error: its state is unknown, so it logs the error and ends; its guardian
// starts it again.
import type { Log } from '../log.ts';

/** The part of `process` that reports uncaught errors, rejected promises included. */
interface FaultProcess {
  readonly pid: number;
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
  kill(pid: number, signal: 'SIGKILL'): unknown;
}

/**
 * From now on an uncaught error is logged, and the process is killed when that line is written: any softer
 * end waits for threads, or aborts inside their native code.
 */
export function endOnFault(log: Log, flush: () => Promise<void>, faultProcess: FaultProcess = process): void {
  let ending = false;
  faultProcess.on('uncaughtException', (error) => {
    log.error('engine met a fault', { error });
    if (ending) return;
    ending = true;
    void flush().finally(() => faultProcess.kill(faultProcess.pid, 'SIGKILL'));
  });
}
