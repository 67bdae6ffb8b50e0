// Searches of pictures, of everything at once and of printed words, the facets that narrow them, and what
// detectors have seen in one file.
import { Type } from 'typebox';
import { CacheDir } from '../../actors/index/store/contract.ts';
import {
  FacetAnswer,
  FacetRequest,
  FrameSearch,
  ImageSearch,
  Match,
  SearchAnswer,
  TextSearch,
} from '../../actors/search/contract.ts';
import { mediaFields, SeenAnswer } from '../../actors/search/media/contract.ts';
import {
  MomentsAnswer,
  MomentsRequest,
  type QueryFields,
  RelevanceAnswer,
  RelevanceRequest,
} from '../../actors/search/moments/contract.ts';
import { note, notesFields } from '../../actors/search/notes/contract.ts';
import { TakesAnswer, TakesRequest } from '../../actors/search/takes/contract.ts';
import { WrittenAnswer, WrittenRequest } from '../../actors/search/written/contract.ts';
import { described, named } from '../../runtime/schema.ts';
import { withPreviews } from '../request/response.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { atField } from './media.ts';

const tag = 'Search';

// Finding moments by words, by a picture, by a moment of a film. Every answer has the same form.

const { explanation, other_paths: _, shot: _shot, ...always } = Type.Required(Match).properties;
const VisualMatch = Type.Object({
  ...always,
  other_paths: Match.properties.other_paths,
  shot: Match.properties.shot,
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
  ...notesFields,
});

const notice =
  'Searches the data loaded with POST /analysis-data/load. Returns 400 if this folder is not loaded ' +
  'for the visual model in use or while a summary is being generated, and 503 while the model is ' +
  'loading. Matches that resemble `exclude` rank lower, but are not filtered out. If there are so many ' +
  'matches that their previews exceed 256 MiB, the last matches have an empty `image` and ' +
  '`toast_warning` says so; get these pictures from POST /thumbnails. Files that have changed since their ' +
  'analysis are left out and named; missing files are returned with their last path and a warning.';

/**
 * All eight fields are always there: a preview that is lost is an empty text, and `toast_warning` counts
 * those.
 */
function whole({ matches: allMatches, toast_warning, warnings = [], notes = [], ...more }: SearchAnswer) {
  const { matches: pictured, leftOut } = withPreviews(allMatches);
  const tooLarge = leftOut > 0 ? [note('PREVIEWS_LEFT_OUT', { count: leftOut })] : [];
  const added = tooLarge.map(({ text }) => text);
  const texts = [toast_warning, ...added].filter((text) => text !== undefined);
  return {
    ...{ matches: pictured, ...more },
    ...(texts.length > 0 && {
      toast_warning: texts.join(' '),
      warnings: [...warnings, ...added],
      notes: [...notes, ...tooLarge],
    }),
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
  base64: ['image'],
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
  base64: ['image'],
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
  base64: ['image'],
  handle: async ({ body, signal }, { search }) =>
    reply(200, whole(await atField('media_path', search.frame(body, signal)))),
});

export const searchRoutes: readonly Route[] = [searchText, searchImage, searchFrame];

// Takes: where else a shot is.

export const searchTakes = route({
  method: 'POST',
  path: '/api/v1/search/takes',
  id: 'searchTakes',
  tag,
  summary: 'Find other takes and copies of a shot',
  description:
    'Finds sequences in other files, and elsewhere in the same file, that show the same shot second by ' +
    'second: other takes, exports, copies that are cut, mirrored, between black bars or encoded again. ' +
    'Speed must be unchanged. With `media_path` or `hash_str`, the file or a part of it is compared with ' +
    'everything that is loaded. Without a file, everything is compared with everything, and each pair is ' +
    'returned once; that takes minutes for a hundred hours, so continue with `next_cursor`. Parts of up to a ' +
    'minute are compared at each second, longer ones at every fourth. Three seconds must agree. Black and ' +
    'white pictures and pictures that many files have count little or nothing. Files with the same content ' +
    'are returned as `exact` copies. Mirrored copies are found with the starter model. Searches the data ' +
    'loaded with POST /analysis-data/load.',
  body: TakesRequest,
  answers: { 200: TakesAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await atField('media_path', search.takes(body, signal))),
});

// Moments: pictures, words and people in one list; and how relevant each second of a film is to a query.

/** Errors about the file of the picture are said of its field. */
function atPicture<T>(
  { image_path, like }: QueryFields,
  work: Promise<T>,
  fallbackField: string,
): Promise<T> {
  const ofLike = like && (like.media_path === undefined ? 'like.hash_str' : 'like.media_path');
  return atField(image_path ? 'image_path' : (ofLike ?? fallbackField), work);
}

