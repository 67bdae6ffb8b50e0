// What a summary is shown with to a person: the text before the tree, and what a person should check.
import type { OverviewAnswer, SummaryNodeEntry } from '../../summarizer/stored/contract.ts';

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
