// What is known to be wrong with a summary, as it is answered: the first entries of each list, and how many there are.
import type { SummaryQuality } from '../index/summaries/contract.ts';
import type { QualityBlock } from './contract.ts';
import { shortened } from './shortened.ts';

export const mostEntries = 8;
export const longestWarning = 500;

/** `unreadable`: nodes that were wanted and whose record is damaged; told before everything else. */
export function qualityBlock(quality: SummaryQuality, unreadable: readonly string[] = []): QualityBlock {
  const damaged = unreadable.map((id) => `Node ${id} is damaged and was skipped; summarise the file again`);
  const warnings = [...damaged, ...quality.warnings]
    .slice(0, mostEntries)
    .map((one) => shortened(one, longestWarning));
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
