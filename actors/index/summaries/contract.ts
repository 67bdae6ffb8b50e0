// Summaries of media: a tree of texts with ranges on the grid and the evidence of its leaves, several by name
// for each content; and the collections they are put into. One that is being written is seen by nobody until
// it is committed.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { errorTable } from '../../../runtime/errors.ts';
import { nullable } from '../../../runtime/schema.ts';
import { Folder, MediaRecord } from '../store/contract.ts';

export const summaryErrors = errorTable({
  SUMMARY_NAME_TAKEN: { meaning: 'The file already has a summary with this name', status: 400 },
  UNKNOWN_COLLECTION: { meaning: 'Collection not found', status: 404 },
  EMPTY_QUERY: { meaning: 'The query contains no words', status: 400 },
  NOT_A_TREE: { meaning: 'The nodes of the summary do not form a complete tree', status: 500 },
});

export const mostNodesOfMessage = 500;
export const mostOfPage = 500;
/** Entries of a list of `quality` that are kept. */
export const mostQualityEntries = 1000;
const mostChildren = 1000;

const Count = Type.Integer({ minimum: 0 });
const Text = (maxLength: number) => Type.String({ maxLength });

/** Local to its summary. */
export const NodeId = Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' });
const EvidenceId = NodeId;

/** [start, end): frames of the grid. */
export const GridRange = Type.Tuple([Count, Type.Integer({ minimum: 1 })]);
export type GridRange = Static<typeof GridRange>;

export const VerificationHint = Type.Object({
  /** Gap in the evidence. */
  limitation: Text(500),
  affected_range: GridRange,
  evidence_ids: Type.Array(EvidenceId, { maxItems: 32 }),
  suggested_follow_up: Text(500),
});
export type VerificationHint = Static<typeof VerificationHint>;

/** Sources of a leaf: references and words, never pictures or vectors. */
export const SummaryEvidence = Type.Object({
  frames: Type.Array(Type.Object({ evidence_id: EvidenceId, frame_idx: Count, timestamp: Text(16) }), {
    maxItems: 200,
  }),
  transcript: Type.Array(
    Type.Object({
      evidence_id: EvidenceId,
      start_seconds: Type.Number({ minimum: 0 }),
      end_seconds: Type.Number({ minimum: 0 }),
      text: Text(2000),
      /** Name or id; null when speakers were not detected. */
      speaker: nullable(Text(500)),
    }),
    { maxItems: 500 },
  ),
  /** Names, or ids where there is none. */
  speakers: Type.Array(Text(500), { maxItems: 200 }),
  /** Names of people who are seen. */
  people: Type.Array(Text(500), { maxItems: 200 }),
  /** Guesses which speaker is which person, with the reason. */
  attribution_hints: Type.Array(Text(500), { maxItems: 50 }),
});
export type SummaryEvidence = Static<typeof SummaryEvidence>;

const nodeFields = {
  node_id: NodeId,
  /** Null for the root. */
  parent_id: nullable(NodeId),
  /** 0 for the root, and one more than the parent's. */
  level: Count,
  text: Text(20_000),
  range: GridRange,
  /** In the order of their ranges; none for a leaf. */
  child_ids: Type.Array(NodeId, { maxItems: mostChildren }),
  verification_hints: Type.Array(VerificationHint, { maxItems: 16 }),
  /** The text is not what was asked for, because making that failed. */
  failed: Type.Boolean(),
};
export const SummaryNode = Type.Object(nodeFields);
export type SummaryNode = Static<typeof SummaryNode>;

export const NewSummaryNode = Type.Object({
  ...nodeFields,
  /** Evidence of a leaf; null for others. */
  evidence: nullable(SummaryEvidence),
});
export type NewSummaryNode = Static<typeof NewSummaryNode>;

/** Known faults of a summary: the first entries of each list, and their number. */
export const SummaryQuality = Type.Object({
  warnings: Type.Array(Text(2000), { maxItems: mostQualityEntries }),
  warning_count: Count,
  uncovered_ranges: Type.Array(
    Type.Object({ start_seconds: Type.Number({ minimum: 0 }), end_seconds: Type.Number({ minimum: 0 }) }),
    { maxItems: mostQualityEntries },
  ),
  uncovered_range_count: Count,
  failed_node_ids: Type.Array(NodeId, { maxItems: mostQualityEntries }),
  failed_node_count: Count,
});
export type SummaryQuality = Static<typeof SummaryQuality>;

export const SummaryObjective = Type.Object({
  preset: Text(200),
  priority_hints: Type.Array(Text(200), { maxItems: 100 }),
  custom_instructions: nullable(Text(20_000)),
});
export type SummaryObjective = Static<typeof SummaryObjective>;

