// Proves an encoder in a process of its own: a driver that crashes or hangs takes nothing with it.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** What the process of a trial is told. `folder`: its own, to write into; removed when it has ended. */
export interface TrialOrder extends TrialRequest {
  readonly folder: string;
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

/** Rejects only with CANCELLED; then and after the limit the process is gone, with all that it wrote. */
export async function proveInProcess(
  request: TrialRequest,
  signal: AbortSignal,
  {
    clock,
    limitMs = defaultLimitMs,
    program = trialProgram,
  }: Partial<ProveOptions> & Pick<ProveOptions, 'clock'>,
): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'framehound-encoder-')).catch((error: Error) => error);
  if (folder instanceof Error) return unstarted(folder);
  if (signal.aborted) {
    await rm(folder, { recursive: true, force: true });
    throw engineErrors.CANCELLED('the trial of an encoder');
  }
  // Drivers write where they like.
  const child = fork(fileURLToPath(program), [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const told = Promise.withResolvers<Verdict>();
  const failed = (reason: string) => told.resolve({ reason, psnr: null });
  const notStarted = (error: Error) => told.resolve(unstarted(error));
  const onAbort = () => told.reject(engineErrors.CANCELLED('the trial of an encoder'));
  const cancel = clock.after(limitMs, () => failed(`its trial gave no sign of life for ${limitMs} ms`));
  signal.addEventListener('abort', onAbort, { once: true });
  child.on('message', (verdict: Verdict) => told.resolve(verdict));
  child.on('error', notStarted);
  child.on('exit', (code, signalName) => failed(`its trial ended with ${signalName ?? code}`));
  try {
    const order: TrialOrder = { ...request, folder };
    child.send(order, (error) => error && notStarted(error));
    return await told.promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
    end(child, folder);
  }
}

const unstarted = ({ message }: Error): Verdict => ({
  reason: `its trial cannot be started: ${message}`,
  psnr: null,
});

/** Not asked: native code that hangs would not hear it. Nobody waits for a process that the system cannot end. */
function end(child: ChildProcess, folder: string) {
  // What cannot be removed is left to the system, as temporary folders are.
  const clear = () => void rm(folder, { recursive: true, force: true }).catch(() => {});
  child.removeAllListeners();
  child.on('error', () => {}); // It may have ended by itself.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) clear();
  else child.once('exit', clear);
  if (child.connected) child.disconnect();
  child.kill('SIGKILL');
}
