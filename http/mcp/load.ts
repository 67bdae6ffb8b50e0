// Brings the analysis folder into memory before a search. What is loaded already stays, and what was analysed
// since is added.
import { visualModelErrors } from '../../actors/search/models/contract.ts';
import { isOf } from '../client/error.ts';
import { oneLine } from './text.ts';
import type { Call } from './tool.ts';

/**
 * Pictures, people and speech; without a visual model what is said can be searched all the same. Answers
 * whether there is anything to search.
 */
export async function loadAll(call: Call): Promise<boolean> {
  const { client, cacheDir, callOptions } = call;
  try {
    const { media, transcriptions } = await client.loadAnalysisData({ cache_dir: cacheDir }, callOptions);
    return media > 0 || transcriptions > 0;
  } catch (error) {
    const withoutModel = isOf(visualModelErrors.NO_VISUAL_MODEL, error);
    if (!withoutModel) throw error;
    return loadSpeech(call);
  }
}

export async function loadSpeech({ client, cacheDir, callOptions }: Call): Promise<boolean> {
  return (await client.loadTranscriptions({ cache_dir: cacheDir }, callOptions)).transcriptions > 0;
}

/** What is said where nothing can be searched. */
export function nothingAnalysed({ cacheDir }: Call, what: string): string {
  return `Nothing is ${what} in ${oneLine(cacheDir, 400)} yet. Call analyze with the absolute paths of media files first.`;
}
