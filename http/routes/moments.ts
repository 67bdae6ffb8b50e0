// Moments: pictures, words and people in one list; and how relevant each second of a film is to a query.
import { type Static, Type } from 'typebox';
import {
  type AskedPicture,
  type MomentQuery,
  MomentsAnswer,
  momentErrors,
  momentKinds,
  mostPictureBytes,
  RelevanceAnswer,
} from '../../actors/search/moments/contract.ts';
import { defaulted, described, nullable, oneOf, shown } from '../../runtime/schema.ts';
import { atField } from '../request/named-file.ts';
import { AbsolutePath, absolute, allAbsolute, CacheDir } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { explain, min_band, sureness } from './explain-field.ts';
import {
  metadataFilterRequest,
  peopleFields,
  peopleFilter,
  segmentsToFrameIndices,
} from './filter-fields.ts';
import { HashStr, mediaFields, whichMedia } from './media-fields.ts';
import { plainFilters, plainRanges } from './plain-names.ts';

const tag = 'Search';

/** What is searched for. */
const queryFields = {
  query: Type.Optional(
    shown(
      described(
        nullable(Type.String({ maxLength: 2000 })),
        'In natural language. Names of people who were given one are found in it as whole words, whatever the case; the rest is searched in pictures, the whole of it in what is said.',
      ),
      'Ann with a red car',
    ),
  ),
  image_path: Type.Optional(
    described(nullable(AbsolutePath), 'A picture to compare with. One picture at most.'),
  ),
  image_data: Type.Optional(
    described(
      nullable(Type.String({ maxLength: Math.ceil(mostPictureBytes / 3) * 4 + 4096 })),
      'The same as base64, or as `data:image/...;base64,...`: JPEG, PNG or WebP, at most 20 MiB.',
    ),
  ),
  like: Type.Optional(
    described(
      nullable(
        Type.Object({
          hash_str: Type.Optional(HashStr),
          media_path: Type.Optional(AbsolutePath),
          time_seconds: described(Type.Number({ minimum: 0 }), 'From the start of the film.'),
        }),
      ),
      'The same of a moment of a film, named by `hash_str` or by `media_path`, not both.',
    ),
  ),
  exclude: defaulted(
    described(
      Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 16 }),
      'Ranks pictures lower that resemble it; needs `query`.',
    ),
    [],
  ),
  text_weight: defaulted(
    described(
      Type.Number({ minimum: 0, maximum: 1000 }),
      'Weight of the words relative to the picture, whose weight is 1.',
    ),
    1,
  ),
};
const QueryFields = Type.Object(queryFields);
type QueryBody = Static<typeof QueryFields>;

/** The query as the coordinator takes it. Throws SEVERAL_PICTURES, WHICH_MEDIA. */
function queryOf(body: QueryBody): MomentQuery {
  const { query = null, exclude, text_weight } = body;
  return { query, exclude, text_weight, picture: pictureOf(body) };
}

function pictureOf({ image_path, image_data, like }: QueryBody): AskedPicture | null {
  const given = Object.entries({ image_path, image_data, like }).flatMap(([field, value]) =>
    value === undefined || value === null ? [] : [field],
  );
  const [first, second] = given;
  if (second !== undefined) {
    throw momentErrors.SEVERAL_PICTURES(`${second}: one picture at most; there is ${first} already`, {
      field: second,
    });
  }
  if (image_path) return { image_path: absolute('image_path', image_path) };
  if (typeof image_data === 'string') return { image_data };
  if (!like) return null;
  return { like: { ...whichMedia(like, 'like.'), time_seconds: like.time_seconds } };
}

/** Errors about the file of the picture are said of its field. */
function atPicture<T>(picture: AskedPicture | null, work: Promise<T>, other: string): Promise<T> {
  if (picture === null || 'image_data' in picture) return atField(other, work);
  const like = 'like' in picture && ('media_path' in picture.like ? 'like.media_path' : 'like.hash_str');
  return atField(like || 'image_path', work);
}

export const searchMoments = route({
  method: 'POST',
  path: '/api/v1/search/moments',
  id: 'searchMoments',
  tag,
  summary: 'Finds moments by what is seen, what is said and who is there',
  description:
    'One list, best first: what pictures show, what is said and where the people are seen whom the query names are searched at ' +
    'the same time, and a moment is worth the sum of 1 / (60 + its rank) over the lists it is in. Hits in one scene, or within two seconds, are one moment; ' +
    '`reasons` says why it is here. Searches what is loaded, as the other searches do: what is not is told in `toast_warning`, and is a 400 where nothing that was asked for ' +
    'can be searched. What is said is searched by the whole query and, when nobody says that, by its words. There are no pictures in the answer: POST /thumbnails has them.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...queryFields,
    media_paths: defaulted(
      described(Type.Array(AbsolutePath), 'Only in these files; empty: everything that is loaded.'),
      [],
    ),
    search_all: defaulted(
      described(Type.Boolean(), 'Everything that is loaded, whatever `media_paths` says.'),
      false,
    ),
    explain,
    min_band,
    metadata_filter_request: metadataFilterRequest,
    segments_to_frame_indices: segmentsToFrameIndices,
    ...peopleFields,
    kinds: Type.Optional(
      described(
        nullable(Type.Array(oneOf(...momentKinds), { minItems: 1, maxItems: momentKinds.length })),
        'What is searched; left out: everything that can be. One that is named and cannot be searched is told, and is an error when it is the only one.',
      ),
    ),
    limit: defaulted(Type.Integer({ minimum: 1, maximum: 10_000 }), 50),
    max_per_media: Type.Optional(
      described(nullable(Type.Integer({ minimum: 1 })), 'Moments of one file at most. Left out: no limit.'),
    ),
  }),
  answers: { 200: MomentsAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const query = queryOf(body);
    const { search_all, kinds = null, limit, max_per_media } = body;
    const request = {
      ...query,
      cache_dir: absolute('cache_dir', body.cache_dir),
      media_paths: search_all ? [] : allAbsolute('media_paths', body.media_paths),
      search_all,
      metadata_filter_request: plainFilters(body.metadata_filter_request),
      segments_to_frame_indices: plainRanges(body.segments_to_frame_indices),
      ...peopleFilter(body),
      kinds: kinds && [...new Set(kinds)],
      limit,
      ...sureness(body),
      ...(typeof max_per_media === 'number' && { max_per_media }),
    };
    return reply(200, await atPicture(query.picture, search.moments.search(request, signal), 'image_data'));
  },
});

export const searchRelevance = route({
  method: 'POST',
  path: '/api/v1/search/relevance',
  id: 'searchRelevance',
  tag,
  summary: 'How much each second of a film has of a query',
  description:
    'For a bar along a film: a value for each second, by its picture alone. 0 is the background of the library, the median of what is loaded, ' +
    '1 its best second for this query, so the bars of several films can be compared. Where even the best hardly stands out all values stay low. The film, named by `media_path` or by `hash_str`, ' +
    'has to be loaded; one that is not, and sound, has no relevance, which `toast_warning` tells. Nothing is decoded.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    ...queryFields,
  }),
  answers: { 200: RelevanceAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const query = queryOf(body);
    const request = { ...query, cache_dir: absolute('cache_dir', body.cache_dir), ...whichMedia(body) };
    return reply(
      200,
      await atPicture(query.picture, search.moments.relevance(request, signal), 'media_path'),
    );
  },
});

export const momentRoutes: readonly Route[] = [searchMoments, searchRelevance];
