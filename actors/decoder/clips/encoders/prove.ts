// Proves an encoder in a process of its own: a driver that crashes or hangs takes nothing with it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../../runtime/clock.ts';
import { moduleUrl } from '../../../../runtime/module-url.ts';
import { askIsolated } from '../../../../runtime/process/isolated.ts';
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
  if (folder instanceof Error) return failed(`cannot be started: ${folder.message}`);
  // What cannot be removed is left to the system, as temporary folders are.
  const onGone = () => void rm(folder, { recursive: true, force: true }).catch(() => {});
  const order: TrialOrder = { ...request, folder };
  const answer = await askIsolated<Verdict>(program, order, { signal, clock, limitMs, onGone });
  return 'answer' in answer ? answer.answer : failed(answer.failure);
}

const failed = (how: string): Verdict => ({ reason: `its trial ${how}`, psnr: null });
