// A summary as Markdown, to be put into notes: chapters as headings with their times, what lies deeper as
// lists.
import { clockTime } from '../../decoder/contract.ts';
import { oneLine } from '../rows.ts';
import type { DocumentNode, SummaryTree } from './contract.ts';
import { qualityNotes } from './quality-notes.ts';
import { checkText, leadOf } from './wording.ts';

/** Levels below the first node that have headings. */
const headings = 2;

export function markdownDocument({ overview, nodes, warnings }: SummaryTree): string {
  const { media_basename, analysis_name, summary_model_key, media_path, quality } = overview;
  const [first, ...below] = nodes;
  const made = `${code(media_path)}, summary ${marked(analysis_name)} by ${marked(summary_model_key)}`;
  const notes = qualityNotes(quality, warnings);
  const parts = [
    `# ${marked(media_basename)}`,
    made,
    paragraph(leadOf(overview, first?.node)),
    ...(first ? [`**${timesOf(first)}**`, paragraph(first.node.text), ...hints(first, '')] : []),
    ...below.map(nodeText),
    ...(notes.length > 0 ? ['## Notes', notes.map((note) => `- ${marked(note)}`).join('\n')] : []),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function nodeText(one: DocumentNode): string {
  const { below, node } = one;
  if (below <= headings) {
    return [`${'#'.repeat(below + 1)} ${timesOf(one)}`, paragraph(node.text), ...hints(one, '')]
      .filter((part) => part !== '')
      .join('\n\n');
  }
  const indent = '  '.repeat(below - headings - 1);
  return [`${indent}- **${timesOf(one)}** ${marked(node.text)}`, ...hints(one, `${indent}  `)].join('\n\n');
}

function timesOf({ node }: DocumentNode): string {
  const [start, end] = node.search_range;
  return `${clockTime(start)}–${clockTime(end)}`;
}

function hints({ node }: DocumentNode, indent: string): string[] {
  return node.verification_hints.map((hint) => `${indent}> ${marked(checkText(hint))}`);
}

function paragraph(text: string): string {
  return marked(text).replace(/^(\d+)([.)])(?=\s)/, '$1\\$2');
}

/** In one line, with what Markdown would take for marks escaped, HTML among it. */
function marked(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]<]|~(?=~)|&(?=#?\w+;)/g, '\\$&')
    .replace(/^[-+=#>]/, '\\$&');
}

/** A fence longer than any within. */
function code(text: string): string {
  const plain = oneLine(text);
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${plain}${space}${fence}`;
}
