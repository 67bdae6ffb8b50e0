// The coordinator of summaries: reads what is stored, a page or a node at a time, and removes it.

import type { AskOptions } from '../../../runtime/ref.ts';
import { Mutex } from '../../../runtime/sync/locks.ts';
import { quoted } from '../../../runtime/text.ts';
import { sweepInSteps } from '../../index/store/compact-in-steps.ts';
import {
  mostOfPage,
  type SummaryMatch,
  type SummaryName,
  type SummaryQuality,
} from '../../index/summaries/contract.ts';
import {
  type QualityBlock,
  type Summaries,
  type SummariesRemoved,
  type SummaryMatchEntry,
  type SummaryMatchesAnswer,
  summariesErrors,
} from './contract.ts';
import {
  contentsOf,
  hashesOf,
  listCollections,
  listSummaries,
  memberEntry,
  membersOf,
  nodeEntry,
  type SummariesParts,
  summaryEntry,
  warned,
} from './lists.ts';
import { shortened } from './reading.ts';
import type { FindRequest, RemoveRequest, SummarySelector } from './requests/contract.ts';
import { parseSummaryRef, summaryRef } from './summary-ref.ts';

export function createSummaries(given: SummariesParts): Summaries {
  const parts: SummariesParts = { index: given.index, prober: given.prober };
  const searching = new Mutex();
  return {
    collections: (request, signal) => listCollections(parts, request, now(signal)),
    list: (request, signal) => listSummaries(parts, request, now(signal)),
    find: (request, signal) => findNodes(parts, searching, request, now(signal)),
    overview: async (request, signal) => {
      const query = { node_id: null, evidence: false };
      const reading = await read(parts, request, query, now(signal));
      const { selected, summary, detail, node, children, unreadable } = reading;
      return {
        ...summaryEntry(summary, selected.path ?? undefined),
        summary_objective: detail.objective,
        node_count: summary.nodes,
        short_summary: detail.short_summary,
        root: nodeEntry(node, children),
        quality: qualityBlock(detail.quality, unreadable),
      };
    },
    node: async (request, signal) => {
      const { node_id, include_evidence } = request;
      const query = { node_id, evidence: include_evidence };
      const reading = await read(parts, request, query, now(signal));
      const { summary, detail, node, children, unreadable, evidence } = reading;
      const entry = nodeEntry(node, children);
      return {
        summary_ref: summaryRef(summary),
        node: entry,
        children: entry.children,
        quality: qualityBlock(detail.quality, unreadable),
        ...(evidence && { evidence }),
      };
    },
    remove: (request, signal) => removeSummaries(parts, request, now(signal)),
  };
}

/** A person waits: ahead of the work of analyses. */
function now(signal: AbortSignal | undefined): AskOptions {
  return { lane: 'now', signal };
}

/** UNKNOWN_SUMMARY, UNKNOWN_NODE, and what `select` throws. */
async function read(
  parts: SummariesParts,
  request: SummarySelector,
  { node_id, evidence }: { readonly node_id: string | null; readonly evidence: boolean },
  call: AskOptions,
) {
  const selected = await select(parts, request, call);
  const { hash_str, analysis_id } = selected;
  const query = { cache_dir: request.cache_dir, hash_str, analysis_id, node_id, evidence };
  const { summary, detail, node, ...content } = await parts.index.ask('read_summary', query, call);
  if (summary === null || detail === null) throw unknownSummary(request, selected);
  if (node === null) {
    const what = `node_id: ${summaryRef(summary)} has no node ${quoted(node_id!)}`;
    throw summariesErrors.UNKNOWN_NODE(what, { field: 'node_id' });
  }
  return { ...content, selected, summary, detail, node };
}

// Known faults of a summary as the API returns them: the first entries of each list, and their number.

const mostEntries = 8;
const longestWarning = 500;

