// Handlers about summaries: read a page or a node at a time, written node by node.

import type { Static } from 'typebox';
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import type { OpenStages } from '../numbered-work.ts';
import { storeErrors } from '../store/contract.ts';
import type { StoreParts } from '../store/handlers.ts';
import type { Store } from '../store/store.ts';
import type { SummaryStage } from '../store/summaries/summary-stage.ts';
import type { SummaryWriter } from '../store/summaries/summary-writer.ts';
import { excerptOf } from '../text/excerpt.ts';
import { hasWholeWord, wordsOf } from '../text/query.ts';
import type { Picked } from '../text/shard.ts';
import type { TextCache } from '../text/text-cache.ts';
import { type SummaryMatch, summaryErrors, type summaryMessages } from './contract.ts';
import type { SummaryPart, SummaryTexts } from './summary-texts.ts';

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
        return { stage: stages.add(store, stage), stored_nodes: stage.row.nodes };
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
      folders.with(cache_dir, (store) => ({
        done: store.identity === '' || store.summaryWriter(true).sweep(),
      })),
  };
}

/** The stages of a store that was closed are lost with it. */
function writerOf(store: Store, stage: SummaryStage): SummaryWriter {
  if (store.isBusy) return store.summaryWriter();
  throw storeErrors.STAGE_LOST(`The summary of ${stage.hash} was lost when ${store.folder} was closed`);
}

// Finds words in the texts of summaries and puts the matches in order: those that hold more of the words
// whole come first, then by path, summary and time.

/** Matches that are looked at: to put more of them in order takes longer than somebody waits. */
const mostCounted = 10_000;
const previewCharacters = 200;

interface TextQuery {
  /** Folded. */
  readonly words: readonly string[];
  /** Hashes of contents; null for all. */
  readonly hashes: ReadonlySet<string> | null;
  /** `hash/id` of summaries; null for all. */
  readonly names: ReadonlySet<string> | null;
  readonly most: number;
}

interface Hit {
  readonly part: SummaryPart;
  readonly row: number;
  /** Words that stand whole in it. */
  readonly whole: number;
}

function inOrder(a: Hit, b: Hit): number {
  if (a.whole !== b.whole) return b.whole - a.whole;
  const [summaryA, summaryB] = [a.part.summary, b.part.summary];
  return (
    order(summaryA.path, summaryB.path) ||
    order(summaryA.hash_str, summaryB.hash_str) ||
    order(summaryA.analysis_id, summaryB.analysis_id) ||
    a.part.starts[a.row]! - b.part.starts[b.row]! ||
    // Text about a shorter range is more exact.
    b.part.levels[b.row]! - a.part.levels[a.row]! ||
    order(a.part.idOf(a.row), b.part.idOf(b.row))
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function searchSummaries(
  store: Store,
  texts: SummaryTexts,
  request: TextQuery,
  pause: () => void,
): { matches: Static<typeof SummaryMatch>[]; total: number; total_is_exact: boolean } {
  const { words, hashes, names, most } = request;
  const needles = words.map((word) => Buffer.from(word));
  const pick = ({ summary: { hash_str, analysis_id } }: SummaryPart): Picked =>
    (hashes?.has(hash_str) ?? true) && (names?.has(`${hash_str}/${analysis_id}`) ?? true);
  const foundRows = texts.first({ needles, pickOf: pick, most: mostCounted, pause });
  const hits = foundRows.map(({ document: part, row }): Hit => {
    const whole = needles.reduce((sum, needle) => sum + (hasWholeWord(part.folded, row, needle) ? 1 : 0), 0);
    return { part, row, whole };
  });
  const matches = hits
    .sort(inOrder)
    .slice(0, most)
    .flatMap((hit) => {
      pause();
      return matchOf(store, hit, words);
    });
  const total = foundRows.length;
  return { matches, total, total_is_exact: total < mostCounted };
}

/** Empty for a node that was removed or damaged since its text was read. */
function matchOf(store: Store, { part, row }: Hit, words: readonly string[]): Static<typeof SummaryMatch>[] {
  const { hash_str, analysis_id, analysis_name, path, token } = part.summary;
  const node = store.summaries.node({ hash_str, token }, part.idOf(row));
  if (node === null) return [];
  const { text, ranges, isCut } = excerptOf(node.text, words, previewCharacters);
  return [
    {
      hash_str,
      analysis_id,
      analysis_name,
      media_path: path,
      node_id: node.node_id,
      level: node.level,
      is_leaf: node.child_ids.length === 0,
      range: node.range,
      text_preview: text,
      match_ranges: ranges,
      preview_truncated: isCut,
    },
  ];
}
