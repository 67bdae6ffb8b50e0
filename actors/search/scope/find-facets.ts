// Asks the index what media can be filtered by; what it lost of the loaded data is loaded again first.
import type { Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../../index/contract.ts';
import type { FacetReport, FacetScope } from '../../index/facets/contract.ts';
import { now } from '../call-options.ts';
import type { FacetAnswer, FacetRequest } from '../contract.ts';
import type { TranscriptData } from '../transcripts/transcript-data.ts';
import type { VisualData } from '../visual/visual-data.ts';
import { entriesOf, isGlobal } from './entries.ts';
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

// What media can be filtered by: the scope of a request for facets, and the answer to it.

export interface RequestedScope {
  readonly scope: FacetScope;
  /** Files the client means; 0 when it does not say. */
  readonly expected: number;
}

/**
 * The scope of a request for facets: the one it gives, or the one its flat fields make. `modelKey`: the model
 * whose analysis of the folder is loaded, or null. Errors: as entriesOf.
 */
export function facetScope(request: FacetRequest, modelKey: string | null): RequestedScope {
  const mode = request.search_all ? 'global' : 'paths';
  const flat = { ...request, mode } as const;
  const { scope, field } = request.scope
    ? { scope: request.scope, field: 'scope' }
    : { scope: flat, field: '' };
  const expected = scope.expected_count ?? 0;
  const entries = entriesOf(scope, field);
  if (isGlobal(scope, entries)) {
    return { scope: { mode: 'global', media_type: scope.media_type, model_key: modelKey }, expected };
  }
  return { scope: { mode: 'paths', hashes: entries.map(({ hash }) => hash) }, expected };
}

/** The answer to a client. Files that were announced but not named count as missing. */
export function facetAnswer(
  report: FacetReport,
  { scope, expected }: RequestedScope,
  filters: number,
): FacetAnswer {
  const { facets, indexed_count } = report;
  const scope_count = Math.max(report.scope_count, expected);
  const missing_count = scope_count - indexed_count;
  return {
    success: true,
    facets,
    coverage: { scope_count, indexed_count, missing_count },
    active_filter_count: filters,
    warning: warningOf(report, scope, scope_count, missing_count),
  };
}

function warningOf(
  { scope_count: named, unreadable, unreadable_people: clusterings = [], shortened }: FacetReport,
  scope: FacetScope,
  files: number,
  missing: number,
): string | null {
  const unknown = missing - unreadable.length;
  const hashless = scope.mode === 'paths' ? scope.hashes.filter((hash) => hash === null).length : 0;
  const speech = scope.mode === 'global' && scope.media_type === 'speech';
  const parts = [
    scope.mode === 'global' && named === 0 && `No ${speech ? 'transcription' : 'analysis data'} is loaded`,
    unknown > 0 && `${unknown} of ${files} files in scope have no metadata`,
    hashless > 0 &&
      `${hashless} paths were sent without a hash: send the hash_strs from /media/metadata along with media_paths`,
    unreadable.length > 0 && `Damaged metadata; analyse these files again: ${unreadable.join(', ')}`,
    clusterings.length > 0 && `Damaged face clusterings; cluster these again: ${clusterings.join(', ')}`,
    shortened.length > 0 && `Only the most frequent options are listed for ${shortened.join(', ')}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join('. ') : null;
}
