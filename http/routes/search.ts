// Finding moments by words, by a picture, by a moment of a film. Every answer has the same form.
import { type Static, Type } from 'typebox';
import { CacheDir } from '../../actors/index/store/contract.ts';
import { Match, SearchAnswer } from '../../actors/search/contract.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { defaulted, described, named, nullable } from '../../runtime/schema.ts';
import { withPreviews } from '../request/answer-size.ts';
import { atField } from '../request/named-file.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { explain, min_band, sureness } from './explain-field.ts';
import {
  metadataFilterRequest,
  peopleFields,
  peopleFilter,
  segmentsToFrameIndices,
} from './filter-fields.ts';
import { plainRanges } from './plain-names.ts';

const tag = 'Search';

const Common = {
  cache_dir: CacheDir,
  media_paths: defaulted(
    described(
      Type.Array(AbsolutePath),
      'Search only these files. If empty, everything that is loaded is searched.',
    ),
    [],
  ),
  max_results: defaulted(Type.Integer({ minimum: 1, maximum: 10_000 }), 50),
  max_per_media: Type.Optional(
    described(
      nullable(Type.Integer({ minimum: 1 })),
      'Maximum number of matches of one file, so that repeated shots of one film do not fill the response. ' +
        'If omitted, there is no limit.',
    ),
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
};

const text_weight = defaulted(
  described(
    Type.Number({ minimum: 0, maximum: 1000 }),
    'Weight of the text relative to the picture, whose weight is 1.',
  ),
  1,
);

const { explanation, other_paths: _, ...always } = Type.Required(Match).properties;
const VisualMatch = Type.Object({
  ...always,
  other_paths: Match.properties.other_paths,
  explanation: Type.Optional(
    described(named('Explanation', explanation), 'Explanation of the match. Returned only with `explain`.'),
  ),
});

const Answer = Type.Object({
  matches: described(
    Type.Array(named('VisualMatch', VisualMatch)),
    'Matches, best first and grouped by video; `original_index` is the position before grouping.',
  ),
  weaker: SearchAnswer.properties.weaker,
  not_understood: SearchAnswer.properties.not_understood,
  toast_warning: Type.Optional(
    described(
      Type.String(),
      'A warning to show to the user, such as words that are not understood or files that cannot be read.',
    ),
  ),
  warnings: Type.Optional(
    described(
      Type.Array(Type.String()),
      'The sentences of `toast_warning` as a list. If the model understood only some of the words, the ' +
        'first sentence begins with `Weak:` and names the words that the matches are ranked by; another one ' +
        'names the commands that download a model that understands more.',
    ),
  ),
});

const notice =
  'Searches the data loaded with POST /analysis-data/load. Returns 400 if this folder is not loaded ' +
  'for the visual model in use or while a summary is being generated, and 503 while the model is ' +
  'loading. Matches that resemble `exclude` rank lower, but are not filtered out. If there are so many ' +
  'matches that their previews exceed 256 MiB, the last matches have an empty `image` and ' +
  '`toast_warning` says so; get these pictures from POST /thumbnails.';

const CommonFields = Type.Object(Common);
/**
 * All eight fields are always there: a preview that is lost is an empty text, and `toast_warning` counts
 * those.
 */
function whole({ matches: found, toast_warning, warnings = [], ...more }: SearchAnswer) {
  const { matches: pictured, leftOut } = withPreviews(found);
  const matches = { matches: pictured, ...more };
  const tooLarge =
    leftOut > 0
      ? `${leftOut} previews do not fit into one response; request fewer max_results, or get the pictures ` +
        'from POST /thumbnails.'
      : undefined;
  const texts = [toast_warning, tooLarge].filter((one) => one !== undefined);
  if (texts.length === 0) return matches;
  return {
    ...matches,
    toast_warning: texts.join(' '),
    warnings: tooLarge === undefined ? warnings : [...warnings, tooLarge],
  };
}

type Body = Static<typeof CommonFields>;

/** The fields that all three searches share, as the coordinator takes them. */
function common(body: Body & { readonly exclude: string[] }) {
  return {
    cache_dir: body.cache_dir,
    media_paths: body.search_all ? [] : body.media_paths,
    search_all: body.search_all,
    max_results: body.max_results,
    ...(typeof body.max_per_media === 'number' && { max_per_media: body.max_per_media }),
    exclude: body.exclude,
    segments_to_frame_indices: plainRanges(body.segments_to_frame_indices),
    metadata_filter_request: body.metadata_filter_request,
    ...peopleFilter(body),
    ...sureness(body),
    previews: true,
  };
}

export const searchText = route({
  method: 'POST',
  path: '/api/v1/search/text',
  id: 'searchText',
  tag,
  summary: 'Find moments by words',
  description: notice,
  body: Type.Object({
    query: described(
      Type.String({ minLength: 1, maxLength: 2000 }),
      'Query in natural language, such as `red car at night, not raining`.',
    ),
    ...Common,
    text_weight: described(
      text_weight,
      'Has no effect here, because there is no picture to weigh the text against.',
    ),
    exclude: defaulted(Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 16 }), []),
  }),
  answers: { 200: Answer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const { query, text_weight: weight } = body;
    return reply(200, whole(await search.text({ ...common(body), query, text_weight: weight }, signal)));
  },
});

const onePicture = {
  ...Common,
  text_weight,
  query: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
};
const exclude = defaulted(
  described(
    Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 16 }),
    'Matches that resemble one of these texts rank lower. Needs `query`.',
  ),
  [],
);

export const searchImage = route({
  method: 'POST',
  path: '/api/v1/search/image',
  id: 'searchImage',
  tag,
  summary: 'Find moments similar to a picture',
  description: notice,
  body: Type.Object({
    image_path: described(
      AbsolutePath,
      'Path of the picture to compare with. The picture and its mirror image are compared, without black ' +
        'bars, and the better match counts.',
    ),
    ...onePicture,
    exclude,
  }),
  answers: { 200: Answer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const image_path = body.image_path;
    const request = { ...common(body), query: body.query ?? null, text_weight: body.text_weight, image_path };
    return reply(200, whole(await atField('image_path', search.image(request, signal))));
  },
});

export const searchFrame = route({
  method: 'POST',
  path: '/api/v1/search/frame',
  id: 'searchFrame',
  tag,
  summary: 'Find moments similar to a moment of a film',
  description:
    `${notice} The picture at a time between two seconds is decoded from the film. If the film no longer ` +
    'exists, the nearest analysed second is used instead, and `toast_warning` says so.',
  body: Type.Object({
    media_path: AbsolutePath,
    time_seconds: described(Type.Number({ minimum: 0 }), 'Time in seconds from the beginning of the film.'),
    ...onePicture,
    exclude,
  }),
  answers: { 200: Answer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const media_path = body.media_path;
    const { query, text_weight: weight, time_seconds } = body;
    const request = { ...common(body), query: query ?? null, text_weight: weight, media_path, time_seconds };
    return reply(200, whole(await atField('media_path', search.frame(request, signal))));
  },
});

export const searchRoutes: readonly Route[] = [searchText, searchImage, searchFrame];
