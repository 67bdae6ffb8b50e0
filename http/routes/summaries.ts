// Summaries of media: what there is, and one of them node by node. Nothing has to be loaded for it.
import { Type } from 'typebox';
import { createFolders } from '../../actors/exporter/contract.ts';
import { SummaryDocumentAnswer, summaryFormats } from '../../actors/exporter/summary/contract.ts';
import { CacheDir } from '../../actors/index/store/contract.ts';
import { HashStr } from '../../actors/search/media/contract.ts';
import {
  CollectionsAnswer,
  NodeAnswer,
  OverviewAnswer,
  SummariesAnswer,
  SummariesRemoved,
  SummaryMatchesAnswer,
  type SummarySelector,
} from '../../actors/summarizer/stored/contract.ts';
import { AbsolutePath, absolute, SentPath } from '../../runtime/paths.ts';
import { defaulted, described, oneOf, shown } from '../../runtime/schema.ts';
import { atField } from '../request/named-file.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Summaries';

const SummaryRef = described(
  Type.String({ minLength: 1, maxLength: 1000 }),
  'Reference to the summary, as returned by lists of summaries. It remains valid if the file is ' +
    'renamed or moved.',
);
const Id = Type.String({ minLength: 1, maxLength: 200 });
const CollectionId = described(Id, 'Id of a collection.');

const selector = {
  cache_dir: CacheDir,
  summary_ref: Type.Optional(shown(SummaryRef, 's1.5f3a9c01-1e8480.01983f2b7c40a1b2c3d4e5f6.0b5c7d9e')),
  path: Type.Optional(described(AbsolutePath, 'Path of the file, if no `summary_ref` is given.')),
  hash_str: Type.Optional(HashStr),
  analysis_id: Type.Optional(
    described(Id, 'Id of one of several summaries of the file. If omitted, the latest one is used.'),
  ),
};

const which =
  'Give either `summary_ref`, or one of `path` and `hash_str`, with `analysis_id` if the file has ' +
  'several summaries; without it, the latest summary is read. Returns 400 if none or several of them ' +
  'are given or if the `summary_ref` is not valid, and 404 if the folder has no such summary.';

function selected({ cache_dir, summary_ref, path, hash_str, analysis_id }: SummarySelector): SummarySelector {
  return { cache_dir, summary_ref, path, hash_str, analysis_id };
}

/** In their plain form, and as they were sent. */
function bothForms(paths: readonly string[]) {
  return paths.map((sent, i) => ({ path: absolute(`media_paths[${i}]`, sent), sent }));
}

