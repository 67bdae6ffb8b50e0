// The coordinator of summaries as documents: reads one, writes it in a format, and hands it out or saves it.
import { parse } from 'node:path';
import type { Contract } from '../../../runtime/contract.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { clockTime } from '../../decoder/contract.ts';
import type { storeMessages } from '../../index/store/contract.ts';
import type { visualMessages } from '../../index/visual/contract.ts';
import { exactTimes, type Shots } from '../../index/visual/shots.ts';
import type { OverviewAnswer, Summaries, SummaryNodeEntry } from '../../summarizer/stored/contract.ts';
import { inReadingOrder, shortened } from '../../summarizer/stored/reading.ts';
import type { SummarySelector } from '../../summarizer/stored/requests/contract.ts';
import { sentencesOf } from '../../summarizer/text/sentences.ts';
import { cueTimes, escapedCue } from '../captions.ts';
import { exportErrors } from '../contract.ts';
import { expectOutput, fileName, saveAt } from '../output-path.ts';
import { oneLine } from '../rows.ts';
import {
  type Chapter,
  type DocumentNode,
  mostDocumentCharacters,
  mostDocumentLevels,
  mostDocumentNodes,
  type SummaryDocumentRequest,
  type SummaryDocuments,
  type SummaryFormat,
  type SummaryTree,
  summarySuffixes,
  summaryTypes,
} from './contract.ts';
import { checkText, leadOf, qualityNotes } from './wording.ts';

// Reads what documents are made of: a summary or a part of it, node by node, and the chapters of a film.

// Chapters of a film out of the nodes of its summary: a title, and from when to when.

/** Characters (code points) of a title. */
export const longestTitle = 100;

/** Source of a chapter: a node, or its entry in the parent. */
interface ChapterNode {
  readonly text: string;
  /** Half-open, in seconds of the grid. */
  readonly range: readonly [number, number];
}

/**
 * In the order of the nodes. `seconds`: how long the film is, null where nobody knows; the grid counts its
 * last, broken second as a whole one. `shots`: null where edges are on the grid; else a chapter that begins
 * with the first second of a shot begins at its edge.
 */
export function chaptersOf(
  nodes: readonly ChapterNode[],
  seconds: number | null,
  shots: Shots | null = null,
): Chapter[] {
  return nodes.map(({ text, range }, i) => {
    const [start, end] = exactTimes(shots, ...range);
    const isWithin = seconds !== null && seconds > start;
    return {
      title: titleOf(text) || `Chapter ${i + 1}`,
      start_seconds: start,
      end_seconds: isWithin ? Math.min(end, seconds) : end,
    };
  });
}

/** The first sentence of a text in one line, cut between words where it is long; empty for an empty text. */
export function titleOf(text: string): string {
  const start = oneLine(shortened(text, 4 * longestTitle).text);
  const [first] = sentencesOf([{ text: start, start_seconds: 0, end_seconds: 0, speaker: null }]);
  const sentence = first?.text ?? start;
  if (!shortened(sentence, longestTitle).isCut) return sentence;
  const { text: cut } = shortened(sentence, longestTitle - 1);
  const word = cut.lastIndexOf(' ');
  return `${(word > cut.length / 2 ? cut.slice(0, word) : cut).trimEnd()}…`;
}

export interface ReadingParts {
  readonly summaries: Pick<Summaries, 'list' | 'overview' | 'node'>;
  readonly index: Ref<Contract<typeof storeMessages & Pick<typeof visualMessages, 'scenes'>>>;
}

export interface DocumentPart {
  /** Undefined: the root. */
  readonly node_id?: string | undefined;
  readonly depth: number;
  readonly include_evidence: boolean;
}

