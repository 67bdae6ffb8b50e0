// Summaries as clients read them: collections, lists, and trees one node at a time, with the fields of the API.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { described, named, nullable } from '../../runtime/schema.ts';

export const summariesErrors = errorTable({
  WHICH_SUMMARY: { meaning: 'The request must name exactly one summary', status: 400, retryable: false },
  WHICH_COLLECTION: { meaning: 'The request must name a collection', status: 400, retryable: false },
  BAD_SUMMARY_REF: { meaning: 'The summary_ref is not valid', status: 400, retryable: false },
  UNKNOWN_SUMMARY: { meaning: 'Summary not found', status: 404, retryable: false },
  UNKNOWN_NODE: { meaning: 'Node not found in the summary', status: 404, retryable: false },
});

/** Characters of a preview. */
export const previewCharacters = 200;

const Count = Type.Integer({ minimum: 0 });
const Id = Type.String();

const SearchRange = described(
  Type.Tuple([Count, Type.Integer({ minimum: 1 })]),
  'Half-open, [start, end), in seconds of the grid; goes unchanged into `segments_to_frame_indices`.',
);

const identity = {
  summary_ref: described(
    Type.String(),
    'Names this summary of this content; it stays the same when the file is renamed or moved. Send it with every request.',
  ),
  analysis_id: described(Id, 'The summary among those of its content.'),
  analysis_name: described(Type.String(), 'Name of the summary, one of a kind among those of its content.'),
  hash_str: described(Type.String(), 'Content hash of the file.'),
  media_path: described(
    Type.String(),
    'The path that was asked for, else the one at which it was seen last.',
  ),
  media_basename: described(Type.String(), 'Name of the file.'),
};

export const SummaryMemberEntry = named('SummaryMember', Type.Object(identity));
export type SummaryMemberEntry = Static<typeof SummaryMemberEntry>;

const description = {
  one_line_summary: described(Type.String(), 'The file in one line.'),
  collection_id: described(nullable(Id), 'The collection it is in; null for one that stands alone.'),
  summary_model_key: described(Type.String(), 'What wrote it.'),
  created: described(Type.Number(), 'When it was stored, in seconds since 1970.'),
};

export const SummaryEntry = named('SummaryEntry', Type.Object({ ...identity, ...description }));
export type SummaryEntry = Static<typeof SummaryEntry>;

export const SummaryCollection = named(
  'SummaryCollection',
  Type.Object({
    collection_id: described(Id, 'Id of the collection.'),
    name: described(Type.String(), 'As it was first written; names that differ in case only are the same.'),
    description: described(Type.String(), 'As it was first given; empty without one.'),
    member_count: described(Count, 'Summaries in it.'),
    members: Type.Optional(
      described(
        Type.Array(SummaryMemberEntry),
        'All of them, when they were asked for; in the order of hashes.',
      ),
    ),
  }),
);
export type SummaryCollection = Static<typeof SummaryCollection>;

export const SummaryMatchEntry = named(
  'SummaryMatch',
  Type.Object({
    ...identity,
    node_id: described(Id, 'Id of the node, in this summary only.'),
    level: described(Count, '0 for the root, one more for each level below.'),
    is_leaf: described(Type.Boolean(), 'Whether it has no children; leaves have evidence.'),
    search_range: SearchRange,
    text_preview: described(
      Type.String(),
      'At most 200 characters of its text around what was found; POST /summaries/node has all of it.',
    ),
    match_ranges: described(
      Type.Array(Type.Tuple([Count, Count])),
      'Where the words stand in `text_preview`: [start, end) in characters (code points).',
    ),
    preview_truncated: described(Type.Boolean(), 'Whether its text is longer.'),
  }),
);
export type SummaryMatchEntry = Static<typeof SummaryMatchEntry>;

const Warning = Type.Optional(described(Type.String(), 'What cannot be read and is left out.'));

export const CollectionsAnswer = Type.Object({
  collections: described(Type.Array(SummaryCollection), 'In the order of names.'),
  warning: Warning,
});
export type CollectionsAnswer = Static<typeof CollectionsAnswer>;

export const SummariesAnswer = Type.Object({
  summaries: described(
    Type.Array(SummaryEntry),
    'In the order of the media that were asked for, of each the oldest first.',
  ),
  next_after_summary_ref: described(
    nullable(Type.String()),
    'Where the next page begins, when there was a `limit` and there may be more; null otherwise.',
  ),
  warning: Warning,
});
export type SummariesAnswer = Static<typeof SummariesAnswer>;

