// The process of a self-test: starts the actors that a model needs, with that model alone, and answers what
// came of it. A driver that crashes or hangs takes nothing else with it.
import '../../runtime/process/no-telemetry.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Contract } from '../../runtime/contract.ts';
import { EngineError, engineErrors } from '../../runtime/errors.ts';
import { createLog } from '../../runtime/log.ts';
import { moduleUrl } from '../../runtime/process/program.ts';
import { createSlotPool } from '../../runtime/slots.ts';
import { createSupervisor } from '../../runtime/supervisor.ts';
import { threadSpec } from '../../runtime/thread.ts';
import { decoderContract } from '../decoder/contract.ts';
import { diarizerContract } from '../diarizer/contract.ts';
import { embedderContract } from '../embedder/contract.ts';
import { facesContract } from '../faces/contract.ts';
import { modelErrors, type SelfTestAnswer, type SelfTestOrder } from '../models/contract.ts';
import { summarizerContract } from '../summarizer/contract.ts';
import { textReaderContract } from '../text-reader/contract.ts';
import { thingsContract } from '../things/contract.ts';
import { transcriberContract } from '../transcriber/contract.ts';
import { testModel } from './tests.ts';

process.once('message', async (order: SelfTestOrder) => {
  process.send?.(await answerTo(order));
});
process.once('disconnect', () => process.exit());

async function answerTo({ model, modelsDir, device }: SelfTestOrder): Promise<SelfTestAnswer> {
  const log = createLog('self-test', () => {});
  const pool = createSlotPool(8, 4 * 2 ** 20);
  const supervisor = createSupervisor({ clock: systemClock, log, pool });
  // One that cannot be loaded has nothing to fall back to.
  const settings = { modelsDir, device, threads: 0, defaultModel: model.key };
  const root = moduleUrl('../../main', import.meta.url).href;
  const add = <C extends Contract>(contract: C, more: object = {}) => {
    const options = { name: contract.name, settings: { ...settings, ...more }, memory: pool.memory, log };
    return supervisor.addOnDemand(threadSpec(contract, root, options));
  };
  try {
    const test = await testModel(model, {
      decoder: add(decoderContract, { hardware: 'off' }),
      embedder: add(embedderContract),
      things: add(thingsContract),
      textReader: add(textReaderContract),
      faces: add(facesContract),
      transcriber: add(transcriberContract),
      diarizer: add(diarizerContract, { speakerModel: model.kind === 'speaker' ? model.key : 'auto' }),
      summarizer: add(summarizerContract),
    });
    return { test };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return isOfModel(error) ? { failure: message } : { untested: message };
  } finally {
    await supervisor.stop();
  }
}

/** True if the model is to blame, and not a sample that cannot be decoded. */
function isOfModel(error: unknown): boolean {
  const { INTERNAL, ACTOR_CRASHED, ACTOR_STUCK } = engineErrors;
  const codes = [...Object.keys(modelErrors), INTERNAL.code, ACTOR_CRASHED.code, ACTOR_STUCK.code];
  return error instanceof EngineError && codes.includes(error.code);
}
