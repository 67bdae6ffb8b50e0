// What is known to be wrong with a summary, as sentences for a person.
import { clockTime } from '../../decoder/contract.ts';
import type { QualityBlock } from '../../summarizer/stored/contract.ts';

/** `warnings`: those of the whole tree, which may be more than the block has. */
export function qualityNotes(quality: QualityBlock, warnings: readonly string[]): string[] {
  const { warning_count, uncovered_ranges: ranges, uncovered_range_count: uncovered } = quality;
  const { failed_node_ids: failed, failed_node_count: failures } = quality;
  const moreWarnings = warning_count - warnings.length;
  const shown = ranges.map(
    ({ start_seconds, end_seconds }) => `${clockTime(start_seconds)}–${clockTime(end_seconds)}`,
  );
  return [
    ...warnings,
    ...(moreWarnings > 0 ? [`${moreWarnings} more warnings`] : []),
    ...(uncovered > 0 ? [`Not analysed: ${listed(shown, uncovered)}`] : []),
    ...(failures > 0 ? [`Less detailed than requested: the text of ${listed(failed, failures)}`] : []),
  ];
}

function listed(some: readonly string[], count: number): string {
  const more = count - some.length;
  return `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
