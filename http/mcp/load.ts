// Brings the analysis folder into memory before a search. What is loaded already stays, and what was analysed since is added.
import { visualModelErrors } from '../../actors/search/models/contract.ts';
import { ApiError } from '../client/error.ts';
import type { Call } from './tool.ts';

/** Pictures, people and speech; without a visual model what is said can be searched all the same. */
export async function loadAll(call: Call): Promise<void> {
  const { client, cacheDir, asked } = call;
  try {
    await client.loadAnalysisData({ cache_dir: cacheDir }, asked);
  } catch (error) {
    const withoutModel =
      error instanceof ApiError && error.error === visualModelErrors.NO_VISUAL_MODEL.meaning;
    if (!withoutModel) throw error;
    await loadSpeech(call);
  }
}

export async function loadSpeech({ client, cacheDir, asked }: Call): Promise<void> {
  await client.loadTranscriptions({ cache_dir: cacheDir }, asked);
}
