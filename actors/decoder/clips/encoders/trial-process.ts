// The process of a trial: gets a folder, an encoder and the pictures it is wanted for, and answers what is
// wrong with it.
import { systemClock } from '../../../../runtime/clock.ts';
import { discardSync } from '../../../../runtime/files/names.ts';
import { defaultLimitMs, newContext } from './device-encoder.ts';
import { type TrialOrder, tryEncoder, type Verdict } from './trial.ts';

const options = { clock: systemClock, limitMs: defaultLimitMs, newContext };

process.once('message', async ({ folder, ...request }: TrialOrder) => {
  // The engine is gone.
  process.once('disconnect', () => {
    discardSync(folder);
    process.exit();
  });
  const verdict = await tryEncoder(request, folder, options).then(
    (psnr): Verdict => ({ reason: null, psnr }),
    (error): Verdict => ({ reason: error instanceof Error ? error.message : String(error), psnr: null }),
  );
  process.send?.(verdict);
});
process.once('disconnect', () => process.exit());
