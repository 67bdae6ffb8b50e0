// The summaries of a fake index: in plain maps, read as they were written.
import type { indexContract } from '../../../actors/index/contract.ts';
import type { MediaRecord } from '../../../actors/index/store/contract.ts';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import {
  type HeldSummary,
  type NewSummaryNode,
  type SummaryDetail,
  summaryErrors,
} from '../../../actors/index/summaries/contract.ts';
import { foldName } from '../../../actors/index/summaries/fold-name.ts';
import type { Handlers } from '../../../runtime/actor.ts';

interface FakeSummary {
  readonly held: HeldSummary;
  readonly detail: SummaryDetail;
  readonly nodes: ReadonlyMap<string, NewSummaryNode>;
}

interface OpenFake {
  readonly hash: string;
  readonly name: string;
  readonly model: string;
  readonly replaces: boolean;
  readonly settings: string;
  readonly nodes: Map<string, NewSummaryNode>;
}

export interface FakeSummaries {
  /** Summaries by id, in the order in which they were stored. */
  readonly stored: Map<string, FakeSummary>;
  /** Open summaries by stage. */
  readonly open: Map<number, OpenFake>;
  /** Nodes that can be taken up, by hash and name. */
  readonly kept: Map<string, OpenFake>;
  readonly faults: {
    /** Of the next commits; `after`: it is stored all the same. */
    readonly commit: { readonly when: 'before' | 'after'; readonly error: Error }[];
    /** Steps of sweeping. */
    swept: number;
  };
}

export const noSummaries = (): FakeSummaries => ({
  stored: new Map(),
  open: new Map(),
  kept: new Map(),
  faults: { commit: [], swept: 0 },
});

const placeOf = ({ hash, name }: OpenFake) => `${hash}/${name}`;

export function summaryHandlers({ stored, open, kept, faults }: FakeSummaries, full: () => boolean) {
  const named = (hash: string, name: string) =>
    [...stored.values()].find(
      ({ held }) => held.hash_str === hash && foldName(held.analysis_name) === foldName(name),
    )?.held;
  const stageOf = (stage: number): OpenFake => {
    const found = open.get(stage);
    if (found === undefined) throw storeErrors.STAGE_LOST(String(stage));
    return found;
  };
  let last = 0;
  return {
    begin_summary: ({ hash_str: hash, analysis_name: name, model_key, settings, replace_existing }) => {
      if (named(hash, name) && !replace_existing) throw summaryErrors.SUMMARY_NAME_TAKEN(name);
      const before = kept.get(`${hash}/${name}`);
      const nodes = before?.settings === settings ? before.nodes : new Map<string, NewSummaryNode>();
      open.set(++last, { hash, name, model: model_key, replaces: replace_existing, settings, nodes });
      return { stage: last, stored_nodes: nodes.size };
    },
    kept_nodes: ({ stage }) => ({ nodes: [...stageOf(stage).nodes.values()], next: null }),
    append_nodes: ({ stage, nodes }) => {
      if (full()) throw storeErrors.STORE_FULL('the disk is full');
      const own = stageOf(stage);
      for (const node of nodes) own.nodes.set(node.node_id, node);
      kept.set(placeOf(own), own);
      return { nodes: own.nodes.size };
    },
    commit_summary: ({ stage, media, collection, one_line_summary, ...detail }) => {
      const own = stageOf(stage);
      open.delete(stage);
      const fault = faults.commit.shift();
      if (fault?.when === 'before') throw fault.error;
      if (collection && 'collection_id' in collection)
        throw summaryErrors.UNKNOWN_COLLECTION(collection.collection_id);
      kept.delete(placeOf(own));
      const earlier = named(own.hash, own.name);
      if (earlier) stored.delete(earlier.analysis_id);
      const analysis_id = String(stored.size + 1).padStart(24, '0');
      stored.set(analysis_id, {
        held: heldOf(own, media, analysis_id, one_line_summary),
        detail,
        nodes: own.nodes,
      });
      if (fault) throw fault.error;
      return { analysis_id, collection_id: collection ? 'c1' : null };
    },
    abort_summary: ({ stage, keep }) => {
      const own = open.get(stage);
      open.delete(stage);
      if (own && !keep) kept.delete(placeOf(own));
      return {};
    },
    list_summaries: ({ hashes }) => ({
      summaries: [...stored.values()].map(({ held }) => held).filter((one) => hashes.includes(one.hash_str)),
      next: null,
      unreadable: [],
    }),
    read_summary: ({ hash_str, analysis_id, node_id }) => {
      const all = [...stored.values()].filter(({ held }) => held.hash_str === hash_str);
      const found = analysis_id === null ? all.at(-1) : stored.get(analysis_id);
      const node = found?.nodes.get(node_id ?? found.detail.root_id) ?? null;
      const children = node?.child_ids.flatMap((id) => found?.nodes.get(id) ?? []) ?? [];
      const { held: summary = null, detail = null } = found ?? {};
      return { summary, detail, node, children, unreadable: [], evidence: node?.evidence ?? null };
    },
    list_collections: () => ({ collections: [], next: null, unreadable: [] }),
    list_members: () => ({ collection: null, members: [], next: null, unreadable: [] }),
    search_summaries: () => ({ done: true, matches: [], total: 0, total_is_exact: true, unreadable: [] }),
    count_summaries: () => ({ summaries: stored.size, nodes: 0, bytes: 0, next: null }),
    remove_summaries: ({ summaries }) => ({
      removed: summaries.map(({ analysis_id }) => stored.delete(analysis_id)),
      collections: [],
    }),
    sweep_summaries: () => {
      faults.swept++;
      return { done: faults.swept % 2 === 0 };
    },
  } satisfies Partial<Handlers<typeof indexContract>>;
}

function heldOf(
  own: OpenFake,
  media: MediaRecord,
  analysis_id: string,
  one_line_summary: string,
): HeldSummary {
  return {
    hash_str: own.hash,
    analysis_id,
    analysis_name: own.name,
    model_key: own.model,
    collection_id: null,
    one_line_summary,
    nodes: own.nodes.size,
    stored_ms: 0,
    media_path: media.path,
  };
}
