// Summaries as clients read them: collections, lists, and trees one node at a time, with the fields of the
// API.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { described, Message, named, nullable } from '../../../runtime/schema.ts';
import type {
  CollectionsRequest,
  FindRequest,
  ListRequest,
  NodeRequest,
  RemoveRequest,
  SummarySelector,
} from './requests/contract.ts';

export const summariesErrors = errorTable({
  WHICH_SUMMARY: { meaning: 'The request must name exactly one summary', status: 400 },
  WHICH_COLLECTION: { meaning: 'The request must name a collection', status: 400 },
  BAD_SUMMARY_REF: { meaning: 'The summary_ref is not valid', status: 400 },
  UNKNOWN_SUMMARY: { meaning: 'Summary not found', status: 404 },
  UNKNOWN_NODE: { meaning: 'Node not found in the summary', status: 404 },
});

export const previewCharacters = 200;

const Count = Type.Integer({ minimum: 0 });
const Id = Type.String();

const SearchRange = described(
  Type.Tuple([Count, Type.Integer({ minimum: 1 })]),
  'Half-open range [start, end) in seconds of the grid, for use in `segments_to_frame_indices` without ' +
    'changes.',
);

const identity = {
  summary_ref: described(
    Type.String(),
    'Reference to this summary. It does not change when the file is renamed or moved. Send it with every ' +
      'request.',
  ),
  analysis_id: described(Id, 'Id of the summary among those of its file.'),
  analysis_name: described(Type.String(), 'Name of the summary, unique among those of its file.'),
  hash_str: described(Type.String(), 'Content hash of the file.'),
  media_path: described(Type.String(), 'The requested path, or the path where the file was last seen.'),
  media_basename: described(Type.String(), 'Name of the file.'),
};

export const SummaryMemberEntry = named('SummaryMember', Type.Object(identity));
export type SummaryMemberEntry = Static<typeof SummaryMemberEntry>;

const description = {
  one_line_summary: described(Type.String(), 'A one-line summary of the file.'),
  collection_id: described(
    nullable(Id),
    'Id of the collection that contains the summary; null if there is none.',
  ),
  summary_model_key: described(Type.String(), 'Model that wrote the summary.'),
  created: described(Type.Number(), 'When the summary was stored, as a Unix time in seconds.'),
};

export const SummaryEntry = named('SummaryEntry', Type.Object({ ...identity, ...description }));
export type SummaryEntry = Static<typeof SummaryEntry>;

export const SummaryCollection = named(
  'SummaryCollection',
  Type.Object({
    collection_id: described(Id, 'Id of the collection.'),
    name: described(
      Type.String(),
      'Name as it was first given. Names that differ only in case are the same.',
    ),
    description: described(Type.String(), 'Description as it was first given; empty if there is none.'),
    member_count: described(Count, 'Number of summaries in the collection.'),
    members: Type.Optional(
      described(Type.Array(SummaryMemberEntry), 'All members if requested, sorted by hash.'),
    ),
  }),
);
export type SummaryCollection = Static<typeof SummaryCollection>;

export const SummaryMatchEntry = named(
  'SummaryMatch',
  Type.Object({
    ...identity,
    node_id: described(Id, 'Id of the node, valid in this summary only.'),
    level: described(Count, 'Level of the node: 0 for the root, and one more for each level below.'),
    is_leaf: described(Type.Boolean(), 'Whether the node has no children. Leaves have evidence.'),
    search_range: SearchRange,
    text_preview: described(
      Type.String(),
      'At most 200 characters of the text around the match. POST /summaries/node has the full text.',
    ),
    match_ranges: described(
      Type.Array(Type.Tuple([Count, Count])),
      'Positions of the words in `text_preview`, as [start, end) in characters (code points).',
    ),
    preview_truncated: described(Type.Boolean(), 'Whether the full text is longer.'),
  }),
);
export type SummaryMatchEntry = Static<typeof SummaryMatchEntry>;

const Warning = Type.Optional(
  described(Type.String(), 'Warning about data that cannot be read and was skipped.'),
);

export const CollectionsAnswer = Type.Object({
  collections: described(Type.Array(SummaryCollection), 'Collections sorted by name.'),
  warning: Warning,
});
export type CollectionsAnswer = Static<typeof CollectionsAnswer>;

