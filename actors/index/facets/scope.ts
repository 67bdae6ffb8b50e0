// Which of the media in scope pass the filters of a search.
import type { Folders } from '../folders.ts';
import type { MetadataFilter } from './contract.ts';
import type { Facet } from './facet.ts';
import { type CheckedFilter, checkFilters } from './filter.ts';
import type { FacetTables } from './tables.ts';

/**
 * The filters of a search, whose errors name the field as its client knows it. `facets`: those of the folder.
 * Errors: those of checkFilters.
 */
export function checkSearchFilters(
  filters: readonly MetadataFilter[],
  facets: readonly Facet[],
): CheckedFilter[] {
  return checkFilters(facets, filters, 'metadata_filter_request.filters');
}

export interface FilterParts {
  readonly folders: Folders;
  readonly tables: FacetTables;
}

export interface Unfiltered {
  readonly cache_dir: string;
  /** Null for all that is loaded. */
  readonly hashes: readonly string[] | null;
  readonly filters: readonly CheckedFilter[];
}

/**
 * The hashes that pass every filter; with no filter, those given. `loaded` is asked for when the table of the
 * folder is there, which may take a while the first time. `pause` may throw to stop.
 */
export async function passingHashes(
  { folders, tables }: FilterParts,
  { cache_dir, hashes, filters }: Unfiltered,
  loaded: () => readonly string[],
  pause: () => void,
): Promise<readonly string[] | null> {
  if (filters.length === 0) return hashes;
  const passes = await folders.with(cache_dir, (store) => tables.of(store, pause).passing(filters));
  return (hashes ?? loaded()).filter(passes);
}
