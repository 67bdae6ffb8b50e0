// Self-tests of downloaded models after the device, its driver or the runtime has changed: another one may
// compute something else.
import type { Engine } from '../actors/engine.ts';
import { testText } from '../actors/models/contract.ts';
import type { Context } from './context.ts';

/** `again`: leaves out models that were never tested. Logs each result. Rejects only with CANCELLED. */
export function testChangedModels(
  { models }: Pick<Engine, 'models'>,
  { log, clock }: Pick<Context, 'log' | 'clock'>,
  options: { readonly signal: AbortSignal; readonly again: boolean },
): Promise<void> {
  return models.testChanged({ ...options, clock }, (model, test, refused) => {
    log[refused ? 'error' : 'info']('self-test of a model', { model, refused, result: testText(test) });
  });
}