/** One summary of a content. Ids ascend in the order in which summaries of a content were stored. */
export const SummaryName = Type.Object({ hash_str: Type.String(), analysis_id: Type.String() });
export type SummaryName = Static<typeof SummaryName>;

export const HeldSummary = Type.Object({
  ...SummaryName.properties,
  analysis_name: Type.String(),
  model_key: Type.String(),
  /** Null for one that stands alone. */
  collection_id: nullable(Type.String()),
  one_line_summary: Type.String(),
  nodes: Count,
  /** Milliseconds since 1970. */
  stored_ms: Type.Number(),
  /** Where the file was seen last. */
  media_path: Type.String(),
});
export type HeldSummary = Static<typeof HeldSummary>;

export const SummaryDetail = Type.Object({
  objective: SummaryObjective,
  short_summary: Text(20_000),
  root_id: NodeId,
  quality: SummaryQuality,
});
export type SummaryDetail = Static<typeof SummaryDetail>;

export const HeldCollection = Type.Object({
  collection_id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  /** Summaries in it. */
  members: Count,
});
export type HeldCollection = Static<typeof HeldCollection>;

export const SummaryMember = Type.Object({
  ...SummaryName.properties,
  analysis_name: Type.String(),
  media_path: Type.String(),
});
export type SummaryMember = Static<typeof SummaryMember>;

/** A node whose text holds what was looked for. */
export const SummaryMatch = Type.Object({
  ...SummaryMember.properties,
  node_id: NodeId,
  level: Count,
  is_leaf: Type.Boolean(),
  range: GridRange,
  /** The part of the text around what was found. */
  text_preview: Type.String(),
  /** [start, end) in characters (code points) of the preview, ascending and apart. */
  match_ranges: Type.Array(Type.Tuple([Count, Count])),
  preview_truncated: Type.Boolean(),
});
export type SummaryMatch = Static<typeof SummaryMatch>;

/** A collection that is there, or a name: then one of that name, or a new one. */
export const CollectionChoice = Type.Union([
  Type.Object({ collection_id: Type.String() }),
  Type.Object({ name: Type.String({ minLength: 1, maxLength: 500 }), description: Text(5000) }),
]);
export type CollectionChoice = Static<typeof CollectionChoice>;

const Limit = Type.Integer({ minimum: 1, maximum: mostOfPage });

/** Hashes of media whose damaged records were left out. */
const Unreadable = Type.Array(Type.String());

