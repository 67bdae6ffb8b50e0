// What is known to be wrong with a summary: what the summarizer says, and what was missing when it was made.
import {
  type GridRange,
  mostQualityEntries,
  type SummaryQuality,
} from '../../../index/summaries/contract.ts';

/** Characters of a warning that is stored. */
const longestWarning = 2000;

export interface QualityFacts {
  readonly warnings: readonly string[];
  /** Nodes whose text is plainer than it was asked for, those of earlier runs too. */
  readonly failed: readonly string[];
  readonly uncovered: readonly GridRange[];
}

/** The lists keep the first entries, the counts all of them. */
export function qualityOf(
  told: SummaryQuality,
  { warnings, failed, uncovered }: QualityFacts,
): SummaryQuality {
  const all = [...warnings, ...told.warnings].map((text) => text.slice(0, longestWarning));
  const ids = new Set([...told.failed_node_ids, ...failed]);
  const ranges =
    told.uncovered_range_count > 0
      ? told.uncovered_ranges
      : uncovered.map(([start_seconds, end_seconds]) => ({ start_seconds, end_seconds }));
  return {
    warnings: all.slice(0, mostQualityEntries),
    warning_count: told.warning_count + warnings.length,
    uncovered_ranges: ranges.slice(0, mostQualityEntries),
    uncovered_range_count: Math.max(told.uncovered_range_count, ranges.length),
    failed_node_ids: [...ids].slice(0, mostQualityEntries),
    failed_node_count: Math.max(told.failed_node_count, ids.size),
  };
}
