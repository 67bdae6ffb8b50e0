// A library without models, for engines that download none, and the orders of tasks of such an engine.

import { jobOrders } from '../../../actors/analysis/tasks/tasks.ts';
import type { ModelLibrary, ModelWork } from '../../../actors/models/contract.ts';
import { noModelErrors } from '../../../actors/models/contract.ts';

export const noModels: Pick<ModelLibrary, 'list' | 'missing' | 'pull'> = {
  list: async () => ({ models: [], problems: [] }),
  missing: async (key) => ({ folder: `/models/${key}`, files: [] }),
  pull: async (key) => Promise.reject(new Error(`${key} is not pulled here`)),
};

export const orders = jobOrders(noModels);

/** Of an engine that finds faces alone. */
export async function expectFaceModel(work: ModelWork): Promise<void> {
  if (work === 'text') throw noModelErrors.NO_TEXT_MODEL('framehound models pull pp-ocr-v4');
  if (work === 'sounds') throw noModelErrors.NO_SOUND_MODEL('framehound models pull firered-aed');
  if (work === 'things') throw noModelErrors.NO_OBJECT_DETECTOR('framehound models pull nanodet-416');
}
