// Saved searches, which are run on every file that is analysed.
import { Type } from 'typebox';
import { SavedRequest, SearchHit, SearchName, SearchStanding } from '../../events/searches/contract.ts';
import { described, field, Message } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Search';

const Id = Type.Object({
  search_id: described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of the saved search.'),
});
const One = Type.Object({ search: field('The saved search as it is now.', SearchStanding) });
const Request = described(
  SavedRequest,
  'What is searched for, as in POST /search/moments: a query, a picture, or both; with filters of media ' +
    'and people, or these alone. A picture in `image_data` can have at most 1 MiB.',
);

export const listSavedSearches = route({
  method: 'GET',
  path: '/api/v1/searches/saved',
  id: 'listSavedSearches',
  tag,
  summary: 'List the saved searches',
  description: 'Each with the number of its hits and of those that are new.',
  answers: { 200: Type.Object({ searches: field('All saved searches.', Type.Array(SearchStanding)) }) },
  handle: async (_, { searches }) => reply(200, { searches: searches.list() }),
});

export const saveSearch = route({
  method: 'POST',
  path: '/api/v1/searches/saved',
  id: 'saveSearch',
  tag,
  summary: 'Save a search',
  description:
    'From now on, the search is run on every file that this service analyses into `cache_dir`, on that file ' +
    'only, when the work on it has ended. A hit is an event `search_hit` of Socket.IO and of GET ' +
    '/events/stream, and `search.hit` of webhooks. Pictures and printed words count from the band `likely` on, ' +
    'spoken words if all words of the query are said, and people if the query names ' +
    'nothing else or something else is found with them. Filters alone find a file as soon as it passes ' +
    'them. Returns 400 with the field in `message` if there is nothing to search for, and 409 if there are ' +
    'too many saved searches.',
  body: Type.Object({ name: SearchName, request: Request }),
  answers: { 201: One, 409: ErrorBody },
  handle: async ({ body }, { searches }) => reply(201, { search: await searches.save(body) }),
});

export const changeSavedSearch = route({
  method: 'PUT',
  path: '/api/v1/searches/saved/{search_id}',
  id: 'changeSavedSearch',
  tag,
  summary: 'Rename or replace a saved search',
  description: 'Omitted fields stay unchanged. Its hits are kept.',
  params: Id,
  body: Type.Object({ name: Type.Optional(SearchName), request: Type.Optional(Request) }),
  answers: { 200: One, 404: ErrorBody },
  handle: async ({ params, body: { name, request } }, { searches }) => {
    const changes = { ...(name !== undefined && { name }), ...(request && { request }) };
    return reply(200, { search: await searches.change(params.search_id, changes) });
  },
});

export const removeSavedSearch = route({
  method: 'DELETE',
  path: '/api/v1/searches/saved/{search_id}',
  id: 'removeSavedSearch',
  tag,
  summary: 'Delete a saved search',
  description: 'Its hits are deleted too.',
  params: Id,
  answers: { 200: Type.Object({ message: Message }), 404: ErrorBody },
  handle: async ({ params }, { searches }) => {
    await searches.remove(params.search_id);
    return reply(200, { message: 'Saved search removed' });
  },
});

export const savedSearchHits = route({
  method: 'GET',
  path: '/api/v1/searches/saved/{search_id}/hits',
  id: 'savedSearchHits',
  tag,
  summary: 'List the hits of a saved search',
  description: 'The latest 100, newest first.',
  params: Id,
  answers: { 200: Type.Object({ hits: field('The hits.', Type.Array(SearchHit)) }), 404: ErrorBody },
  handle: async ({ params }, { searches }) => reply(200, { hits: searches.hits(params.search_id) }),
});

export const markHitsSeen = route({
  method: 'POST',
  path: '/api/v1/searches/saved/{search_id}/seen',
  id: 'markHitsSeen',
  tag,
  summary: 'Mark the hits of a saved search as seen',
  description: '`new_hits` begins again at 0.',
  params: Id,
  answers: { 200: One, 404: ErrorBody },
  handle: async ({ params }, { searches }) => reply(200, { search: searches.markSeen(params.search_id) }),
});

export const savedSearchRoutes: readonly Route[] = [
  listSavedSearches,
  saveSearch,
  changeSavedSearch,
  removeSavedSearch,
  savedSearchHits,
  markHitsSeen,
];
