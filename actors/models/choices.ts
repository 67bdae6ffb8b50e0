// Which models a task works with where the request does not say, or names one: asked before anything starts.
import type { DeviceChoice } from './device.ts';
import { thisMachine } from './machine.ts';
import { chooseFaces } from './registry.ts';
import { chooseSummaryModel } from './summary-models.ts';

export interface ModelChoices {
  /** Also where there is no face actor. Throws NO_FACE_MODEL. */
  expectFaceModel(): Promise<void>;
  /**
   * Null for `key` is the recommended model, and null as the answer means texts from templates. Throws MODEL_UNKNOWN,
   * MODEL_WRONG_KIND, MODEL_UNSUPPORTED and MODEL_NOT_DOWNLOADED.
   */
  summaryModel(key: string | null): Promise<string | null>;
}

export function modelChoices(modelsDir: string, device: DeviceChoice): ModelChoices {
  return {
    expectFaceModel: async () => {
      await chooseFaces(modelsDir);
    },
    summaryModel: async (key) => (await chooseSummaryModel(modelsDir, key, thisMachine(device)))?.key ?? null,
  };
}
