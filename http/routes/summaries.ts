// Summaries of media: what there is, and one of them node by node. Nothing has to be loaded for it.
import { Type } from 'typebox';
import { createFolders } from '../../actors/exporter/contract.ts';
import { SummaryDocumentAnswer, summaryFormats } from '../../actors/exporter/summary/contract.ts';
import {
  CollectionsAnswer,
  NodeAnswer,
  OverviewAnswer,
  SummariesAnswer,
  SummariesRemoved,
  SummaryMatchesAnswer,
  type SummarySelector,
} from '../../actors/summaries/contract.ts';
import { defaulted, described, oneOf, shown } from '../../runtime/schema.ts';
import { atField } from '../request/named-file.ts';
import { AbsolutePath, absolute, CacheDir } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { HashStr } from './media-fields.ts';

const tag = 'Summaries';

const SummaryRef = described(
  Type.String({ minLength: 1, maxLength: 1000 }),
  'As lists of summaries answer it; it holds also after the file was renamed or moved.',
);
const Id = Type.String({ minLength: 1, maxLength: 200 });
const CollectionId = described(Id, 'Id of a collection.');

const selector = {
  cache_dir: CacheDir,
  summary_ref: Type.Optional(shown(SummaryRef, 's1.5f3a9c01-1e8480.01983f2b7c40a1b2c3d4e5f6.0b5c7d9e')),
  path: Type.Optional(described(AbsolutePath, 'The file, when no `summary_ref` is given.')),
  hash_str: Type.Optional(HashStr),
  analysis_id: Type.Optional(
    described(Id, 'Which of several summaries of the file; left out, the one that was stored last.'),
  ),
};

const which =
  'Give `summary_ref`, or one of `path` and `hash_str`, and then `analysis_id` where the file has several summaries: ' +
  'without it the one that was stored last is read. 400 when none or two of these are given, or the `summary_ref` is ' +
  'damaged; 404 when there is no such summary in this folder.';

function selected(body: SummarySelector): SummarySelector {
  const { summary_ref, hash_str, analysis_id } = body;
  const path = body.path === undefined ? undefined : absolute('path', body.path);
  return { cache_dir: absolute('cache_dir', body.cache_dir), summary_ref, path, hash_str, analysis_id };
}