export const searchMoments = route({
  method: 'POST',
  path: '/api/v1/search/moments',
  id: 'searchMoments',
  tag,
  summary: 'Find moments by pictures, speech, text and people',
  description:
    'Returns one list, best moments first. Pictures, what is said, printed words, the people named in the ' +
    'query, and names of files, folders, speakers and lists are searched at the same time. The score of a moment is the sum of 1 / (60 + rank) ' +
    'over the lists that contain it. Hits in the same scene, or within two seconds, form one moment; ' +
    '`reasons` says why a moment was found. Like other searches, this searches loaded data. ' +
    '`toast_warning` says what could not be searched; if nothing that was requested can be searched, the ' +
    'response is 400. What is said is searched for the whole query and, if nobody says that, for its ' +
    'words. Without a query and a picture, the filters alone select: whole files for ' +
    '`metadata_filter_request`, the given ranges for `segments_to_frame_indices`, and the scenes that show ' +
    'them for `people_filter`. Files recorded last come first, then files without a date of recording; ' +
    'files of one date are sorted by path, and moments of a file by time. The response contains no ' +
    'pictures; get them from POST /thumbnails.',
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

export const momentRoutes: readonly Route[] = [searchMoments, searchRelevance, searchTakes];

// Facets of media, with counts under the active filters.

const description = `
If \`scope\` is omitted, the flat fields define the scope: a global scope with \`search_all\`, otherwise the files of
\`media_paths\` and \`hash_strs\`, or everything that is loaded if both are empty. Files are not hashed: a path without its hash
from /media/metadata counts as missing and provides no options. A global scope is everything that is loaded and can be
searched by \`media_type\`, not everything in the folder.

**Counts.** The \`count\` of an option is the number of media that remain if this option is chosen instead of the filters on
its own facet, while the filters on all other facets remain in effect. Files with the same content count once. \`min\` and
\`max\` refer to the same media. Chosen options are listed even if their count is 0. A facet lists its 2,000 most frequent
options, and \`warning\` says if there are more. A folder includes everything below it.

**Operators.** \`single\` and \`multi\` facets support \`is_any_of\`, \`is_not\`, \`include_any_of\`, \`include_all_of\`,
\`exclude_any_of\`, \`exclude_all_of\`; \`numeric\` ones \`is_any_of\`, \`is_not\`, \`include_any_of\`, \`exclude_any_of\`,
\`greater_than\`, \`less_than\`; \`date\` ones the same four and \`before\`, \`after\`. \`is_any_of\` and \`include_any_of\`: the media
has one of the values; \`include_all_of\`: all of them; \`is_not\` and \`exclude_any_of\`: none of them; \`exclude_all_of\`: not
all of them. Comparisons take one value, which is itself excluded. Media without a value pass \`is_not\`,
\`exclude_any_of\` and \`exclude_all_of\`, but no other operator; media without any metadata pass no filter.

**Dates** may be partial: \`2024\`, \`2024-05\`, \`2024-05-17\`, with a time and an offset. \`is_any_of\` matches dates in that
year, month or day, \`before\` matches earlier dates, and \`after\` matches later dates. Times are compared as local times of
the place where the media was made, or as instants if both the media and the value have an offset.

**Groups.** \`people.face_count\` and one facet for each face clustering (\`people.\` and its percent-encoded name) are about the
people in a file. \`things.seen\` has the 44 classes whose accuracy was measured, \`things.unmeasured\` the other 36, and
\`things.shot_size\` how large people appear. \`sounds.heard\` has \`music\` and \`singing\`. \`description.keyword\` and \`description.person\` come from XMP and IPTC in the media or
in a file beside them, and are read again by the next analysis when that file changes. All of them filter media, not frames.
`.trim();

export const metadataFacets = route({
  method: 'POST',
  path: '/api/v1/metadata/facets',
  id: 'metadataFacets',
  tag: 'Metadata',
  summary: 'List facets to filter media by, with counts',
  description,
  body: FacetRequest,
  answers: { 200: FacetAnswer },
  handle: async ({ body, signal }, { search }) => reply(200, await search.facets(body, signal)),
});

export const facetRoutes: readonly Route[] = [metadataFacets];

// Finding printed words.

export const searchWritten = route({
  method: 'POST',
  path: '/api/v1/search/written',
  id: 'searchWritten',
  tag,
  summary: 'Find printed words in pictures',
  description:
    'Returns lines of text in films and stills that contain `query`, ignoring case, accents and spaces. ' +
    'Three letters and more are also found inside of longer words; one or two only as a word. ' +
    'Whole words come first, then lines that were recognized well, then by path and time. If no line ' +
    'contains the whole query, lines that are visible together and contain all of its words are ' +
    'returned. Nothing has to be loaded. A `score` below .9 is uncertain: show such a line only together ' +
    'with its picture. Cyrillic and Greek letters are recognized as similar Latin letters.',
  body: WrittenRequest,
  answers: { 200: WrittenAnswer },
  handle: async ({ body, signal }, { search }) => reply(200, await search.written(body, signal)),
});

export const writtenRoutes: readonly Route[] = [searchWritten];

// Detections in a media file.

export const mediaSeen = route({
  method: 'POST',
  path: '/api/v1/media/seen',
  id: 'mediaSeen',
  tag: 'Media',
  summary: 'Get the things, printed words and sounds in a media file',
  description:
    'Returns what detectors have found in a file, with times: classes of things, the size of people, and ' +
    'printed lines. The file is given by either `media_path` or `hash_str`, and does not have to exist ' +
    'any more. Nothing has to be loaded. Returns 404 if the analysis folder does not know the file.',
  body: Type.Object({ cache_dir: CacheDir, ...mediaFields }),
  answers: {
    200: SeenAnswer,
    404: ErrorBody,
  },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await atField('media_path', search.seen(body, signal))),
});

export const seenRoutes: readonly Route[] = [mediaSeen];