/** `unreadable`: nodes that were wanted and whose record is damaged; told before everything else. */
export function qualityBlock(quality: SummaryQuality, unreadable: readonly string[] = []): QualityBlock {
  const damaged = unreadable.map((id) => `Node ${id} is damaged and was skipped; summarise the file again`);
  const warnings = [...damaged, ...quality.warnings]
    .slice(0, mostEntries)
    .map((text) => shortened(text, longestWarning));
  const warning_count = damaged.length + countOf(quality.warnings, quality.warning_count);
  const uncovered_ranges = quality.uncovered_ranges.slice(0, mostEntries);
  const uncovered_range_count = countOf(quality.uncovered_ranges, quality.uncovered_range_count);
  const failed_node_ids = quality.failed_node_ids.slice(0, mostEntries);
  const failed_node_count = countOf(quality.failed_node_ids, quality.failed_node_count);
  return {
    warnings: warnings.map(({ text }) => text),
    warning_count,
    warnings_truncated: warning_count > warnings.length || warnings.some(({ isCut }) => isCut),
    uncovered_ranges,
    uncovered_range_count,
    uncovered_ranges_truncated: uncovered_range_count > uncovered_ranges.length,
    failed_node_ids,
    failed_node_count,
    failed_nodes_truncated: failed_node_count > failed_node_ids.length,
  };
}

/** Never fewer than there are. */
function countOf(list: readonly unknown[], count: number): number {
  return Math.max(list.length, count);
}

// Which summary a request means: by its `summary_ref`, or by a file, and then the one of an id or the one
// stored last.

interface Selected {
  readonly hash_str: string;
  /** Null: the one that was stored last. */
  readonly analysis_id: string | null;
  readonly path: string | null;
  /** The field to name when there is none. */
  readonly field: string;
}

const ways = ['summary_ref', 'path', 'hash_str'] as const;

/** WHICH_SUMMARY, BAD_SUMMARY_REF, UNKNOWN_SUMMARY, what keeps the file from being read. */
async function select(parts: SummariesParts, request: SummarySelector, call: AskOptions): Promise<Selected> {
  const { summary_ref, path, hash_str, analysis_id } = request;
  const given = ways.filter((name) => request[name] !== undefined);
  const [way, second] = given;
  if (way === undefined || second !== undefined) {
    const what = `${given.length === 0 ? 'none' : given.join(' and ')} is given; give exactly one of ${ways.join(', ')}`;
    throw summariesErrors.WHICH_SUMMARY(`${way ?? 'summary_ref'}: ${what}`, { field: way ?? 'summary_ref' });
  }
  if (summary_ref !== undefined) {
    const reference = parseSummaryRef(summary_ref, 'summary_ref');
    if (analysis_id !== undefined && analysis_id !== reference.analysis_id) {
      const what = `analysis_id: summary_ref belongs to ${reference.analysis_id}`;
      throw summariesErrors.WHICH_SUMMARY(what, { field: 'analysis_id' });
    }
    return { ...reference, path: null, field: 'summary_ref' };
  }
  const field = analysis_id === undefined ? way : 'analysis_id';
  const query = { analysis_id: analysis_id ?? null, path: path ?? null, field };
  if (hash_str !== undefined) return { ...query, hash_str };
  const [hash = null] = await hashesOf(parts, request.cache_dir, [path!], call, (error) => {
    throw error;
  });
  if (hash !== null) return { ...query, hash_str: hash };
  throw summariesErrors.UNKNOWN_SUMMARY(`path: ${request.cache_dir} has no analysis of ${path}`, {
    field: 'path',
  });
}

function unknownSummary({ cache_dir }: SummarySelector, { hash_str, analysis_id, path, field }: Selected) {
  const which = analysis_id === null ? 'summary' : `summary ${quoted(analysis_id)}`;
  const what = `${field}: ${cache_dir} has no ${which} of ${path ?? hash_str}`;
  return summariesErrors.UNKNOWN_SUMMARY(what, { field });
}

// Finds nodes by the words of their texts. What is stored is brought into memory by the first search, a step
// at a time, and other questions are answered in between.

/**
 * `searching`: one search at a time, or two of different folders would throw out what the other one reads.
 */