export const SummariesAnswer = Type.Object({
  summaries: described(
    Type.Array(SummaryEntry),
    'Summaries in the order of the requested media, oldest first for each.',
  ),
  next_after_summary_ref: described(
    nullable(Type.String()),
    'Start of the next page, if a `limit` was given and there may be more; otherwise null.',
  ),
  warning: Warning,
});
export type SummariesAnswer = Static<typeof SummariesAnswer>;

export const SummaryMatchesAnswer = Type.Object({
  matches: described(
    Type.Array(SummaryMatchEntry),
    'Nodes that contain all words. Nodes in which more of them are whole words come first, then nodes ' +
      'are sorted by path and time.',
  ),
  total: described(Count, 'Number of nodes found, including those beyond `max_results`.'),
  truncated: described(Type.Boolean(), 'Whether there are more nodes than were returned.'),
  total_is_exact: described(
    Type.Boolean(),
    'False if the search stopped because too many nodes were found. Narrow the search.',
  ),
  warning: Warning,
});
export type SummaryMatchesAnswer = Static<typeof SummaryMatchesAnswer>;

const Hint = Type.Object({
  limitation: described(Type.String(), 'What the evidence does not show.'),
  affected_range: SearchRange,
  evidence_ids: described(Type.Array(Id), 'Ids, in this summary, of the evidence to look at.'),
  suggested_follow_up: described(Type.String(), 'Suggested way to find out.'),
});

const ChildPreview = named(
  'SummaryChild',
  Type.Object({
    node_id: described(Id, 'Id of the node, valid in this summary only.'),
    text_preview: described(Type.String(), 'The first 200 characters of the text.'),
    preview_truncated: described(Type.Boolean(), 'Whether the full text is longer.'),
    is_leaf: described(Type.Boolean(), 'Whether the node has no children.'),
    search_range: SearchRange,
  }),
);
export type ChildPreview = Static<typeof ChildPreview>;

export const SummaryNodeEntry = named(
  'SummaryNode',
  Type.Object({
    node_id: described(Id, 'Id of the node, valid in this summary only.'),
    parent_id: described(nullable(Id), 'Id of the parent node; null for the root.'),
    level: described(Count, 'Level of the node: 0 for the root, and one more for each level below.'),
    text: described(
      Type.String(),
      'What happens in the range. The text helps to find places, but is not proof.',
    ),
    is_leaf: described(Type.Boolean(), 'Whether the node has no children. Leaves have evidence.'),
    search_range: SearchRange,
    failed: described(
      Type.Boolean(),
      'Whether the text could not be generated as requested and is less detailed.',
    ),
    verification_hints: described(
      Type.Array(Hint),
      'What to check in the source. A hint does not mean that the text is wrong.',
    ),
    children: described(Type.Array(ChildPreview), 'The child nodes, sorted by range.'),
  }),
);
export type SummaryNodeEntry = Static<typeof SummaryNodeEntry>;

export const QualityBlock = named(
  'SummaryQuality',
  Type.Object({
    warnings: described(Type.Array(Type.String()), 'The first 8 warnings, each with at most 500 characters.'),
    warning_count: described(Count, 'Number of warnings.'),
    warnings_truncated: described(Type.Boolean(), 'Whether warnings were omitted or cut.'),
    uncovered_ranges: described(
      Type.Array(
        Type.Object({
          start_seconds: described(Type.Number(), 'Start of the range.'),
          end_seconds: described(Type.Number(), 'End of the range (exclusive).'),
        }),
      ),
      'The first 8 ranges that were not analysed.',
    ),
    uncovered_range_count: described(Count, 'Number of these ranges.'),
    uncovered_ranges_truncated: described(Type.Boolean(), 'Whether ranges were omitted.'),
    failed_node_ids: described(
      Type.Array(Id),
      'The first 8 nodes whose text could not be generated as requested.',
    ),
    failed_node_count: described(Count, 'Number of these nodes.'),
    failed_nodes_truncated: described(Type.Boolean(), 'Whether ids of these nodes were omitted.'),
  }),
);
export type QualityBlock = Static<typeof QualityBlock>;

const quality = described(QualityBlock, 'Known problems of the whole summary.');

