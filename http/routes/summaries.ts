// Summaries of media: what there is, and one of them node by node. Nothing has to be loaded for it.

import { SummaryDocumentAnswer, SummaryDocumentRequest } from '../../actors/exporter/summary/contract.ts';
import {
  CollectionsAnswer,
  NodeAnswer,
  OverviewAnswer,
  SummariesAnswer,
  SummariesRemoved,
  SummaryMatchesAnswer,
} from '../../actors/summarizer/stored/contract.ts';
import {
  CollectionsRequest,
  FindRequest,
  ListRequest,
  NodeRequest,
  RemoveRequest,
  SummarySelector,
} from '../../actors/summarizer/stored/requests/contract.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { atField } from './media.ts';

const tag = 'Summaries';

const which =
  'Give either `summary_ref`, or one of `path` and `hash_str`, with `analysis_id` if the file has ' +
  'several summaries; without it, the latest summary is read. Returns 400 if none or several of them ' +
  'are given or if the `summary_ref` is not valid, and 404 if the folder has no such summary.';

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
  body: CollectionsRequest,
  answers: { 200: CollectionsAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => reply(200, await summaries.collections(body, signal)),
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
  body: ListRequest,
  answers: { 200: SummariesAnswer },
  handle: async ({ body, signal }, { summaries }) => reply(200, await summaries.list(body, signal)),
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
  body: FindRequest,
  answers: { 200: SummaryMatchesAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => reply(200, await summaries.find(body, signal)),
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
  body: SummarySelector,
  answers: { 200: OverviewAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) =>
    reply(200, await atField('path', summaries.overview(body, signal))),
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
  body: NodeRequest,
  answers: { 200: NodeAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) =>
    reply(200, await atField('path', summaries.node(body, signal))),
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
  body: RemoveRequest,
  answers: { 200: SummariesRemoved, 404: ErrorBody },
  handle: async ({ body, signal }, { summaries }) => reply(200, await summaries.remove(body, signal)),
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
  body: SummaryDocumentRequest,
  answers: { 200: SummaryDocumentAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { summaryDocuments }) =>
    reply(200, await atField('path', summaryDocuments.make(body, signal))),
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