export const summaryCollections = route({
  method: 'POST',
  path: '/api/v1/summaries/collections',
  id: 'summaryCollections',
  tag,
  summary: 'Named collections of summaries',
  description:
    'All of them with the number of their members. With `collection_id` only that one, and with `include_members` every ' +
    'summary in it. 404 for a collection that is not there.',
  body: Type.Object({
    cache_dir: CacheDir,
    collection_id: Type.Optional(CollectionId),
    include_members: defaulted(
      described(Type.Boolean(), 'Answers the members of the collection, however many they are.'),
      false,
    ),
  }),
  answers: { 200: CollectionsAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => {
    const { collection_id = null, include_members } = body;
    const cache_dir = absolute('cache_dir', body.cache_dir);
    return reply(200, await summaries.collections({ cache_dir, collection_id, include_members }, signal));
  },
});

export const listSummaries = route({
  method: 'POST',
  path: '/api/v1/summaries/list',
  id: 'listSummaries',
  tag,
  summary: 'Summaries of media files',
  description:
    'Every summary of the media that are named, each in one line. Without `media_paths` and `hash_strs` the list is ' +
    'empty. A file that was renamed is known by its content, one that is gone by its path. All at once, or with `limit` a ' +
    'page at a time: `next_after_summary_ref` of a page is the `after_summary_ref` of the next, with the same media.',
  body: Type.Object({
    cache_dir: CacheDir,
    media_paths: defaulted(shown(Type.Array(AbsolutePath, { maxItems: 10_000 }), ['/media/film.mp4']), []),
    hash_strs: defaulted(
      described(Type.Array(HashStr, { maxItems: 10_000 }), 'Contents, by their hash.'),
      [],
    ),
    limit: Type.Optional(
      described(
        Type.Integer({ minimum: 1, maximum: 10_000 }),
        'Summaries of a page, at most; left out, all.',
      ),
    ),
    after_summary_ref: Type.Optional(described(SummaryRef, 'The last one of the page before.')),
  }),
  answers: { 200: SummariesAnswer },
  handle: async ({ body, signal }, { summaries }) => {
    const { hash_strs, limit = null, after_summary_ref = null } = body;
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const media_paths = body.media_paths.map((sent, i) => ({
      path: absolute(`media_paths[${i}]`, sent),
      sent,
    }));
    return reply(
      200,
      await summaries.list({ cache_dir, media_paths, hash_strs, limit, after_summary_ref }, signal),
    );
  },
});

export const searchSummaries = route({
  method: 'POST',
  path: '/api/v1/summaries/search',
  id: 'searchSummaries',
  tag,
  summary: 'Finds words in the texts of summaries',
  description:
    'Nodes whose text holds every word of `query`; words in quotation marks stand together. Case, width and how accents are ' +
    'stored make no difference, parts of words are found too. Every summary of the folder is searched, or those of ' +
    '`media_paths` and `hash_strs`, of one collection, or both. Nothing has to be loaded; the first search of a folder reads ' +
    'its texts. `search_range` goes unchanged into `segments_to_frame_indices`. 400 for a query without a word, 404 for a ' +
    'collection that is not there.',
  body: Type.Object({
    cache_dir: CacheDir,
    query: shown(Type.String({ minLength: 1, maxLength: 10_000 }), 'harbour "at night"'),
    media_paths: Type.Optional(
      described(Type.Array(AbsolutePath, { maxItems: 10_000 }), 'Only summaries of these files.'),
    ),
    hash_strs: Type.Optional(
      described(Type.Array(HashStr, { maxItems: 10_000 }), 'Only summaries of these contents.'),
    ),
    collection_id: Type.Optional(described(Id, 'Only summaries in this collection.')),
    max_results: defaulted(Type.Integer({ minimum: 1, maximum: 500 }), 50),
  }),
  answers: { 200: SummaryMatchesAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => {
    const { query, hash_strs = null, collection_id = null, max_results } = body;
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const media_paths =
      body.media_paths?.map((sent, i) => ({ path: absolute(`media_paths[${i}]`, sent), sent })) ?? null;
    const asked = { cache_dir, query, media_paths, hash_strs, collection_id, max_results };
    return reply(200, await summaries.find(asked, signal));
  },
});

export const summaryOverview = route({
  method: 'POST',
  path: '/api/v1/summaries/overview',
  id: 'summaryOverview',
  tag,
  summary: 'One summary: what it is, and its root',
  description:
    `The short summary, the whole text of the root and the start of the text of each of its children. ${which} The text ` +
    'helps to find a place; facts, identities and quotations are to be checked in pictures, transcripts and people.',
  body: Type.Object(selector),
  answers: { 200: OverviewAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) =>
    reply(200, await atField('path', summaries.overview(selected(body), signal))),
});

export const summaryNode = route({
  method: 'POST',
  path: '/api/v1/summaries/node',
  id: 'summaryNode',
  tag,
  summary: 'One node of a summary',
  description:
    'Its whole text, and the start of the text of each child. `search_range` of every node goes unchanged into ' +
    '`segments_to_frame_indices` of a search. With `include_evidence` a leaf has `evidence`: frames, words, speakers and ' +
    `people, never pictures or vectors. Ids of nodes belong to one summary: keep its \`summary_ref\`. ${which} The same for a ` +
    'node that it does not have.',
  body: Type.Object({
    ...selector,
    node_id: described(Id, 'As its parent lists it; the overview has that of the root.'),
    include_evidence: defaulted(described(Type.Boolean(), 'Answers what a leaf was made of.'), false),
  }),
  answers: { 200: NodeAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => {
    const { node_id, include_evidence } = body;
    const asked = { ...selected(body), node_id, include_evidence };
    return reply(200, await atField('path', summaries.node(asked, signal)));
  },
});

export const deleteSummaries = route({
  method: 'POST',
  path: '/api/v1/summaries/delete',
  id: 'deleteSummaries',
  tag,
  summary: 'Removes summaries',
  description:
    'Those of `summary_refs`, and with `collection_id` that collection with every summary in it. Nothing else that is ' +
    'stored of the media is touched. 400 when neither is given, 404 when nothing of it is there, 503 naming the process ' +
    'while another one writes the folder.',
  body: Type.Object({
    cache_dir: CacheDir,
    summary_refs: defaulted(
      shown(described(Type.Array(SummaryRef, { maxItems: 10_000 }), 'Summaries to remove.'), [
        's1.5f3a9c01-1e8480.01983f2b7c40a1b2c3d4e5f6.0b5c7d9e',
      ]),
      [],
    ),
    collection_id: Type.Optional(CollectionId),
  }),
  answers: { 200: SummariesRemoved, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => {
    const { summary_refs, collection_id = null } = body;
    const cache_dir = absolute('cache_dir', body.cache_dir);
    return reply(200, await summaries.remove({ cache_dir, summary_refs, collection_id }, signal));
  },
});

export const exportSummary = route({
  method: 'POST',
  path: '/api/v1/summaries/export',
  id: 'exportSummary',
  tag,
  summary: 'One summary as a document',
  description:
    'json: the whole tree with the fields of the other operations, nodes within nodes. markdown and txt: for people. vtt: ' +
    'chapters as WebVTT, one for each child of the root; the title is the first sentence of its text, and the last one ends ' +
    'where the film does. Answers the document in base64, or writes it to `output_path`; a name that is taken gets `-2`, ' +
    `\`-3\` and so on, nothing is ever written over. ${which} 413 for more than 20,000 nodes, 200 levels or 10 million ` +
    'characters: ask for fewer levels, or for a part by `node_id`.',
  body: Type.Object({
    ...selector,
    format: oneOf(...summaryFormats),
    node_id: Type.Optional(described(Id, 'Where the document begins; left out, at the root.')),
    depth: Type.Optional(
      described(
        Type.Integer({ minimum: 0, maximum: 1000 }),
        'Levels below that; left out, all. In vtt the level of the chapters (1), with the leaves above it.',
      ),
    ),
    include_evidence: defaulted(described(Type.Boolean(), 'In json: what leaves were made of.'), false),
    output_path: Type.Optional(
      described(
        AbsolutePath,
        'Absolute path of the file to write, in a folder that is there. Left out, the document is in the answer.',
      ),
    ),
    ...createFolders,
  }),
  answers: { 200: SummaryDocumentAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaryDocuments }) => {
    const { format, node_id, depth, include_evidence, create_folders } = body;
    const output_path = body.output_path === undefined ? null : absolute('output_path', body.output_path);
    const document = { format, node_id, depth, include_evidence, output_path, create_folders };
    const asked = { ...selected(body), ...document };
    return reply(200, await atField('path', summaryDocuments.make(asked, signal)));
  },
});

export const summaryRoutes: readonly Route[] = [
  summaryCollections,
  listSummaries,
  searchSummaries,
  summaryOverview,
  summaryNode,
  exportSummary,
  deleteSummaries,
];
