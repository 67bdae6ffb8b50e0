// The end of an engine that met an error nobody caught: what state it is in nobody knows, so it says so and goes; its
// guardian starts another one.
import type { Log } from '../log.ts';

/** The part of `process` that tells of errors nobody caught; a promise that nobody caught is one too. */
export interface FaultProcess {
  readonly pid: number;
  on(event: 'uncaughtException', heard: (error: unknown) => void): unknown;
  kill(pid: number, signal: 'SIGKILL'): unknown;
}

/**
 * From now on such an error becomes one line of the log, and the process is killed when that line is out: any softer end
 * waits for threads, or aborts inside their native code.
 */
export function endOnFault(log: Log, flush: () => Promise<void>, own: FaultProcess = process): void {
  let ending = false;
  own.on('uncaughtException', (error) => {
    log.error('engine met a fault', { error });
    if (ending) return;
    ending = true;
    void flush().finally(() => own.kill(own.pid, 'SIGKILL'));
  });
}
