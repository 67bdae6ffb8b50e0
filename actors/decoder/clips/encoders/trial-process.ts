// The process of a trial: gets an encoder and the pictures it is wanted for, and answers what is wrong with it.
import { systemClock } from '../../../../runtime/clock.ts';
import { defaultLimitMs, newContext } from './device-encoder.ts';
import type { TrialRequest, Verdict } from './prove.ts';
import { tryEncoder } from './trial.ts';

/** Nobody cancels it but by ending the process. */
const turn = { throwIfCancelled: () => {}, alive: () => {}, reserve: async () => () => {} };
const options = { clock: systemClock, limitMs: defaultLimitMs, newContext };

process.once('message', async ({ candidate, shape }: TrialRequest) => {
  const verdict = await tryEncoder(candidate, shape, options, turn).then(
    ({ psnr }): Verdict => ({ reason: null, psnr }),
    (error): Verdict => ({ reason: error instanceof Error ? error.message : String(error), psnr: null }),
  );
  process.send?.(verdict);
});
// The engine is gone.
process.once('disconnect', () => process.exit());
