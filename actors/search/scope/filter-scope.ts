// The media that metadata filters speak of, from what a client says. Pure.
import { isAbsolute } from 'node:path';
import type { FacetReport, FacetScope } from '../../index/facets/contract.ts';
import type { FacetAnswer, FacetRequest } from '../contract.ts';
import { type FilterScope, scopeErrors } from './contract.ts';

/** Throws PATH_RELATIVE naming the first path that is not absolute as `field[i]`. */
export function checkAbsolute(paths: readonly string[], field: string): void {
  const wrong = paths.findIndex((path) => !isAbsolute(path) || path.includes('\0'));
  if (wrong < 0) return;
  const at = `${field}[${wrong}]`;
  throw scopeErrors.PATH_RELATIVE(`${at}: ${JSON.stringify(paths[wrong])} is not absolute`, { field: at });
}

/** One file of a scope: what is said of it; at least one of the two is there. */
export interface ScopeEntry {
  readonly path: string | null;
  readonly hash: string | null;
}

/** `field`: where the scope stands, empty for the body itself. Errors: PATH_RELATIVE, WRONG_SCOPE. */
export function entriesOf(
  { media_paths, hash_strs }: Pick<FilterScope, 'media_paths' | 'hash_strs'>,
  field: string,
): ScopeEntry[] {
  const at = (name: string) => (field === '' ? name : `${field}.${name}`);
  checkAbsolute(media_paths, at('media_paths'));
  if (media_paths.length === 0) return hash_strs.map((hash) => ({ path: null, hash }));
  if (hash_strs.length > 0 && hash_strs.length !== media_paths.length) {
    throw scopeErrors.WRONG_SCOPE(
      `${at('hash_strs')}: ${hash_strs.length} hashes do not align with ${media_paths.length} media_paths`,
      { field: at('hash_strs') },
    );
  }
  return media_paths.map((path, i) => ({ path, hash: hash_strs[i] || null }));
}

export interface AskedScope {
  readonly scope: FacetScope;
  /** Files the client means; 0 when it does not say. */
  readonly expected: number;
}

/**
 * The scope of a request for facets: the one it gives, or the one its flat fields make. `modelKey`: the model whose
 * analysis of the folder is loaded, or null. Errors: as entriesOf.
 */
export function facetScope(request: FacetRequest, modelKey: string | null): AskedScope {
  const mode = request.search_all ? 'global' : 'paths';
  const flat = { ...request, mode } as const;
  const { scope, field } = request.scope
    ? { scope: request.scope, field: 'scope' }
    : { scope: flat, field: '' };
  const expected = scope.expected_count ?? 0;
  const entries = entriesOf(scope, field);
  if (scope.mode === 'global') {
    return { scope: { mode: 'global', media_type: scope.media_type, model_key: modelKey }, expected };
  }
  return { scope: { mode: 'paths', hashes: entries.map(({ hash }) => hash) }, expected };
}

/** The answer to a client. Files that were announced but not named count as missing. */
export function facetAnswer(
  report: FacetReport,
  { scope, expected }: AskedScope,
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
  { scope_count: named, unreadable, shortened }: FacetReport,
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
    hashless > 0 && `${hashless} came without a hash: send hash_strs of /media/metadata with media_paths`,
    unreadable.length > 0 &&
      `Metadata that cannot be read and has to be made again: ${unreadable.join(', ')}`,
    shortened.length > 0 && `Only the most frequent options are listed of ${shortened.join(', ')}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join('. ') : null;
}
