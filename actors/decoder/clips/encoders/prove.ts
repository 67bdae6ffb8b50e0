// Proves an encoder in a process of its own: a driver that crashes or hangs takes nothing with it.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../../runtime/clock.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { moduleUrl } from '../../../../runtime/module-url.ts';
import type { PictureShape } from '../picture-encoder.ts';
import type { EncoderCandidate } from './candidates.ts';

export interface TrialRequest {
  readonly candidate: EncoderCandidate;
  readonly shape: PictureShape;
}

/** `reason`: what is wrong with the encoder; null when nothing is. `psnr`: dB, null without a result. */
export interface Verdict {
  readonly reason: string | null;
  readonly psnr: number | null;
}

export interface ProveOptions {
  readonly clock: Clock;
  /** Ms of a whole trial, the start of its process included. */
  readonly limitMs: number;
  readonly program: URL;
}

const trialProgram = moduleUrl('./trial-process', import.meta.url);
/** A trial takes a second or two, much of it to start. */
const defaultLimitMs = 60_000;

/** Rejects only with CANCELLED; then and after the limit the process is gone. */
export async function proveInProcess(
  request: TrialRequest,
  signal: AbortSignal,
  {
    clock,
    limitMs = defaultLimitMs,
    program = trialProgram,
  }: Partial<ProveOptions> & Pick<ProveOptions, 'clock'>,
): Promise<Verdict> {
  if (signal.aborted) throw engineErrors.CANCELLED('the trial of an encoder');
  // Drivers write where they like.
  const child = fork(fileURLToPath(program), [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const told = Promise.withResolvers<Verdict>();
  const failed = (reason: string) => told.resolve({ reason, psnr: null });
  const onAbort = () => told.reject(engineErrors.CANCELLED('the trial of an encoder'));
  const cancel = clock.after(limitMs, () => failed(`its trial gave no sign of life for ${limitMs} ms`));
  signal.addEventListener('abort', onAbort, { once: true });
  child.on('message', (verdict: Verdict) => told.resolve(verdict));
  child.on('error', (error) => failed(`its trial cannot be started: ${error.message}`));
  child.on('exit', (code, signalName) => failed(`its trial ended with ${signalName ?? code}`));
  try {
    child.send(request, (error) => error && failed(`its trial cannot be started: ${error.message}`));
    return await told.promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
    end(child);
  }
}

/** Not asked: native code that hangs would not hear it. */
function end(child: ChildProcess) {
  child.removeAllListeners();
  child.on('error', () => {}); // It may have ended by itself.
  if (child.connected) child.disconnect();
  child.kill('SIGKILL');
}