export const summaryCollections = route({
  method: 'POST',
  path: '/api/v1/summaries/collections',
  id: 'summaryCollections',
  tag,
  summary: 'List collections of summaries',
  description:
    'Returns all collections with the number of their members. With `collection_id`, only that ' +
    'collection is returned, and with `include_members` also every summary in it. Returns 404 if the ' +
    'collection does not exist.',
  body: Type.Object({
    cache_dir: CacheDir,
    collection_id: Type.Optional(CollectionId),
    include_members: defaulted(
      described(Type.Boolean(), 'Whether to return all members of the collection.'),
      false,
    ),
  }),
  answers: { 200: CollectionsAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => {
    const { cache_dir, collection_id = null, include_members } = body;
    return reply(200, await summaries.collections({ cache_dir, collection_id, include_members }, signal));
  },
});

export const listSummaries = route({
  method: 'POST',
  path: '/api/v1/summaries/list',
  id: 'listSummaries',
  tag,
  summary: 'List summaries of media files',
  description:
    'Returns the summaries of the given media, each in one line. Without `media_paths` and `hash_strs`, ' +
    'the list is empty. Renamed files are recognized by their content, and missing files by their paths. ' +
    'Returns all summaries at once or, with `limit`, page by page: send the `next_after_summary_ref` of ' +
    'a page as the `after_summary_ref` of the next request, with the same media.',
  body: Type.Object({
    cache_dir: CacheDir,
    media_paths: defaulted(shown(Type.Array(SentPath, { maxItems: 10_000 }), ['/media/film.mp4']), []),
    hash_strs: defaulted(described(Type.Array(HashStr, { maxItems: 10_000 }), 'Hashes of the media.'), []),
    limit: Type.Optional(
      described(
        Type.Integer({ minimum: 1, maximum: 10_000 }),
        'Maximum number of summaries. If omitted, all are returned.',
      ),
    ),
    after_summary_ref: Type.Optional(described(SummaryRef, 'The last `summary_ref` of the previous page.')),
  }),
  answers: { 200: SummariesAnswer },
  handle: async ({ body, signal }, { summaries }) => {
    const { cache_dir, hash_strs, limit = null, after_summary_ref = null } = body;
    const media_paths = bothForms(body.media_paths);
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
  summary: 'Search the texts of summaries',
  description:
    'Returns nodes whose text contains every word of `query`. Words in quotation marks must be adjacent. ' +
    'Case, character width, and the encoding of accents are ignored, and parts of words match. Searches ' +
    'all summaries of the folder, or only those of `media_paths` and `hash_strs`, of a collection, or ' +
    'both. Nothing has to be loaded; the first search of a folder reads its texts. Use `search_range` ' +
    'unchanged in `segments_to_frame_indices`. Returns 400 if the query contains no words, and 404 if ' +
    'the collection does not exist.',
  body: Type.Object({
    cache_dir: CacheDir,
    query: shown(Type.String({ minLength: 1, maxLength: 10_000 }), 'harbour "at night"'),
    media_paths: Type.Optional(
      described(Type.Array(SentPath, { maxItems: 10_000 }), 'Search only summaries of these files.'),
    ),
    hash_strs: Type.Optional(
      described(
        Type.Array(HashStr, { maxItems: 10_000 }),
        'Search only summaries of media with these hashes.',
      ),
    ),
    collection_id: Type.Optional(described(Id, 'Search only summaries in this collection.')),
    max_results: defaulted(Type.Integer({ minimum: 1, maximum: 500 }), 50),
  }),
  answers: { 200: SummaryMatchesAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => {
    const { cache_dir, query, hash_strs = null, collection_id = null, max_results } = body;
    const media_paths = body.media_paths === undefined ? null : bothForms(body.media_paths);
    const request = { cache_dir, query, media_paths, hash_strs, collection_id, max_results };
    return reply(200, await summaries.find(request, signal));
  },
});

export const summaryOverview = route({
  method: 'POST',
  path: '/api/v1/summaries/overview',
  id: 'summaryOverview',
  tag,
  summary: 'Get the overview of a summary',
  description:
    'Returns the short summary, the full text of the root, and the beginning of the text of each of its ' +
    `children. ${which} The text helps to find places; check facts, identities and quotations in ` +
    'pictures, transcripts and people.',
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
  summary: 'Get a node of a summary',
  description:
    'Returns the full text of the node, and the beginning of the text of each child. Use the ' +
    '`search_range` of a node unchanged in the `segments_to_frame_indices` of a search. With ' +
    '`include_evidence`, leaves have `evidence`: frames, words, speakers and people, but no pictures or ' +
    'vectors. Node ids are valid within one summary only, so store them together with its `summary_ref`. ' +
    `${which} The same applies to nodes that do not exist.`,
  body: Type.Object({
    ...selector,
    node_id: described(Id, 'Id of the node, as listed by its parent. The overview has the id of the root.'),
    include_evidence: defaulted(
      described(Type.Boolean(), 'Whether to return the evidence of a leaf.'),
      false,
    ),
  }),
  answers: { 200: NodeAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => {
    const { node_id, include_evidence } = body;
    const request = { ...selected(body), node_id, include_evidence };
    return reply(200, await atField('path', summaries.node(request, signal)));
  },
});

export const deleteSummaries = route({
  method: 'POST',
  path: '/api/v1/summaries/delete',
  id: 'deleteSummaries',
  tag,
  summary: 'Removes summaries',
  description:
    'Deletes the summaries in `summary_refs` and, with `collection_id`, that collection with all its ' +
    'summaries. No other data of the media is deleted. Returns 400 if neither is given, 404 if none of ' +
    'them exists, and 503 with the process in `message` while another process is writing to the folder.',
  body: Type.Object({
    cache_dir: CacheDir,
    summary_refs: defaulted(
      shown(described(Type.Array(SummaryRef, { maxItems: 10_000 }), 'Summaries to delete.'), [
        's1.5f3a9c01-1e8480.01983f2b7c40a1b2c3d4e5f6.0b5c7d9e',
      ]),
      [],
    ),
    collection_id: Type.Optional(CollectionId),
  }),
  answers: { 200: SummariesRemoved, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => {
    const { cache_dir, summary_refs, collection_id = null } = body;
    return reply(200, await summaries.remove({ cache_dir, summary_refs, collection_id }, signal));
  },
});

export const exportSummary = route({
  method: 'POST',
  path: '/api/v1/summaries/export',
  id: 'exportSummary',
  tag,
  summary: 'Export a summary as a document',
  description:
    'json: the whole tree with the fields of the other operations, with nested nodes. markdown and txt: ' +
    'for reading. vtt: WebVTT chapters, one for each child of the root; the title is the first sentence ' +
    'of its text, and the last chapter ends at the end of the film. Returns the document in base64, or ' +
    'writes it to `output_path`. Existing files are never overwritten: if a name is taken, the new file ' +
    `gets \`-2\`, \`-3\` and so on. ${which} Returns 413 if there are more than 20,000 nodes, 200 levels or ` +
    '10 million characters; request fewer levels, or a part with `node_id`.',
  body: Type.Object({
    ...selector,
    format: oneOf(...summaryFormats),
    node_id: Type.Optional(
      described(Id, 'Id of the node where the document begins. If omitted, it begins at the root.'),
    ),
    depth: Type.Optional(
      described(
        Type.Integer({ minimum: 0, maximum: 1000 }),
        'Number of levels below that node. If omitted, all levels are included. In vtt, the level of the ' +
          'chapters (default 1), including leaves above it.',
      ),
    ),
    include_evidence: defaulted(
      described(Type.Boolean(), 'Whether to include the evidence of leaves (json only).'),
      false,
    ),
    output_path: Type.Optional(
      described(
        AbsolutePath,
        'Absolute path of the output file, in an existing folder. If omitted, the document is returned in ' +
          'the response.',
      ),
    ),
    ...createFolders,
  }),
  answers: { 200: SummaryDocumentAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaryDocuments }) => {
    const { format, node_id, depth, include_evidence, output_path = null, create_folders } = body;
    const document = { format, node_id, depth, include_evidence, output_path, create_folders };
    const request = { ...selected(body), ...document };
    return reply(200, await atField('path', summaryDocuments.make(request, signal)));
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
