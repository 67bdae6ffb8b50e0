// Saved searches: searches with a name that are run on every file that the service analyses from then on.
import { type Static, Type } from 'typebox';
import { withdrawnIn } from '../../actors/index/facets/contract.ts';
import { Moment, MomentsRequest } from '../../actors/search/moments/contract.ts';
import { errorTable } from '../../runtime/errors.ts';
import { described, field, nullable } from '../../runtime/schema.ts';

export const searchErrors = errorTable({
  SEARCH_UNKNOWN: { meaning: 'Saved search not found', status: 404 },
  SEARCH_INVALID: { meaning: 'The saved search is not valid', status: 400 },
  SEARCHES_FULL: { meaning: 'There are too many saved searches', status: 409 },
  SEARCHES_DAMAGED: { meaning: 'The file of the saved searches cannot be read', status: 500 },
  SEARCHES_UNWRITABLE: { meaning: 'Saved searches cannot be written', status: 507 },
});

/** Saved searches of a home folder, hits of each that are kept, and letters of a picture in one. */
export const mostSearches = 100;
export const mostHits = 100;
export const mostPictureLetters = 1_400_000;

const { cache_dir, query, image_path, image_data, like, exclude, text_weight } = MomentsRequest.properties;
const { metadata_filter_request, people_filter, people_filter_mode, kinds } = MomentsRequest.properties;

/** Fields of a search for moments that do not concern single files or pages of the answer. */
export const SavedRequest = Type.Object({
  cache_dir,
  query,
  image_path,
  image_data,
  like,
  exclude,
  text_weight,
  metadata_filter_request,
  people_filter,
  people_filter_mode,
  kinds,
});
export type SavedRequest = Static<typeof SavedRequest>;

/** True if only filters on facets that no longer exist are left of it, or nothing at all. */
export function asksNothing(request: SavedRequest): boolean {
  const {
    query: words = '',
    image_path: path,
    image_data: data,
    like: moment,
    people_filter: people,
  } = request;
  const filters = request.metadata_filter_request?.filters ?? [];
  const isFiltered = filters.some((filter) => withdrawnIn([filter]).length === 0);
  return words.trim() === '' && (path ?? data ?? moment) === undefined && people.length === 0 && !isFiltered;
}

export const SearchName = described(
  Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  'Name of the saved search. Several can have the same name.',
);
const SearchId = field('Id of the saved search.', Type.String());
const Time = Type.Number({ minimum: 0 });

export const SavedSearch = Type.Object({
  search_id: SearchId,
  name: SearchName,
  request: described(SavedRequest, 'What is searched for, as in POST /search/moments.'),
  created_at: field('When the search was saved or replaced, as a Unix time in seconds.', Time),
});
export type SavedSearch = Static<typeof SavedSearch>;

export const SearchHit = Type.Object({
  hit_id: field('Id of the hit.', Type.String()),
  search_id: SearchId,
  name: SearchName,
  cache_dir: field('Absolute path of the analysis folder.', Type.String()),
  hash_str: field('Content hash of the file.', Type.String()),
  media_path: field('Absolute path of the file.', Type.String()),
  found_at: field('When it was found, as a Unix time in seconds.', Time),
  sure: field(
    'True if a picture, a person, a thing, spoken words or a `strong` printed line was found. False for a ' +
      '`likely` printed line, and if the words of the query only resemble the pictures.',
    Type.Boolean(),
  ),
  moments: described(Type.Array(Moment), 'The moments, best first; at most 20.'),
});
export type SearchHit = Static<typeof SearchHit>;

export const SearchStanding = Type.Object({
  ...SavedSearch.properties,
  hits: field('Number of hits so far.', Type.Integer({ minimum: 0 })),
  new_hits: field('Number of hits since they were marked as seen.', Type.Integer({ minimum: 0 })),
  last_hit_at: field(
    'When the latest hit was found, as a Unix time in seconds; null without one.',
    nullable(Time),
  ),
  problem: field(
    'Why the search could not be run, or not completely, on the latest files; otherwise null.',
    nullable(Type.String()),
  ),
});
export type SearchStanding = Static<typeof SearchStanding>;

export interface NewSearch {
  readonly name: string;
  readonly request: SavedRequest;
}

/** Everywhere SEARCHES_DAMAGED, SEARCHES_UNWRITABLE naming the file. */
export interface SavedSearches {
  list(): SearchStanding[];
  has(searchId: string): boolean;
  /** *Flushed*. SEARCH_INVALID naming the field, SEARCHES_FULL. */
  save(search: NewSearch): Promise<SearchStanding>;
  /** Fields left out and the hits stay unchanged. SEARCH_UNKNOWN. */
  change(searchId: string, changes: Partial<NewSearch>): Promise<SearchStanding>;
  /** SEARCH_UNKNOWN. */
  remove(searchId: string): Promise<void>;
  /** The latest ones, newest first. SEARCH_UNKNOWN. */
  hits(searchId: string): SearchHit[];
  /** SEARCH_UNKNOWN. */
  markSeen(searchId: string): SearchStanding;
  /** Answers the function that ends the subscription. */
  subscribe(listener: (hit: SearchHit) => void): () => void;
  /**
   * Subscribes to hits found by this machine, also those that another machine found before it ended. Returns
   * the function that ends the subscription.
   */
  onFound(listener: (hit: SearchHit) => Promise<void>): () => void;
}
