// Which of the media in scope pass the filters of a search.
import type { Static } from 'typebox';
import type { IndexFolders } from '../folders.ts';
import type { PeopleFilter } from '../people/contract.ts';
import type { PeopleIndex } from '../people/people-index.ts';
import type { Store } from '../store/store.ts';
import type { MediaScope, MetadataFilter } from './contract.ts';
import type { FacetDefinition } from './facet.ts';
import { type CheckedFilter, checkFilters } from './filter.ts';
import type { FacetTables } from './tables.ts';

/**
 * The filters of a search, whose errors name the field as its client knows it. `facets`: those of the folder.
 * Errors: those of checkFilters.
 */
export function checkSearchFilters(
  filters: readonly MetadataFilter[],
  facets: readonly FacetDefinition[],
): CheckedFilter[] {
  return checkFilters(facets, filters, 'metadata_filter_request.filters');
}

export interface FilterParts {
  readonly folders: IndexFolders;
  readonly tables: FacetTables;
}

/** Parts that searches of every kind work with. */
export interface ScopeParts extends FilterParts {
  readonly people: Pick<PeopleIndex, 'seen'>;
}

interface SearchScope {
  readonly cache_dir: string;
  readonly scope: Static<typeof MediaScope>;
  readonly people?: PeopleFilter | undefined;
}

/**
 * The hashes that a search looks at, null for all, and where its people are seen. `open` answers what is
 * searched, of which `hashesOf` tells the contents. `pause` may throw to stop. Errors: those of `open`, of
 * filters and of people.
 */
export async function inScope<T>(
  { folders, tables, people: index }: ScopeParts,
  { cache_dir, scope, people }: SearchScope,
  open: (store: Store) => T,
  hashesOf: (data: T) => readonly string[],
  pause: () => void,
) {
  const { filters, ...answer } = await folders.with(cache_dir, (store) => ({
    data: open(store),
    filters: checkSearchFilters(scope.filters, tables.known(store, scope.filters)),
    sightings: people === undefined ? null : index.seen(store, people),
  }));
  if (filters.length === 0) return { ...answer, hashes: scope.hashes };
  // The table of the folder may take a while the first time.
  const passes = await folders.with(cache_dir, (store) => tables.of(store, pause).passing(filters));
  return { ...answer, hashes: (scope.hashes ?? hashesOf(answer.data)).filter(passes) };
}
