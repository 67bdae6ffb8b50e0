// Summaries as they are read, for tests of documents.
import type { DocumentNode, SummaryTree } from '../../../../actors/exporter/summary/contract.ts';
import type {
  OverviewAnswer,
  QualityBlock,
  SummaryNodeEntry,
} from '../../../../actors/summarizer/stored/contract.ts';
import { qualityBlock } from '../../../../actors/summarizer/stored/summaries.ts';
import { quality } from '../../index/summaries/trees.ts';

export function node(
  node_id: string,
  range: readonly [number, number],
  text: string,
  more: Partial<SummaryNodeEntry> = {},
): SummaryNodeEntry {
  const search_range: [number, number] = [...range];
  const parent_id = node_id === '0' ? null : '0';
  const facts = { is_leaf: node_id !== '0', failed: false, verification_hints: [], children: [] };
  return { node_id, parent_id, level: parent_id === null ? 0 : 1, text, search_range, ...facts, ...more };
}

export function read(one: SummaryNodeEntry, below = one.level): DocumentNode {
  return { node: one, below, evidence: null };
}

export function summaryTree(
  nodes: readonly DocumentNode[],
  more: Partial<OverviewAnswer> & { readonly told?: Partial<QualityBlock> } = {},
): SummaryTree {
  const { told, ...fields } = more;
  const block = { ...qualityBlock(quality), ...told };
  const overview: OverviewAnswer = {
    summary_ref: 's1.aa.000000000000000000000001.00000000',
    analysis_id: '000000000000000000000001',
    analysis_name: 'general',
    hash_str: 'aa',
    media_path: '/footage/a_b.mp4',
    media_basename: 'a_b.mp4',
    one_line_summary: 'A film.',
    collection_id: null,
    summary_model_key: 'extractive',
    created: 0,
    summary_objective: { preset: 'general_understanding', priority_hints: [], custom_instructions: null },
    node_count: nodes.length,
    short_summary: 'A short *film*.',
    root: nodes[0]!.node,
    quality: block,
    ...fields,
  };
  return { overview, nodes, warnings: block.warnings };
}
