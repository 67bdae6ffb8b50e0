// Texts around a summary in a document: the introduction, and points for a person to check.

import { clockTime } from '../../decoder/contract.ts';
import type { OverviewAnswer, QualityBlock, SummaryNodeEntry } from '../../summarizer/stored/contract.ts';

/**
 * The short summary, to stand before the tree; empty where the tree does not begin with the whole, and where
 * the text of the whole begins as the short one does: it would be read twice.
 */
export function leadOf({ short_summary }: OverviewAnswer, first: SummaryNodeEntry | undefined): string {
  if (first?.parent_id !== null) return '';
  const [beginning = ''] = short_summary.split(/(?<=[.!?…。！？])\s/u);
  return first.text.startsWith(beginning) ? '' : short_summary;
}

/** `To check: Nobody knows who speaks for 3 s. Listen.` */
export function checkText(hint: SummaryNodeEntry['verification_hints'][number]): string {
  const { limitation, suggested_follow_up } = hint;
  const end = /[.!?…]["”’)]*$/u.test(limitation) ? '' : '.';
  return `To check: ${limitation}${end} ${suggested_follow_up}`;
}

// Known faults of a summary as sentences for a person.

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