export const SummaryMatchesAnswer = Type.Object({
  matches: described(
    Type.Array(SummaryMatchEntry),
    'Nodes that hold all words. Those in which more of them stand as whole words come first, then by path and time.',
  ),
  total: described(Count, 'Nodes that were found, also beyond `max_results`.'),
  truncated: described(Type.Boolean(), 'Whether there are more than are answered.'),
  total_is_exact: described(
    Type.Boolean(),
    'False when so many were found that no more were looked at: narrow the search down.',
  ),
  warning: Warning,
});
export type SummaryMatchesAnswer = Static<typeof SummaryMatchesAnswer>;

const Hint = Type.Object({
  limitation: described(Type.String(), 'What the evidence does not show.'),
  affected_range: SearchRange,
  evidence_ids: described(Type.Array(Id), 'The evidence to look at, by its ids in this summary.'),
  suggested_follow_up: described(Type.String(), 'How to find out.'),
});

const ChildPreview = named(
  'SummaryChild',
  Type.Object({
    node_id: described(Id, 'Id of the node, in this summary only.'),
    text_preview: described(Type.String(), 'The first 200 characters of its text.'),
    preview_truncated: described(Type.Boolean(), 'Whether its text is longer.'),
    is_leaf: described(Type.Boolean(), 'Whether it has no children.'),
    search_range: SearchRange,
  }),
);
export type ChildPreview = Static<typeof ChildPreview>;

export const SummaryNodeEntry = named(
  'SummaryNode',
  Type.Object({
    node_id: described(Id, 'Id of the node, in this summary only.'),
    parent_id: described(nullable(Id), 'Null for the root.'),
    level: described(Count, '0 for the root, one more for each level below.'),
    text: described(
      Type.String(),
      'What happens in the range. It helps to find a place, and proves nothing.',
    ),
    is_leaf: described(Type.Boolean(), 'Whether it has no children; leaves have evidence.'),
    search_range: SearchRange,
    failed: described(
      Type.Boolean(),
      'Its text could not be made as it was asked for, and is a plainer one.',
    ),
    verification_hints: described(
      Type.Array(Hint),
      'What to check in the source; a hint does not mean that the text is wrong.',
    ),
    children: described(Type.Array(ChildPreview), 'The nodes below it, in the order of their ranges.'),
  }),
);
export type SummaryNodeEntry = Static<typeof SummaryNodeEntry>;

export const QualityBlock = named(
  'SummaryQuality',
  Type.Object({
    warnings: described(Type.Array(Type.String()), 'The first 8, each of at most 500 characters.'),
    warning_count: described(Count, 'Warnings there are.'),
    warnings_truncated: described(Type.Boolean(), 'Whether warnings are left out or cut.'),
    uncovered_ranges: described(
      Type.Array(
        Type.Object({
          start_seconds: described(Type.Number(), 'Start of the range.'),
          end_seconds: described(Type.Number(), 'End of the range, which is not part of it.'),
        }),
      ),
      'The first 8 ranges of which nothing is known.',
    ),
    uncovered_range_count: described(Count, 'Such ranges there are.'),
    uncovered_ranges_truncated: described(Type.Boolean(), 'Whether ranges are left out.'),
    failed_node_ids: described(
      Type.Array(Id),
      'The first 8 nodes whose text could not be made as asked for.',
    ),
    failed_node_count: described(Count, 'Such nodes there are.'),
    failed_nodes_truncated: described(Type.Boolean(), 'Whether ids of such nodes are left out.'),
  }),
);
export type QualityBlock = Static<typeof QualityBlock>;

const quality = described(QualityBlock, 'What is known to be wrong with the whole summary.');

const Evidence = named(
  'SummaryEvidence',
  Type.Object({
    frames: described(
      Type.Array(
        Type.Object({
          evidence_id: described(Id, 'Id of the evidence, in this summary only.'),
          frame_idx: described(Count, 'Second of the grid.'),
          timestamp: described(Type.String(), '`HH:MM:SS`.'),
        }),
      ),
      'Frames that were looked at; their pictures come from POST /thumbnails.',
    ),
    transcript: described(
      Type.Array(
        Type.Object({
          evidence_id: described(Id, 'Id of the evidence, in this summary only.'),
          start_seconds: described(Type.Number(), 'Start of the words.'),
          end_seconds: described(Type.Number(), 'End of the words.'),
          text: described(Type.String(), 'What is said, or the start of it.'),
          speaker: described(nullable(Type.String()), 'Name or id; null when speakers were not detected.'),
        }),
      ),
      'What is said in the range, as far as it was read.',
    ),
    speakers: described(Type.Array(Type.String()), 'Who speaks, by name where there is one.'),
    people: described(Type.Array(Type.String()), 'Named people who are seen.'),
    attribution_hints: described(Type.Array(Type.String()), 'Who may be whom, and why.'),
  }),
);
export type Evidence = Static<typeof Evidence>;

