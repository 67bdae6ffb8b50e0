// Asks the index what media can be filtered by; what it lost of the loaded data is loaded again first.
import type { Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../../index/contract.ts';
import { now } from '../call-options.ts';
import type { FacetAnswer, FacetRequest } from '../contract.ts';
import type { TranscriptData } from '../transcripts/transcript-data.ts';
import type { VisualData } from '../visual/visual-data.ts';
import { facetAnswer, facetScope } from './facets.ts';
import { readyFacets } from './ready-facets.ts';

export interface FacetParts {
  readonly index: Ref<typeof indexContract>;
  readonly visualData: VisualData;
  readonly transcriptData: TranscriptData;
}

/** Errors: those of facetScope and of the filters; STORE_UNAVAILABLE and its like. */
export async function findFacets(
  { index, visualData, transcriptData }: FacetParts,
  request: FacetRequest,
  signal: AbortSignal | undefined,
): Promise<FacetAnswer> {
  const { cache_dir, filters } = request;
  await Promise.all([visualData.restored(signal), transcriptData.restored(signal)]);
  const model_key = visualData.current?.model_key ?? '';
  const context = visualData.isLoaded({ cache_dir, model_key }) ? visualData.current : null;
  const asked = facetScope(request, context?.model_key ?? null);
  const hasTranscripts = transcriptData.isLoaded({ cache_dir });
  const scope = asked.scope.mode === 'paths' ? asked.scope : { ...asked.scope, transcripts: hasTranscripts };
  await readyFacets(index, cache_dir, now(signal));
  const ask = () => index.ask('facets', { cache_dir, scope, filters }, now(signal));
  const whole = () => (hasTranscripts ? transcriptData.within({ cache_dir }, ask, signal) : ask());
  const report = await (context ? visualData.within(context, whole, signal) : whole());
  return facetAnswer(report, asked, filters.length);
}
