// What media can be filtered by: the scope of a request for facets, and the answer to it.
import type { FacetReport, FacetScope } from '../../index/facets/contract.ts';
import type { FacetAnswer, FacetRequest } from '../contract.ts';
import { entriesOf, isGlobal } from './entries.ts';

export interface RequestedScope {
  readonly scope: FacetScope;
  /** Files the client means; 0 when it does not say. */
  readonly expected: number;
}

/**
 * The scope of a request for facets: the one it gives, or the one its flat fields make. `modelKey`: the model whose
 * analysis of the folder is loaded, or null. Errors: as entriesOf.
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
