// Which files of a folder are analysed at all: those that pass its metadata filter, and those of which too little is known.
import { makeFolder } from '../../runtime/files/make-folder.ts';
import type { Ref } from '../../runtime/ref.ts';
import { type Analysis, analysisErrors } from '../analysis/contract.ts';
import type { indexContract } from '../index/contract.ts';
import type { FolderSettings } from './configuration.ts';

export interface CandidateParts {
  readonly analysis: Pick<Analysis, 'properties'>;
  readonly index: Ref<typeof indexContract>;
}

/** Whether each file passes. Errors: those of filters and of the store, CANCELLED. */
export async function passing(
  { analysis, index }: CandidateParts,
  { metadata_filter_request }: FolderSettings,
  cache_dir: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly boolean[]> {
  if (metadata_filter_request === null) return paths.map(() => true);
  // Nothing is remembered in a folder that is not there, and what is not known passes.
  makeFolder(cache_dir);
  try {
    // What they are is looked up once and remembered; the task that follows finds it known.
    await analysis.properties({ cache_dir, media_paths: paths, model_key: null }, signal);
  } catch (error) {
    // What cannot be read passes: the task says why.
    if (!analysisErrors.NO_MEDIA.is(error)) throw error;
  }
  const { filters } = metadata_filter_request;
  const asked = { cache_dir, names: [...paths], filters };
  while (!(await index.ask('ready_facets', { cache_dir }, { signal })).done);
  return (await index.ask('passing', asked, { signal })).passing;
}
