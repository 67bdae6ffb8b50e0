// Which models a task works with where the request does not say, or names one: asked before anything starts.

import { fitsMemory, type Machine, recommendedSummaryModel } from './advice.ts';
import { type ModelWork, modelErrors, type SummaryRow } from './contract.ts';
import type { DeviceChoice } from './device.ts';
import { thisMachine } from './machine.ts';
import {
  chooseFaces,
  chooseObjectDetector,
  chooseSoundModel,
  chooseTextModel,
  currentSystem,
  findSummaryRow,
  isSummary,
  missingFiles,
  readRegistry,
  requireFiles,
  testOf,
} from './registry.ts';

const choosing: Readonly<Record<ModelWork, (modelsDir: string) => Promise<unknown>>> = {
  faces: chooseFaces,
  text: chooseTextModel,
  things: chooseObjectDetector,
  sounds: chooseSoundModel,
};

interface ModelChoices {
  /**
   * Also where there is no actor for it. Throws NO_FACE_MODEL, NO_TEXT_MODEL, NO_OBJECT_DETECTOR,
   * NO_SOUND_MODEL.
   */
  expectModelFor(work: ModelWork): Promise<void>;
  /**
   * Null for `key` is the recommended model, and null as the answer means texts from templates. Throws
   * MODEL_UNKNOWN, MODEL_WRONG_KIND, MODEL_UNSUPPORTED and MODEL_NOT_DOWNLOADED.
   */
  summaryModel(key: string | null): Promise<string | null>;
}

export function modelChoices(modelsDir: string, device: DeviceChoice): ModelChoices {
  return {
    expectModelFor: async (work) => {
      await choosing[work](modelsDir);
    },
    summaryModel: async (key) => (await chooseSummaryModel(modelsDir, key, thisMachine(device)))?.key ?? null,
  };
}

// The language model that a summary is asked for with, checked before any work begins.

/**
 * `key`: one that was named; null for the recommended one, which is null too where none is downloaded that
 * fits: then texts come from templates. Throws MODEL_UNKNOWN, MODEL_WRONG_KIND, MODEL_UNSUPPORTED for one
 * that cannot run here, and MODEL_NOT_DOWNLOADED with the command that downloads it.
 */
export async function chooseSummaryModel(
  modelsDir: string,
  key: string | null,
  machine: Machine,
): Promise<SummaryRow | null> {
  const registry = await readRegistry(modelsDir);
  const system = currentSystem();
  if (key !== null) {
    const row = findSummaryRow(registry, key);
    if (!row.compatible_os.includes(system)) {
      const there = row.compatible_os.join(', ');
      throw modelErrors.MODEL_UNSUPPORTED(`"${key}" runs on ${there}, but this machine is ${system}`, {
        key,
      });
    }
    await requireFiles(modelsDir, row);
    return row;
  }
  const models = registry.rows.filter(isSummary).map(async (row) => ({
    row,
    downloaded: (await missingFiles(modelsDir, row)).length === 0,
    supported: row.compatible_os.includes(system),
    fits: fitsMemory(row, machine),
    test: await testOf(modelsDir, row),
  }));
  const recommended = recommendedSummaryModel(await Promise.all(models));
  return recommended && isSummary(recommended) ? recommended : null;
}
