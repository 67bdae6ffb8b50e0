// Reads what documents are made of: a summary or a part of it, node by node, and the chapters of a film.

import type { Contract } from '../../../runtime/contract.ts';
import type { Ref } from '../../../runtime/ref.ts';
import type { storeMessages } from '../../index/store/contract.ts';
import type { OverviewAnswer, Summaries, SummaryNodeEntry } from '../../summarizer/stored/contract.ts';
import { inReadingOrder } from '../../summarizer/stored/reading-order.ts';
import type { SummarySelector } from '../../summarizer/stored/requests/contract.ts';
import { exportErrors } from '../contract.ts';
import { type ChapterNode, chaptersOf } from './chapters.ts';
import {
  type Chapter,
  type DocumentNode,
  mostDocumentCharacters,
  mostDocumentLevels,
  mostDocumentNodes,
  type SummaryTree,
} from './contract.ts';

export interface ReadingParts {
  readonly summaries: Pick<Summaries, 'list' | 'overview' | 'node'>;
  readonly index: Ref<Contract<typeof storeMessages>>;
}

export interface Part {
  /** Undefined: the root. */
  readonly node_id?: string | undefined;
  readonly depth: number;
  readonly include_evidence: boolean;
}

/** The errors of `Summaries.node`; DOCUMENT_TOO_LARGE. */
export async function readTree(
  { summaries }: Pick<ReadingParts, 'summaries'>,
  selector: SummarySelector,
  { node_id, depth, include_evidence }: Part,
  signal: AbortSignal,
): Promise<SummaryTree> {
  const overview = await summaries.overview(selector, signal);
  const { summary_ref } = overview;
  const request = { cache_dir: selector.cache_dir, summary_ref, include_evidence };
  const read = (id: string) => summaries.node({ ...request, node_id: id }, signal);
  const nodes: DocumentNode[] = [];
  const warnings = new Set(overview.quality.warnings);
  let characters = 0;
  for await (const { answer, below } of inReadingOrder(node_id ?? overview.root.node_id, depth, read)) {
    const { node, evidence = null, quality } = answer;
    for (const warning of quality.warnings) warnings.add(warning);
    nodes.push({ node, below, evidence });
    characters += node.text.length + (evidence === null ? 0 : JSON.stringify(evidence).length);
    expectToFit(nodes.length, characters, below);
  }
  return { overview, nodes, warnings: [...warnings] };
}

function expectToFit(nodes: number, characters: number, levels: number): void {
  const limits = [
    [nodes, mostDocumentNodes, 'nodes'],
    [characters, mostDocumentCharacters, 'characters'],
    [levels, mostDocumentLevels, 'levels'],
  ] as const;
  for (const [is, most, of] of limits) {
    if (is <= most) continue;
    const what = `depth: the summary has more than ${most} ${of}; request fewer levels, or a part of it with node_id`;
    throw exportErrors.DOCUMENT_TOO_LARGE(what, { field: 'depth' });
  }
}

/**
 * Nodes so many levels below the first one, and leaves above, which have none there: together they cover all
 * of it.
 */
export async function readChapters(
  parts: ReadingParts,
  selector: SummarySelector,
  { node_id, depth }: Pick<Part, 'node_id' | 'depth'>,
  signal: AbortSignal,
): Promise<{ overview: OverviewAnswer; chapters: Chapter[]; warnings: readonly string[] }> {
  const above = Math.max(0, depth - 1);
  const { overview, nodes, warnings } = await readTree(
    parts,
    selector,
    { node_id, depth: above, include_evidence: false },
    signal,
  );
  const chapters = nodes.flatMap(({ node, below }): ChapterNode[] => {
    if (depth === 0 || node.is_leaf) return [{ text: node.text, range: node.search_range }];
    return below === above ? previewsOf(node) : [];
  });
  const seconds = await secondsOf(parts, selector.cache_dir, overview.hash_str, signal);
  return { overview, chapters: chaptersOf(chapters, seconds), warnings };
}

/** The start of a text is enough for a title. */
function previewsOf({ children }: SummaryNodeEntry): ChapterNode[] {
  return children.map(({ text_preview: text, search_range: range }) => ({ text, range }));
}

/** How long the film is, as it was seen last: it may be gone. Null where that is not known. */
async function secondsOf({ index }: ReadingParts, cache_dir: string, hash: string, signal: AbortSignal) {
  const request = { cache_dir, paths: [], hashes: [hash] };
  const { by_hash } = await index.ask('find', request, { signal, lane: 'now' });
  return by_hash[0]?.probe.duration_seconds || null;
}
