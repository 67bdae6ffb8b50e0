// Finding moments by words, by a picture, by a moment of a film. Every answer has the same form.
import { Type } from 'typebox';
import { FrameSearch, ImageSearch, Match, SearchAnswer, TextSearch } from '../../actors/search/contract.ts';
import { described, named } from '../../runtime/schema.ts';
import { withPreviews } from '../request/answer-size.ts';
import { atField } from '../request/named-file.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Search';

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

export const searchText = route({
  method: 'POST',
  path: '/api/v1/search/text',
  id: 'searchText',
  tag,
  summary: 'Find moments by words',
  description: notice,
  body: TextSearch,
  answers: { 200: Answer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => reply(200, whole(await search.text(body, signal))),
});

export const searchImage = route({
  method: 'POST',
  path: '/api/v1/search/image',
  id: 'searchImage',
  tag,
  summary: 'Find moments similar to a picture',
  description: notice,
  body: ImageSearch,
  answers: { 200: Answer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, whole(await atField('image_path', search.image(body, signal)))),
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
  body: FrameSearch,
  answers: { 200: Answer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, whole(await atField('media_path', search.frame(body, signal)))),
});

export const searchRoutes: readonly Route[] = [searchText, searchImage, searchFrame];