export const summaryMessages = {
  /**
   * A page of the summaries of some contents, in that order, each content's in the order in which they were
   * stored.
   */
  list_summaries: ask(
    Type.Object({
      ...Folder,
      hashes: Type.Array(Type.String(), { maxItems: mostOfPage }),
      /** The last one of the page before; null for the first page. */
      after: nullable(SummaryName),
      limit: Limit,
    }),
    Type.Object({
      summaries: Type.Array(HeldSummary),
      /** Null when there is no more. */
      next: nullable(SummaryName),
      unreadable: Unreadable,
    }),
  ),
  /** A page of the collections, in the order in which they were made. */
  list_collections: ask(
    Type.Object({ ...Folder, after: nullable(Type.String()), limit: Limit }),
    Type.Object({
      collections: Type.Array(HeldCollection),
      next: nullable(Type.String()),
      /** Ids. */
      unreadable: Unreadable,
    }),
  ),
  /**
   * A page of the members of a collection; `collection` is null when there is none, and on all pages but the
   * first.
   */
  list_members: ask(
    Type.Object({ ...Folder, collection_id: Type.String(), after: nullable(SummaryName), limit: Limit }),
    Type.Object({
      collection: nullable(HeldCollection),
      members: Type.Array(SummaryMember),
      next: nullable(SummaryName),
      /** Damaged, or of contents that the folder does not know any more. */
      unreadable: Type.Array(SummaryName),
    }),
  ),
  /**
   * One node with its children, and nothing of the others. `analysis_id` null: the summary that was stored
   * last; `node_id` null: the root. `summary` and `detail` are null when there is no such summary, `node`
   * when it has no such node. STORE_DAMAGED when the node itself cannot be read; of a child that cannot be,
   * `unreadable` has the id.
   */
  read_summary: ask(
    Type.Object({
      ...Folder,
      hash_str: Type.String(),
      analysis_id: nullable(Type.String()),
      node_id: nullable(Type.String()),
      /** True for the evidence of a leaf. */
      evidence: Type.Boolean(),
    }),
    Type.Object({
      summary: nullable(HeldSummary),
      detail: nullable(SummaryDetail),
      node: nullable(SummaryNode),
      children: Type.Array(SummaryNode),
      unreadable: Unreadable,
      /** Null when it was not asked for, and for nodes that have none. */
      evidence: nullable(SummaryEvidence),
    }),
  ),
  /** A page of what all summaries take; added up by who asks. */
  count_summaries: ask(
    Type.Object({ ...Folder, after: nullable(SummaryName), limit: Limit }),
    Type.Object({
      summaries: Count,
      nodes: Count,
      bytes: Type.Number(),
      next: nullable(SummaryName),
    }),
  ),
  /**
   * Nodes whose text holds every word of `query` (a phrase in quotation marks is one), compared as in
   * transcripts: those that hold more of them whole first, then by path and time. `hashes`, `collection_id`:
   * only these; null for all. Nothing has to be loaded: while it is not `done` texts are still being read,
   * and the same message is to be sent again. EMPTY_QUERY.
   */
  search_summaries: ask(
    Type.Object({
      ...Folder,
      query: Text(10_000),
      hashes: nullable(Type.Array(Type.String())),
      collection_id: nullable(Type.String()),
      max_results: Type.Integer({ minimum: 1, maximum: 500 }),
    }),
    Type.Object({
      done: Type.Boolean(),
      matches: Type.Array(SummaryMatch),
      total: Count,
      /** False: there may be more, which were not looked at. */
      total_is_exact: Type.Boolean(),
      /** Damaged, whole or in part, and left out. */
      unreadable: Type.Array(SummaryName),
    }),
  ),
  /**
   * Begins a summary, or goes on with one of that name that was interrupted when its `settings`, which stand
   * for everything that changes the result, are the same. `stored_nodes`: nodes there are already.
   * SUMMARY_NAME_TAKEN without `replace_existing`, STORE_IN_USE.
   */
  begin_summary: ask(
    Type.Object({
      ...Folder,
      hash_str: Type.String(),
      analysis_name: Type.String({ minLength: 1, maxLength: 500 }),
      model_key: Type.String(),
      settings: Type.String(),
      replace_existing: Type.Boolean(),
    }),
    Type.Object({ stage: Type.Integer(), stored_nodes: Count }),
  ),
  /** A page of the nodes that are there, in the order of ids. STAGE_LOST. */
  kept_nodes: ask(
    Type.Object({
      stage: Type.Integer(),
      after: nullable(NodeId),
      limit: Type.Integer({ minimum: 1, maximum: mostNodesOfMessage }),
    }),
    Type.Object({ nodes: Type.Array(SummaryNode), next: nullable(NodeId) }),
  ),
  /**
   * Nodes in any order; one that is there is replaced. Kept when answered, *flushed*, and seen by nobody.
   * STAGE_LOST.
   */
  append_nodes: ask(
    Type.Object({
      stage: Type.Integer(),
      nodes: Type.Array(NewSummaryNode, { maxItems: mostNodesOfMessage }),
    }),
    Type.Object({ nodes: Count }),
  ),
  /**
   * Makes the summary visible in one atomic write, *flushed*; one of that name that was there goes with it.
   * NOT_A_TREE, UNKNOWN_COLLECTION, SUMMARY_NAME_TAKEN; after an error what was appended is kept, and can be
   * taken up.
   */
  commit_summary: ask(
    Type.Object({
      stage: Type.Integer(),
      media: MediaRecord,
      collection: nullable(CollectionChoice),
      one_line_summary: Text(2000),
      ...SummaryDetail.properties,
    }),
    Type.Object({ analysis_id: Type.String(), collection_id: nullable(Type.String()) }),
  ),
  /** `keep`: what was appended can be taken up by a later one. */
  abort_summary: ask(Type.Object({ stage: Type.Integer(), keep: Type.Boolean() }), Type.Object({})),
  /**
   * Removes summaries in one atomic write, *flushed*; `removed`: which of them were there. `collections`:
   * those that go too when they are empty then. STORE_IN_USE.
   */
  remove_summaries: ask(
    Type.Object({
      ...Folder,
      summaries: Type.Array(SummaryName, { maxItems: mostOfPage }),
      collections: Type.Array(Type.String()),
    }),
    Type.Object({ removed: Type.Array(Type.Boolean()), collections: Type.Array(Type.String()) }),
  ),
  /** A step of freeing what removed, replaced and abandoned summaries take. */
  sweep_summaries: ask(Type.Object({ ...Folder }), Type.Object({ done: Type.Boolean() })),
};
