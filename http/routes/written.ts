// Finding printed words.
import { Type } from 'typebox';
import { CacheDir } from '../../actors/index/store/contract.ts';
import { WrittenAnswer, WrittenSearchMatch } from '../../actors/search/written/contract.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { defaulted, described, named } from '../../runtime/schema.ts';
import { type Route, reply, route } from '../route.ts';
import { min_band, sureness } from './explain-field.ts';
import { metadataFilterRequest } from './filter-fields.ts';

export const searchWritten = route({
  method: 'POST',
  path: '/api/v1/search/written',
  id: 'searchWritten',
  tag: 'Search',
  summary: 'Find printed words in pictures',
  description:
    'Returns lines of text in films and stills that contain `query`, ignoring case, accents and spaces. ' +
    'Whole words come first, then lines that were recognized well, then by path and time. If no line ' +
    'contains the whole query, lines that are visible together and contain all of its words are ' +
    'returned. Nothing has to be loaded. A `score` below .9 is uncertain: show such a line only together ' +
    'with its picture. Cyrillic and Greek letters are recognized as similar Latin letters.',
  body: Type.Object({
    query: Type.String({ minLength: 1, maxLength: 2000 }),
    cache_dir: CacheDir,
    media_paths: defaulted(
      described(Type.Array(AbsolutePath), 'Search only these files. Ignored if `search_all` is true.'),
      [],
    ),
    min_band,
    max_results: defaulted(Type.Integer({ minimum: 1, maximum: 10_000 }), 50),
    search_all: defaulted(
      described(Type.Boolean(), 'Search everything in which text has been recognized.'),
      true,
    ),
    metadata_filter_request: metadataFilterRequest,
  }),
  answers: {
    200: Type.Object({
      ...WrittenAnswer.properties,
      matches: Type.Array(named('WrittenMatch', WrittenSearchMatch)),
    }),
  },
  handle: async ({ body, signal }, { search }) => {
    const { query, search_all, max_results } = body;
    const request = {
      query,
      cache_dir: body.cache_dir,
      media_paths: search_all ? [] : body.media_paths,
      search_all,
      max_results,
      ...sureness(body),
      metadata_filter_request: body.metadata_filter_request,
    };
    return reply(200, await search.written(request, signal));
  },
});

export const writtenRoutes: readonly Route[] = [searchWritten];
