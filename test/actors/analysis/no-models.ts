// A library without models, for engines that download none, and the orders of tasks of such an engine.
import { jobOrders } from '../../../actors/analysis/tasks/job-orders.ts';
import type { ModelLibrary } from '../../../actors/models/contract.ts';

export const noModels: Pick<ModelLibrary, 'list' | 'missing' | 'pull'> = {
  list: async () => ({ models: [], problems: [] }),
  missing: async (key) => ({ folder: `/models/${key}`, files: [] }),
  pull: async (key) => Promise.reject(new Error(`${key} is not pulled here`)),
};

export const orders = jobOrders(noModels);
