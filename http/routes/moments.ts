// Moments: pictures, words and people in one list; and how relevant each second of a film is to a query.
import {
  MomentsAnswer,
  MomentsRequest,
  type QueryFields,
  RelevanceAnswer,
  RelevanceRequest,
} from '../../actors/search/moments/contract.ts';
import { atField } from '../request/named-file.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Search';

/** Errors about the file of the picture are said of its field. */
function atPicture<T>({ image_path, like }: QueryFields, work: Promise<T>, other: string): Promise<T> {
  const ofLike = like && (like.media_path === undefined ? 'like.hash_str' : 'like.media_path');
  return atField(image_path ? 'image_path' : (ofLike ?? other), work);
}

export const searchMoments = route({
  method: 'POST',
  path: '/api/v1/search/moments',
  id: 'searchMoments',
  tag,
  summary: 'Find moments by pictures, speech, text and people',
  description:
    'Returns one list, best moments first. Pictures, what is said, printed words, and the people named ' +
    'in the query are searched at the same time. The score of a moment is the sum of 1 / (60 + rank) ' +
    'over the lists that contain it. Hits in the same scene, or within two seconds, form one moment; ' +
    '`reasons` says why a moment was found. Like other searches, this searches loaded data. ' +
    '`toast_warning` says what could not be searched; if nothing that was requested can be searched, the ' +
    'response is 400. What is said is searched for the whole query and, if nobody says that, for its ' +
    'words. The response contains no pictures; get them from POST /thumbnails.',
  body: MomentsRequest,
  answers: { 200: MomentsAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await atPicture(body, search.moments.search(body, signal), 'image_data')),
});

export const searchRelevance = route({
  method: 'POST',
  path: '/api/v1/search/relevance',
  id: 'searchRelevance',
  tag,
  summary: 'Get the relevance of each second of a film for a query',
  description:
    'For a bar along a film: returns a value for each second, based on its picture only. 0 is the ' +
    'background of the library, which is the median of the loaded data, and 1 is the best second in the ' +
    'library for this query, so bars of several films can be compared. If even the best second hardly ' +
    'stands out, all values are low. The film is given by either `media_path` or `hash_str`, and must be ' +
    'loaded. Sound and films that are not loaded have no relevance, and `toast_warning` says so. Nothing ' +
    'is decoded.',
  body: RelevanceRequest,
  answers: { 200: RelevanceAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await atPicture(body, search.moments.relevance(body, signal), 'media_path')),
});

export const momentRoutes: readonly Route[] = [searchMoments, searchRelevance];
