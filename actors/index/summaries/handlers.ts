// What the index answers about summaries: read a page or a node at a time, written node by node.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import type { OpenStages } from '../open-stages.ts';
import { storeErrors } from '../store/contract.ts';
import type { StoreParts } from '../store/handlers.ts';
import type { Store } from '../store/store.ts';
import type { SummaryStage } from '../store/summaries/summary-stage.ts';
import type { SummaryWriter } from '../store/summaries/summary-writer.ts';
import { wordsOf } from '../text/query.ts';
import type { TextCache } from '../text/text-cache.ts';
import { summaryErrors, type summaryMessages } from './contract.ts';
import { searchSummaries } from './search.ts';
import type { SummaryTexts } from './summary-texts.ts';

export interface SummaryParts extends StoreParts {
  readonly summaryStages: OpenStages<SummaryStage>;
  readonly summaryTexts: TextCache<SummaryTexts>;
}

export function summaryHandlers(parts: SummaryParts): Handlers<Contract<typeof summaryMessages>> {
  return { ...readingHandlers(parts), ...writingHandlers(parts) };
}

type Reading =
  | 'list_summaries'
  | 'list_collections'
  | 'list_members'
  | 'read_summary'
  | 'count_summaries'
  | 'search_summaries';

function readingHandlers({
  folders,
  summaryTexts,
}: SummaryParts): Handlers<Contract<Pick<typeof summaryMessages, Reading>>> {
  return {
    list_summaries: ({ cache_dir, hashes, after, limit }, turn) =>
      folders.with(cache_dir, (store) =>
        store.summaries.list(hashes, after, limit, () => turn.throwIfCancelled()),
      ),
    list_collections: ({ cache_dir, after, limit }) =>
      folders.with(cache_dir, (store) => store.summaries.collections(after, limit)),
    list_members: ({ cache_dir, collection_id, after, limit }) =>
      folders.with(cache_dir, (store) => store.summaries.members(collection_id, after, limit)),
    read_summary: ({ cache_dir, hash_str, analysis_id, node_id, evidence }) =>
      folders.with(cache_dir, (store) => store.summaries.read(hash_str, analysis_id, node_id, evidence)),
    count_summaries: ({ cache_dir, after, limit }) =>
      folders.with(cache_dir, (store) => store.summaries.count(after, limit)),
    search_summaries: (request, turn) =>
      folders.with(request.cache_dir, (store) =>
        searched(store, summaryTexts, request, () => turn.throwIfCancelled()),
      ),
  };
}

function searched(
  store: Store,
  index: TextCache<SummaryTexts>,
  {
    query,
    hashes,
    collection_id,
    max_results,
  }: Request<Contract<typeof summaryMessages>, 'search_summaries'>,
  pause: () => void,
) {
  const words = wordsOf(query);
  if (words.length === 0) {
    throw summaryErrors.EMPTY_QUERY('query: contains no words', { field: 'query' });
  }
  const texts = index.step(store);
  if (texts === null) return { done: false, matches: [], total: 0, total_is_exact: false, unreadable: [] };
  const request = {
    words,
    hashes: hashes && new Set(hashes),
    names: collection_id === null ? null : store.summaries.memberNames(collection_id),
    most: max_results,
  };
  return { done: true, ...searchSummaries(store, texts, request, pause), unreadable: texts.unreadable() };
}

function writingHandlers({
  folders,
  summaryStages: stages,
}: SummaryParts): Handlers<Contract<Omit<typeof summaryMessages, Reading>>> {
  return {
    begin_summary: ({ cache_dir, hash_str, analysis_name, model_key, settings, replace_existing }) =>
      folders.with(cache_dir, (store) => {
        const stage = store.summaryWriter().begin({
          hash: hash_str,
          name: analysis_name,
          modelKey: model_key,
          settings,
          replaces: replace_existing,
        });
        return { stage: stages.add(store, stage), kept: stage.row.nodes };
      }),
    kept_nodes: ({ stage: number, after, limit }) => {
      const { store, stage } = stages.get(number);
      const nodes = writerOf(store, stage).kept(stage, after, limit);
      const next = nodes.length < limit ? null : (nodes.at(-1)?.node_id ?? null);
      return { nodes, next };
    },
    append_nodes: ({ stage: number, nodes }) => {
      const { store, stage } = stages.get(number);
      return { nodes: writerOf(store, stage).append(stage, nodes) };
    },
    commit_summary: ({ stage: number, media, ...finished }) => {
      const { store, stage } = stages.get(number);
      // Whatever becomes of the commit, the store has no stage afterwards.
      stages.remove(number);
      return writerOf(store, stage).commit(stage, media, finished);
    },
    abort_summary: ({ stage: number, keep }) => {
      const open = stages.remove(number);
      if (!open?.store.isBusy) return {};
      const writer = open.store.summaryWriter();
      if (keep) writer.end(open.stage);
      else writer.drop(open.stage);
      return {};
    },
    remove_summaries: ({ cache_dir, summaries, collections }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return store.summaryWriter().remove(summaries, collections);
      }),
    sweep_summaries: ({ cache_dir }) =>
      folders.with(cache_dir, (store) => ({ done: store.identity === '' || store.summaryWriter().sweep() })),
  };
}

/** The stages of a store that was closed are lost with it. */
function writerOf(store: Store, stage: SummaryStage): SummaryWriter {
  if (store.isBusy) return store.summaryWriter();
  throw storeErrors.STAGE_LOST(`The summary of ${stage.hash} was lost when ${store.folder} was closed`);
}
