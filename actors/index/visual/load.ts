// Which stages a load takes: everything stored by a model, or some hashes, with what is missing or damaged named.
import { storeErrors } from '../store/contract.ts';
import type { Visual } from '../store/records.ts';
import type { Store } from '../store/store.ts';

export interface WantedStages {
  readonly visuals: Visual[];
  readonly missing: string[];
  readonly unreadable: Set<string>;
}

/** `hashes` null: everything. A stage of other dimensions than the model has now counts as missing. */
export function wantedStages(store: Store, modelKey: string, hashes: readonly string[] | null): WantedStages {
  const unreadable = new Set<string>();
  const dimensions = store.visual.model(modelKey)?.dimensions;
  if (hashes === null) {
    const all = store.visual.stages(modelKey, (hash) => unreadable.add(hash));
    return { visuals: all.filter((visual) => visual.dimensions === dimensions), missing: [], unreadable };
  }
  const visuals: Visual[] = [];
  const missing: string[] = [];
  for (const hash of new Set(hashes)) {
    const visual = readable(store, modelKey, hash, unreadable);
    if (visual !== null && visual.dimensions === dimensions) visuals.push(visual);
    else if (!unreadable.has(hash)) missing.push(hash);
  }
  return { visuals, missing, unreadable };
}

function readable(store: Store, modelKey: string, hash: string, unreadable: Set<string>): Visual | null {
  try {
    return store.visual.stage(modelKey, hash);
  } catch (error) {
    if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
    unreadable.add(hash);
    return null;
  }
}
