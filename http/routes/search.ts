// Finding moments by words, by a picture, by a moment of a film. Every answer has the same form.
import { type Static, Type } from 'typebox';
import { Match, SearchAnswer } from '../../actors/search/contract.ts';
import { defaulted, described, named, nullable } from '../../runtime/schema.ts';
import { withPreviews } from '../request/answer-size.ts';
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
import { plainFilters, plainRanges } from './plain-names.ts';

const tag = 'Search';

const Common = {
  cache_dir: CacheDir,
  media_paths: defaulted(
    described(Type.Array(AbsolutePath), 'Only in these files; empty: everything that is loaded.'),
    [],
  ),
  max_results: defaulted(Type.Integer({ minimum: 1, maximum: 10_000 }), 50),
  max_per_media: Type.Optional(
    described(
      nullable(Type.Integer({ minimum: 1 })),
      'Matches of one file at most, so that repeated shots of one film do not fill the answer. Left out: no limit.',
    ),
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
  explanation: Type.Optional(described(named('Explanation', explanation), 'With `explain` alone.')),
});

const Answer = Type.Object({
  matches: described(
    Type.Array(named('VisualMatch', VisualMatch)),
    'Best first, grouped by video; `original_index` is the place before that grouping.',
  ),
  weaker: SearchAnswer.properties.weaker,
  not_understood: SearchAnswer.properties.not_understood,
  toast_warning: Type.Optional(
    described(
      Type.String(),
      'What a person should know about this answer: words that are not understood, files that cannot be read.',
    ),
  ),
  warnings: Type.Optional(
    described(
      Type.Array(Type.String()),
      'The sentences of `toast_warning`, one by one. When the model understood only some words, the first one begins with `Weak:` and names the words the matches are ranked by; another one names the commands that bring a model that understands more.',
    ),
  ),
});

const notice =
  'Searches what `POST /analysis-data/load` loaded into memory; 400 when this folder is not loaded for the visual model ' +
  'in use and while a summary is being made, 503 while that model loads. `exclude` ranks lower what resembles it; it filters nothing. Of very many matches the last ones may have an empty ' +
  '`image`, when all previews together would be larger than 256 MiB: `toast_warning` says so, and POST /thumbnails has them.';

const CommonFields = Type.Object(Common);
/** All eight fields are always there: a preview that is lost is an empty text, and `toast_warning` counts those. */
function whole({ matches: found, toast_warning, warnings = [], ...more }: SearchAnswer) {
  const { matches: pictured, leftOut } = withPreviews(found);
  const matches = { matches: pictured, ...more };
  const tooLarge =
    leftOut > 0
      ? `${leftOut} previews do not fit into one answer; ask for fewer max_results, or for the pictures with POST /thumbnails.`
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
    cache_dir: absolute('cache_dir', body.cache_dir),
    media_paths: body.search_all ? [] : allAbsolute('media_paths', body.media_paths),
    search_all: body.search_all,
    max_results: body.max_results,
    ...(typeof body.max_per_media === 'number' && { max_per_media: body.max_per_media }),
    exclude: body.exclude,
    segments_to_frame_indices: plainRanges(body.segments_to_frame_indices),
    metadata_filter_request: plainFilters(body.metadata_filter_request),
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
  summary: 'Finds moments by words',
  description: notice,
  body: Type.Object({
    query: described(
      Type.String({ minLength: 1, maxLength: 2000 }),
      'In natural language: `red car at night, not raining`.',
    ),
    ...Common,
    text_weight: described(
      text_weight,
      'No effect here, also not with `exclude`: there is no picture to weigh the text against.',
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
  described(Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 16 }), 'Needs `query`.'),
  [],
);

export const searchImage = route({
  method: 'POST',
  path: '/api/v1/search/image',
  id: 'searchImage',
  tag,
  summary: 'Finds moments similar to a picture',
  description: notice,
  body: Type.Object({
    image_path: described(
      AbsolutePath,
      'The picture to compare with: as it is or mirrored, whichever a match is nearer to, and without black bars.',
    ),
    ...onePicture,
    exclude,
  }),
  answers: { 200: Answer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const image_path = absolute('image_path', body.image_path);
    const asked = { ...common(body), query: body.query ?? null, text_weight: body.text_weight, image_path };
    return reply(200, whole(await atField('image_path', search.image(asked, signal))));
  },
});

export const searchFrame = route({
  method: 'POST',
  path: '/api/v1/search/frame',
  id: 'searchFrame',
  tag,
  summary: 'Finds moments similar to a moment of a film',
  description: `${notice} Between two seconds the picture is decoded from the film; when the film is gone, the nearest second that was analysed is used instead, and \`toast_warning\` says so.`,
  body: Type.Object({
    media_path: AbsolutePath,
    time_seconds: described(Type.Number({ minimum: 0 }), 'From the start of the film.'),
    ...onePicture,
    exclude,
  }),
  answers: { 200: Answer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const media_path = absolute('media_path', body.media_path);
    const { query, text_weight: weight, time_seconds } = body;
    const asked = { ...common(body), query: query ?? null, text_weight: weight, media_path, time_seconds };
    return reply(200, whole(await atField('media_path', search.frame(asked, signal))));
  },
});

export const searchRoutes: readonly Route[] = [searchText, searchImage, searchFrame];
