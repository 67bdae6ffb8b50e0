// A summary in each of its formats: Markdown, plain text, JSON, and chapters as WebVTT.
import { clockTime } from '../../decoder/contract.ts';
import { cueTimes, escapedCue } from '../captions.ts';
import { oneLine } from '../rows.ts';
import type { Chapter, DocumentNode, SummaryTree } from './contract.ts';
import { checkText, leadOf, qualityNotes } from './wording.ts';

// Markdown, to be put into notes: chapters as headings with their times, what lies deeper as lists.

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

// A summary as plain text: a line for each node, indented by its level.

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

// A summary as one JSON document: the fields of the API, with every node in the place of its preview.

/** A node as `SummaryNode` of the API, with nodes as its children. */
interface WholeNode extends Omit<DocumentNode['node'], 'children'> {
  readonly evidence?: DocumentNode['evidence'];
  /** Those that were read: none at the last level that was asked for, whether or not it is a leaf. */
  readonly children: WholeNode[];
}

export function jsonDocument({ overview, nodes, warnings }: SummaryTree): string {
  const { root: _, ...facts } = overview;
  /** The last node of each level: the parent of what comes next. */
  const open: WholeNode[] = [];
  for (const { node, below, evidence } of nodes) {
    const whole: WholeNode = { ...node, ...(evidence && { evidence }), children: [] };
    open[below - 1]?.children.push(whole);
    open.splice(below, open.length, whole);
  }
  const left = warnings.length > 0 ? { warnings } : {};
  return `${JSON.stringify({ ...facts, root: open[0], ...left })}\n`;
}

// Chapters as WebVTT, as players take them for the chapters of a film.

export function chaptersDocument(chapters: readonly Chapter[]): string {
  const cues = chapters.map(({ title, start_seconds: start, end_seconds: end }) => {
    return `${cueTimes({ start, end }, '.')}\n${escapedCue(title)}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}