export const OverviewAnswer = Type.Object({
  ...identity,
  ...description,
  summary_objective: described(
    Type.Object({
      preset: described(Type.String(), 'The use it was made for.'),
      priority_hints: described(Type.Array(Type.String()), 'What was looked out for.'),
      custom_instructions: described(nullable(Type.String()), 'What a `custom` preset was about.'),
    }),
    'What the summary is for.',
  ),
  node_count: described(Count, 'Nodes of the whole tree.'),
  short_summary: described(Type.String(), 'The file in a paragraph.'),
  root: described(SummaryNodeEntry, 'The node that covers the whole file.'),
  quality,
});
export type OverviewAnswer = Static<typeof OverviewAnswer>;

export const NodeAnswer = Type.Object({
  summary_ref: identity.summary_ref,
  node: described(SummaryNodeEntry, 'The node that was asked for.'),
  children: described(Type.Array(ChildPreview), 'The same as in `node`.'),
  quality,
  evidence: Type.Optional(
    described(Evidence, 'What the node was made of, for a leaf, when it was asked for.'),
  ),
});
export type NodeAnswer = Static<typeof NodeAnswer>;

export const SummariesRemoved = Type.Object({
  message: Type.String(),
  removed: described(Type.Array(Type.String()), 'The `summary_ref` of each that is gone.'),
  unknown: described(
    Type.Array(Type.String()),
    'Of those that were asked for, the ones that were not there.',
  ),
  collections_removed: described(Type.Array(Id), 'Collections that are gone.'),
});
export type SummariesRemoved = Static<typeof SummariesRemoved>;

/** One of the first three; `analysis_id` goes with a path or a hash. */
export interface SummarySelector {
  readonly cache_dir: string;
  readonly summary_ref?: string | undefined;
  readonly path?: string | undefined;
  readonly hash_str?: string | undefined;
  readonly analysis_id?: string | undefined;
}

export interface ListRequest {
  readonly cache_dir: string;
  /** In their plain form, beside how they were sent. */
  readonly media_paths: readonly { readonly path: string; readonly sent: string }[];
  readonly hash_strs: readonly string[];
  /** Null for all there are. */
  readonly limit: number | null;
  readonly after_summary_ref: string | null;
}

export interface FindRequest {
  readonly cache_dir: string;
  readonly query: string;
  /** Both null: every summary of the folder. In their plain form, beside how they were sent. */
  readonly media_paths: readonly { readonly path: string; readonly sent: string }[] | null;
  readonly hash_strs: readonly string[] | null;
  readonly collection_id: string | null;
  readonly max_results: number;
}

/** The coordinator of summaries. Everywhere the errors of the store; nothing has to be loaded. */
export interface Summaries {
  /** `collection_id` null: all, without members. WHICH_COLLECTION, UNKNOWN_COLLECTION. */
  collections(
    request: {
      readonly cache_dir: string;
      readonly collection_id: string | null;
      readonly include_members: boolean;
    },
    signal?: AbortSignal,
  ): Promise<CollectionsAnswer>;
  /** BAD_SUMMARY_REF. */
  list(request: ListRequest, signal?: AbortSignal): Promise<SummariesAnswer>;
  /** EMPTY_QUERY, UNKNOWN_COLLECTION. */
  find(request: FindRequest, signal?: AbortSignal): Promise<SummaryMatchesAnswer>;
  /** Of a path or hash without `analysis_id` the one that was stored last. WHICH_SUMMARY, BAD_SUMMARY_REF, UNKNOWN_SUMMARY. */
  overview(request: SummarySelector, signal?: AbortSignal): Promise<OverviewAnswer>;
  /** The same; UNKNOWN_NODE. */
  node(
    request: SummarySelector & { readonly node_id: string; readonly include_evidence: boolean },
    signal?: AbortSignal,
  ): Promise<NodeAnswer>;
  /** All of these, and a collection with all of its summaries. WHICH_SUMMARY, BAD_SUMMARY_REF, UNKNOWN_COLLECTION, UNKNOWN_SUMMARY for none. */
  remove(
    request: {
      readonly cache_dir: string;
      readonly summary_refs: readonly string[];
      readonly collection_id: string | null;
    },
    signal?: AbortSignal,
  ): Promise<SummariesRemoved>;
}