/** The errors of `Summaries.node`; DOCUMENT_TOO_LARGE. */
async function readTree(
  { summaries }: Pick<ReadingParts, 'summaries'>,
  selector: SummarySelector,
  { node_id, depth, include_evidence }: DocumentPart,
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
  { node_id, depth }: Pick<DocumentPart, 'node_id' | 'depth'>,
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
  const query = { cache_dir: selector.cache_dir, model_key: null, hashes: [overview.hash_str] };
  const { lists: results } = await parts.index.ask('scenes', query, { signal, lane: 'now' });
  return { overview, chapters: chaptersOf(chapters, seconds, results[0]?.shots ?? null), warnings };
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

const treeWriters: Readonly<Record<Exclude<SummaryFormat, 'vtt'>, (tree: SummaryTree) => string>> = {
  json: jsonDocument,
  markdown: markdownDocument,
  txt: plainDocument,
};

export function createSummaryDocuments(given: ReadingParts): SummaryDocuments {
  const parts: ReadingParts = { summaries: given.summaries, index: given.index };
  return {
    make: async (request, signal) => {
      const { format, output_path } = request;
      await expectOutput(request, unwritable);
      const { overview, text, nodes, warnings } = await written(parts, request, signal);
      const bytes = Buffer.from(text);
      return {
        success: true,
        format,
        filename: fileName(parse(overview.media_basename).name, summarySuffixes[format], 'summary'),
        mime_type: summaryTypes[format],
        summary_ref: overview.summary_ref,
        node_count: nodes,
        ...(warnings.length > 0 && { warnings: [...warnings] }),
        ...(output_path === undefined
          ? { content_base64: bytes.toString('base64') }
          : { output_path: await saveAt(output_path, bytes, unwritable) }),
      };
    },
  };
}

async function written(parts: ReadingParts, request: SummaryDocumentRequest, signal: AbortSignal) {
  const {
    format,
    node_id,
    depth,
    include_evidence,
    output_path: _,
    create_folders: __,
    ...selector
  } = request;
  if (format === 'vtt') {
    const reading = await readChapters(parts, selector, { node_id, depth: depth ?? 1 }, signal);
    return { ...reading, text: chaptersDocument(reading.chapters), nodes: reading.chapters.length };
  }
  const options = { node_id, depth: depth ?? Infinity, include_evidence };
  const tree = await readTree(parts, selector, options, signal);
  return { ...tree, text: treeWriters[format](tree), nodes: tree.nodes.length };
}

function unwritable(what: string, cause?: unknown) {
  const field = 'output_path';
  return exportErrors.OUTPUT_UNWRITABLE(`${field}: ${what}`, { field }, cause);
}

// A summary in each of its formats: Markdown, plain text, JSON, and chapters as WebVTT.

// Markdown, to be put into notes: chapters as headings with their times, what lies deeper as lists.

/** Levels below the first node that have headings. */
const headings = 2;

export function markdownDocument({ overview, nodes, warnings }: SummaryTree): string {
  const { media_basename, analysis_name, summary_model_key, media_path, quality } = overview;
  const [first, ...below] = nodes;
  const subtitle = `${code(media_path)}, summary ${marked(analysis_name)} by ${marked(summary_model_key)}`;
  const notes = qualityNotes(quality, warnings);
  const parts = [
    `# ${marked(media_basename)}`,
    subtitle,
    paragraph(leadOf(overview, first?.node)),
    ...(first ? [`**${timesOf(first)}**`, paragraph(first.node.text), ...hints(first, '')] : []),
    ...below.map(nodeText),
    ...(notes.length > 0 ? ['## Notes', notes.map((note) => `- ${marked(note)}`).join('\n')] : []),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function nodeText(documentNode: DocumentNode): string {
  const { below, node } = documentNode;
  if (below <= headings) {
    return [
      `${'#'.repeat(below + 1)} ${timesOf(documentNode)}`,
      paragraph(node.text),
      ...hints(documentNode, ''),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }
  const indent = '  '.repeat(below - headings - 1);
  return [
    `${indent}- **${timesOf(documentNode)}** ${marked(node.text)}`,
    ...hints(documentNode, `${indent}  `),
  ].join('\n\n');
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

interface WholeNode extends Omit<DocumentNode['node'], 'children'> {
  readonly evidence?: DocumentNode['evidence'];
  /** Children that were read. Empty at the last requested level, whether or not it is a leaf. */
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
  const warned = warnings.length > 0 ? { warnings } : {};
  return `${JSON.stringify({ ...facts, root: open[0], ...warned })}\n`;
}

// Chapters as WebVTT, as players take them for the chapters of a film.

export function chaptersDocument(chapters: readonly Chapter[]): string {
  const cues = chapters.map(({ title, start_seconds: start, end_seconds: end }) => {
    return `${cueTimes({ start, end }, '.')}\n${escapedCue(title)}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}
