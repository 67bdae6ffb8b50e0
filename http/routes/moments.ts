// Moments: pictures, words and people in one list; and how relevant each second of a film is to a query.
import { type Static, Type } from 'typebox';
import { CacheDir } from '../../actors/index/store/contract.ts';
import {
  type MomentQuery,
  MomentsAnswer,
  momentErrors,
  momentKinds,
  mostPictureBytes,
  type PictureSource,
  RelevanceAnswer,
} from '../../actors/search/moments/contract.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { defaulted, described, nullable, oneOf, shown } from '../../runtime/schema.ts';
import { atField } from '../request/named-file.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { explain, min_band, sureness } from './explain-field.ts';
import {
  metadataFilterRequest,
  peopleFields,
  peopleFilter,
  segmentsToFrameIndices,
} from './filter-fields.ts';
import { HashStr, mediaFields, whichMedia } from './media-fields.ts';
import { plainRanges } from './plain-names.ts';

const tag = 'Search';

/** What is searched for. */
const queryFields = {
  query: Type.Optional(
    shown(
      described(
        nullable(Type.String({ maxLength: 2000 })),
        'Query in natural language. Names given to people are recognized as whole words, regardless of case. ' +
          'The rest of the query is searched in pictures, and the whole query is searched in what is said.',
      ),
      'Ann with a red car',
    ),
  ),
  image_path: Type.Optional(
    described(
      nullable(AbsolutePath),
      'Path of a picture to compare with. A request can have at most one picture.',
    ),
  ),
  image_data: Type.Optional(
    described(
      nullable(Type.String({ maxLength: Math.ceil(mostPictureBytes / 3) * 4 + 4096 })),
      'The picture as base64 or as `data:image/...;base64,...`: JPEG, PNG or WebP, at most 20 MiB.',
    ),
  ),
  like: Type.Optional(
    described(
      nullable(
        Type.Object({
          hash_str: Type.Optional(HashStr),
          media_path: Type.Optional(AbsolutePath),
          time_seconds: described(
            Type.Number({ minimum: 0 }),
            'Time in seconds from the beginning of the film.',
          ),
        }),
      ),
      'A moment of a film to compare with. The film is given by either `hash_str` or `media_path`.',
    ),
  ),
  exclude: defaulted(
    described(
      Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 16 }),
      'Pictures that resemble one of these texts rank lower. Needs `query`.',
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

function pictureOf({ image_path, image_data, like }: QueryBody): PictureSource | null {
  const given = Object.entries({ image_path, image_data, like }).flatMap(([field, value]) =>
    value === undefined || value === null ? [] : [field],
  );
  const [first, second] = given;
  if (second !== undefined) {
    throw momentErrors.SEVERAL_PICTURES(
      `${second}: only one picture is allowed, and ${first} is already given`,
      {
        field: second,
      },
    );
  }
  if (image_path) return { image_path };
  if (typeof image_data === 'string') return { image_data };
  if (!like) return null;
  return { like: { ...whichMedia(like, 'like.'), time_seconds: like.time_seconds } };
}

/** Errors about the file of the picture are said of its field. */
function atPicture<T>(picture: PictureSource | null, work: Promise<T>, other: string): Promise<T> {
  if (picture === null || 'image_data' in picture) return atField(other, work);
  const like = 'like' in picture && ('media_path' in picture.like ? 'like.media_path' : 'like.hash_str');
  return atField(like || 'image_path', work);
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
  body: Type.Object({
    cache_dir: CacheDir,
    ...queryFields,
    media_paths: defaulted(
      described(
        Type.Array(AbsolutePath),
        'Search only these files. If empty, everything that is loaded is searched.',
      ),
      [],
    ),
    search_all: defaulted(
      described(Type.Boolean(), 'Search everything that is loaded, and ignore `media_paths`.'),
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
        'Kinds to search. If omitted, everything that can be searched is searched. A requested kind that ' +
          'cannot be searched causes a warning, or an error if it is the only one.',
      ),
    ),
    limit: defaulted(Type.Integer({ minimum: 1, maximum: 10_000 }), 50),
    max_per_media: Type.Optional(
      described(
        nullable(Type.Integer({ minimum: 1 })),
        'Maximum number of moments of one file. If omitted, there is no limit.',
      ),
    ),
  }),
  answers: { 200: MomentsAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const query = queryOf(body);
    const { search_all, kinds = null, limit, max_per_media } = body;
    const request = {
      ...query,
      cache_dir: body.cache_dir,
      media_paths: search_all ? [] : body.media_paths,
      search_all,
      metadata_filter_request: body.metadata_filter_request,
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
  summary: 'Get the relevance of each second of a film for a query',
  description:
    'For a bar along a film: returns a value for each second, based on its picture only. 0 is the ' +
    'background of the library, which is the median of the loaded data, and 1 is the best second in the ' +
    'library for this query, so bars of several films can be compared. If even the best second hardly ' +
    'stands out, all values are low. The film is given by either `media_path` or `hash_str`, and must be ' +
    'loaded. Sound and films that are not loaded have no relevance, and `toast_warning` says so. Nothing ' +
    'is decoded.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    ...queryFields,
  }),
  answers: { 200: RelevanceAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const query = queryOf(body);
    const request = { ...query, cache_dir: body.cache_dir, ...whichMedia(body) };
    return reply(
      200,
      await atPicture(query.picture, search.moments.relevance(request, signal), 'media_path'),
    );
  },
});

export const momentRoutes: readonly Route[] = [searchMoments, searchRelevance];
