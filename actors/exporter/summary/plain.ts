// A summary as plain text: a line for each node, indented by its level.
import { clockTime } from '../../decoder/contract.ts';
import { oneLine } from '../rows.ts';
import type { SummaryTree } from './contract.ts';
import { qualityNotes } from './quality-notes.ts';
import { leadOf } from './wording.ts';

export function plainDocument({ overview, nodes, warnings }: SummaryTree): string {
  const lines = nodes.map(({ node, below }) => {
    const [start, end] = node.search_range;
    return `${'  '.repeat(below)}[${clockTime(start)} - ${clockTime(end)}] ${oneLine(node.text)}`.trimEnd();
  });
  const notes = qualityNotes(overview.quality, warnings).map((note) => `Note: ${oneLine(note)}`);
  const lead = leadOf(overview, nodes[0]?.node);
  const about = [oneLine(overview.media_basename), '', ...(lead === '' ? [] : [oneLine(lead), ''])];
  return `${[...about, ...lines, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')}\n`;
}