async function findNodes(
  parts: SummariesParts,
  searching: Mutex,
  request: FindRequest,
  call: AskOptions,
): Promise<SummaryMatchesAnswer> {
  const { cache_dir, query, media_paths, hash_strs, collection_id = null, max_results } = request;
  const { askedAs, broken } =
    media_paths === undefined && hash_strs === undefined
      ? { askedAs: null, broken: [] }
      : await contentsOf(parts, cache_dir, media_paths ?? [], hash_strs ?? [], call);
  if (collection_id !== null) await membersOf(parts, cache_dir, collection_id, 0, call);
  const hashes = askedAs === null ? null : [...askedAs.keys()];
  const results = await searching.run(async () => {
    for (;;) {
      const parameters = { cache_dir, query, hashes, collection_id, max_results };
      const answer = await parts.index.ask('search_summaries', parameters, call);
      if (answer.done) return answer;
    }
  }, call);
  const { matches, total, total_is_exact, unreadable } = results;
  const damaged = unreadable
    .filter(({ hash_str }) => askedAs?.has(hash_str) ?? true)
    .map(({ hash_str }) => `a summary of ${askedAs?.get(hash_str) ?? hash_str} is damaged`);
  return {
    matches: matches.map((match) => matchEntry(match, askedAs?.get(match.hash_str))),
    total,
    truncated: total > matches.length || !total_is_exact,
    total_is_exact,
    ...warned([...broken, ...damaged]),
  };
}

function matchEntry(match: SummaryMatch, as: string | undefined): SummaryMatchEntry {
  const { node_id, level, is_leaf, range, text_preview, match_ranges, preview_truncated } = match;
  return {
    ...memberEntry(match, as),
    node_id,
    level,
    is_leaf,
    search_range: range,
    text_preview,
    match_ranges,
    preview_truncated,
  };
}

// Removes summaries, some at a time; what they take on the disk is freed in steps behind it.

/** Summaries read in one transaction. Searches are answered between two of them. */
const together = Math.min(256, mostOfPage);

async function removeSummaries(
  parts: SummariesParts,
  request: RemoveRequest,
  call: AskOptions,
): Promise<SummariesRemoved> {
  const { cache_dir, collection_id = null } = request;
  if (request.summary_refs.length === 0 && collection_id === null) {
    const what = 'summary_refs: is empty; give summary_refs or a collection_id';
    throw summariesErrors.WHICH_SUMMARY(what, { field: 'summary_refs' });
  }
  const refs = [...new Set(request.summary_refs)];
  const named = refs.map((ref, i) => parseSummaryRef(ref, `summary_refs[${i}]`));
  const within = collection_id === null ? null : await membersOf(parts, cache_dir, collection_id, null, call);
  const members = [...(within?.members ?? []), ...(within?.unreadable ?? [])];
  const all = new Map<string, SummaryName>();
  for (const { hash_str, analysis_id } of [...named, ...members]) {
    const summary = { hash_str, analysis_id };
    all.set(summaryRef(summary), summary);
  }
  const removed: string[] = [];
  const requests = [...all];
  const removedCollections: string[] = [];
  for (let at = 0; at < requests.length || at === 0; at += together) {
    const some = requests.slice(at, at + together);
    // The collection goes with its last members.
    const collections = collection_id !== null && at + together >= requests.length ? [collection_id] : [];
    const summaries = some.map(([, name]) => name);
    const answer = await parts.index.ask('remove_summaries', { cache_dir, summaries, collections }, call);
    removed.push(...some.flatMap(([ref], i) => (answer.removed[i] ? [ref] : [])));
    removedCollections.push(...answer.collections);
  }
  if (removed.length === 0 && removedCollections.length === 0) {
    const what = `summary_refs: ${cache_dir} has none of these ${refs.length} summaries`;
    throw summariesErrors.UNKNOWN_SUMMARY(what, { field: 'summary_refs' });
  }
  await sweepInSteps(parts.index, cache_dir, call.signal ?? new AbortController().signal);
  const there = new Set(removed);
  const unknown = refs.filter((ref) => !there.has(ref));
  return {
    message: summaryText(removed.length, unknown.length, removedCollections.length),
    removed,
    unknown,
    collections_removed: removedCollections,
  };
}

function summaryText(removed: number, unknown: number, collections: number): string {
  const said = [
    `${removed} ${removed === 1 ? 'summary is' : 'summaries are'} removed`,
    ...(collections > 0 ? ['with their collection'] : []),
    ...(unknown > 0 ? [`${unknown} not found`] : []),
  ];
  return said.join(', ');
}
