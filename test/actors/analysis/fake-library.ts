// The rows of the program for an engine of fakes: nothing of them is downloaded.
import type { ListedModel } from '../../../actors/models/contract.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';

export const modelLibrary = {
  list: async () => ({ models: builtInRows.map((row) => ({ row })) as ListedModel[], problems: [] }),
  pull: () => Promise.reject(new Error('nothing is downloaded')),
  missing: () => Promise.reject(new Error('nothing is missing')),
};
