// Which models a task works with where the request does not say, or names one: asked before anything starts.
import type { ModelWork } from './contract.ts';
import type { DeviceChoice } from './device.ts';
import { thisMachine } from './machine.ts';
import { chooseFaces, chooseObjectDetector, chooseTextModel } from './registry.ts';
import { chooseSummaryModel } from './summary-models.ts';

const choosing: Readonly<Record<ModelWork, (modelsDir: string) => Promise<unknown>>> = {
  faces: chooseFaces,
  text: chooseTextModel,
  things: chooseObjectDetector,
};

export interface ModelChoices {
  /** Also where there is no actor for it. Throws NO_FACE_MODEL, NO_TEXT_MODEL, NO_OBJECT_DETECTOR. */
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
