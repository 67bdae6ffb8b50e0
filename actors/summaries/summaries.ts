// The coordinator of summaries: reads what is stored, a page or a node at a time, and removes it.
import { quoted } from '../../runtime/quoted.ts';
import type { CallOptions } from '../../runtime/ref.ts';
import type { SummariesParts } from './contents.ts';
import { type Summaries, type SummarySelector, summariesErrors } from './contract.ts';
import { nodeEntry, summaryEntry } from './entries.ts';
import { SummaryFinder } from './find.ts';
import { listCollections, listSummaries } from './lists.ts';
import { qualityBlock } from './quality.ts';
import { removeSummaries } from './remove.ts';
import { select, unknownSummary } from './select.ts';
import { summaryRef } from './summary-ref.ts';

export function createSummaries(given: SummariesParts): Summaries {
  const parts: SummariesParts = { index: given.index, prober: given.prober };
  const finder = new SummaryFinder(parts);
  return {
    collections: (request, signal) => listCollections(parts, request, now(signal)),
    list: (request, signal) => listSummaries(parts, request, now(signal)),
    find: (request, signal) => finder.find(request, now(signal)),
    overview: async (request, signal) => {
      const { selected, summary, detail, node, children, unreadable } = await read(
        parts,
        request,
        { node_id: null, evidence: false },
        now(signal),
      );
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
      const asked = { node_id, evidence: include_evidence };
      const { summary, detail, node, children, unreadable, evidence } = await read(
        parts,
        request,
        asked,
        now(signal),
      );
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
function now(signal: AbortSignal | undefined): CallOptions {
  return { group: 'now', signal };
}

/** UNKNOWN_SUMMARY, UNKNOWN_NODE, and what `select` throws. */
async function read(
  parts: SummariesParts,
  request: SummarySelector,
  { node_id, evidence }: { readonly node_id: string | null; readonly evidence: boolean },
  call: CallOptions,
) {
  const selected = await select(parts, request, call);
  const { hash_str, analysis_id } = selected;
  const asked = { cache_dir: request.cache_dir, hash_str, analysis_id, node_id, evidence };
  const { summary, detail, node, ...found } = await parts.index.ask('read_summary', asked, call);
  if (summary === null || detail === null) throw unknownSummary(request, selected);
  if (node === null) {
    const what = `node_id: ${summaryRef(summary)} has no node ${quoted(node_id!)}`;
    throw summariesErrors.UNKNOWN_NODE(what, { field: 'node_id' });
  }
  return { ...found, selected, summary, detail, node };
}
