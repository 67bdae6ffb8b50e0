// A request to download models: which they are, and that there are such.
import { dirname } from 'node:path';
import { keysOf } from '../../models/advice.ts';
import { type ModelLibrary, modelErrors } from '../../models/contract.ts';
import { currentKey } from '../../models/renamed.ts';
import { type AnalysisRequest, analysisErrors, type JobRequests } from '../contract.ts';
import type { OrderedJobs } from './ordered-jobs.ts';

/** What is asked of the models before any is downloaded. */
export type PullableModels = Pick<ModelLibrary, 'list' | 'missing'>;

/**
 * Each model once, in the order of the request. Throws INVALID_REQUEST, MODEL_UNKNOWN, MODEL_UNSUPPORTED,
 * MODEL_INVALID and MODEL_BUILT_IN. The folder that is filled is the one of the models.
 */
export async function resolvePull(
  { model_keys }: JobRequests['pull'],
  library: PullableModels,
): Promise<OrderedJobs> {
  if (model_keys.length === 0)
    throw analysisErrors.INVALID_REQUEST('model_keys is empty', { field: 'model_keys' });
  const { models } = await library.list();
  const keys = [...new Set(model_keys.flatMap((word) => keysOf(word, models)).map(currentKey))];
  let folder = '';
  for (const key of keys) {
    ({ folder } = await library.missing(key));
    if (!models.find(({ row }) => row.key === key)?.builtIn) continue;
    throw modelErrors.MODEL_BUILT_IN(`"${key}" is part of the program and needs no download`, { key });
  }
  return { cache_dir: dirname(folder), pull_models: keys };
}

/** The same models, in whatever order. */
export function pullKey({ cache_dir, pull_models }: AnalysisRequest): string | null {
  return pull_models ? JSON.stringify(['pull', cache_dir, pull_models.toSorted()]) : null;
}
