// Opens language models of the models folder, on the device and with the threads of the settings.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { engineErrors } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import type { DeviceChoice } from '../../models/device.ts';
import { fileOf, findSummaryRow, readRegistry, requireFiles } from '../../models/registry.ts';
import { openSession } from '../../models/session.ts';
import type { OpenLanguageWriter } from './contract.ts';
import { familyOf } from './families.ts';
import { createWriter } from './writer.ts';

export interface LanguageEnv {
  readonly settings: {
    /** Absolute path of the folder with a folder for each model. */
    readonly modelsDir: string;
    readonly device: DeviceChoice;
    /** Threads inside one run; 0 leaves it to the runtime. */
    readonly threads: number;
  };
  readonly log: Log;
  readonly stopping?: AbortSignal;
}

/**
 * What it answers throws MODEL_UNSUPPORTED and CANCELLED too; whatever is thrown, what was opened is freed.
 */
export function openLanguageWriter({ settings, log, stopping }: LanguageEnv): OpenLanguageWriter {
  const { modelsDir, device, threads } = settings;
  return async (model_key, signal) => {
    const checkpoint = async () => {
      await eventLoopTurn();
      if (signal.aborted) throw engineErrors.CANCELLED();
    };
    await checkpoint();
    const row = findSummaryRow(await readRegistry(modelsDir), model_key);
    await requireFiles(modelsDir, row);
    const file = (role: string) => fileOf(modelsDir, row, role);
    const session = (source: string | Uint8Array) =>
      openSession(source, { device, threads, log, checkpoint, ...(stopping && { stopping }) });
    return createWriter(row, await familyOf(row).open(row, file, session, checkpoint));
  };
}