const Evidence = named(
  'SummaryEvidence',
  Type.Object({
    frames: described(
      Type.Array(
        Type.Object({
          evidence_id: described(Id, 'Id of the evidence, valid in this summary only.'),
          frame_idx: described(Count, 'Second of the grid.'),
          timestamp: described(Type.String(), '`HH:MM:SS`.'),
        }),
      ),
      'Frames that were used. Get their pictures from POST /thumbnails.',
    ),
    transcript: described(
      Type.Array(
        Type.Object({
          evidence_id: described(Id, 'Id of the evidence, valid in this summary only.'),
          start_seconds: described(Type.Number(), 'Start of the words.'),
          end_seconds: described(Type.Number(), 'End of the words.'),
          text: described(Type.String(), 'What is said, or the beginning of it.'),
          speaker: described(
            nullable(Type.String()),
            'Name or id of the speaker; null if speakers were not detected.',
          ),
        }),
      ),
      'What is said in the range, as far as it was used.',
    ),
    speakers: described(Type.Array(Type.String()), 'Speakers, by name if there is one.'),
    people: described(Type.Array(Type.String()), 'Named people who are visible.'),
    attribution_hints: described(Type.Array(Type.String()), 'Which speaker may be which person, and why.'),
  }),
);
export type Evidence = Static<typeof Evidence>;

export const OverviewAnswer = Type.Object({
  ...identity,
  ...description,
  summary_objective: described(
    Type.Object({
      preset: described(Type.String(), 'The use that the summary was made for.'),
      priority_hints: described(Type.Array(Type.String()), 'What the summary pays attention to.'),
      custom_instructions: described(nullable(Type.String()), 'The instructions for a `custom` preset.'),
    }),
    'What the summary is for.',
  ),
  node_count: described(Count, 'Number of nodes in the whole tree.'),
  short_summary: described(Type.String(), 'A summary of the file in a paragraph.'),
  root: described(SummaryNodeEntry, 'The node that covers the whole file.'),
  quality,
});
export type OverviewAnswer = Static<typeof OverviewAnswer>;

export const NodeAnswer = Type.Object({
  summary_ref: identity.summary_ref,
  node: described(SummaryNodeEntry, 'The node that was asked for.'),
  children: described(Type.Array(ChildPreview), 'The same children as in `node`.'),
  quality,
  evidence: Type.Optional(described(Evidence, 'What a leaf was made from, if requested.')),
});
export type NodeAnswer = Static<typeof NodeAnswer>;

export const SummariesRemoved = Type.Object({
  message: Message,
  removed: described(Type.Array(Type.String()), 'The `summary_ref` of each deleted summary.'),
  unknown: described(Type.Array(Type.String()), 'Requested summaries that did not exist.'),
  collections_removed: described(Type.Array(Id), 'Deleted collections.'),
});
export type SummariesRemoved = Static<typeof SummariesRemoved>;

/** The coordinator of summaries. Everywhere the errors of the store; nothing has to be loaded. */
export interface Summaries {
  /** Without `collection_id`: all, without members. WHICH_COLLECTION, UNKNOWN_COLLECTION. */
  collections(request: CollectionsRequest, signal?: AbortSignal): Promise<CollectionsAnswer>;
  /** BAD_SUMMARY_REF. */
  list(request: ListRequest, signal?: AbortSignal): Promise<SummariesAnswer>;
  /** EMPTY_QUERY, UNKNOWN_COLLECTION. */
  find(request: FindRequest, signal?: AbortSignal): Promise<SummaryMatchesAnswer>;
  /**
   * Without `analysis_id` the latest summary of the path or hash. WHICH_SUMMARY, BAD_SUMMARY_REF,
   * UNKNOWN_SUMMARY.
   */
  overview(request: SummarySelector, signal?: AbortSignal): Promise<OverviewAnswer>;
  /** The same; UNKNOWN_NODE. */
  node(request: NodeRequest, signal?: AbortSignal): Promise<NodeAnswer>;
  /**
   * All of these, and a collection with all of its summaries. WHICH_SUMMARY, BAD_SUMMARY_REF,
   * UNKNOWN_COLLECTION, UNKNOWN_SUMMARY for none.
   */
  remove(request: RemoveRequest, signal?: AbortSignal): Promise<SummariesRemoved>;
}
