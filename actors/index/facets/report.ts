// The answer to one question for facets: which rows are in scope, what is missing, and the counts.
import type { FacetReport, FacetScope, MetadataFilter } from './contract.ts';
import { countFacets } from './count.ts';
import { checkFilters } from './filter.ts';
import type { FacetTable } from './table.ts';

/** `loaded`: hashes that are loaded and can be searched, by what they are searched for. */
export interface LoadedHashes {
  readonly visual: readonly string[];
  readonly speech: readonly string[];
}

/** The files or hashes a scope speaks of; the same content may lie in several files. */
function entriesOf(scope: FacetScope, loaded: LoadedHashes): readonly (string | null)[] {
  if (scope.mode === 'paths') return scope.hashes;
  const { visual, speech } = loaded;
  if (scope.media_type === 'any') return speech.length === 0 ? visual : [...new Set([...visual, ...speech])];
  return loaded[scope.media_type];
}

/** Errors: those of checkFilters, naming `filters[i]`. */
export function facetReport(
  table: FacetTable,
  scope: FacetScope,
  loaded: LoadedHashes,
  filters: readonly MetadataFilter[],
  pause: () => void,
): FacetReport {
  const known = table.columns.map(({ facet }) => facet);
  const checked = checkFilters(known, filters, 'filters');
  const entries = entriesOf(scope, loaded);
  const { rows, indexed, unreadable } = table.rowsOf(entries, pause);
  return {
    ...countFacets(table, rows, checked, pause),
    scope_count: entries.length,
    indexed_count: indexed,
    unreadable: [...unreadable],
  };
}
