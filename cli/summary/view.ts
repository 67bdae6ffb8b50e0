// Summaries for a person to read: as lines, a tree that is indented by its levels and wrapped to the width,
// and as a page with pictures.
import { clockTime } from '../../actors/decoder/contract.ts';
import { type DocumentNode, mostDocumentNodes } from '../../actors/exporter/summary/contract.ts';
import { checkText, leadOf, qualityNotes } from '../../actors/exporter/summary/wording.ts';
import type {
  Evidence,
  OverviewAnswer,
  SummaryEntry,
  SummaryNodeEntry,
} from '../../actors/summarizer/stored/contract.ts';
import { inReadingOrder, type Reached } from '../../actors/summarizer/stored/reading.ts';
import type { Client } from '../../http/client/client.ts';
import { counted } from '../../runtime/text.ts';
import { usageErrors } from '../context.ts';
import { momentAddress } from '../found.ts';
import { html, noteHtml, pageOf } from '../page.ts';
import { inks, minuteText, type Output, printable, wrapped } from '../terminal.ts';

const STEP = 2;
/** Columns that a text has at least, however deep it lies. */
const NARROWEST = 24;

/** File, origin and what stands before the tree; the texts of its nodes come after it, `first` first. */
export function headLines(
  overview: OverviewAnswer,
  others: readonly SummaryEntry[],
  first: SummaryNodeEntry,
  output: Output,
): string {
  const { strong, quiet } = inks(output);
  const { media_path, node_count } = overview;
  const lead = leadOf(overview, first);
  const more = others.map(({ analysis_name }) => printable(analysis_name)).join(', ');
  return lines([
    strong(printable(media_path)),
    quiet(`  ${originText(overview)}, ${counted(node_count, 'node')}`),
    ...(more === '' ? [] : [quiet(`  other summaries of this file, shown with --analysis: ${more}`)]),
    '',
    ...(lead === '' ? [] : [...paragraph(lead, 0, output), '']),
  ]);
}

/** `"general" by extractive, 2026-11-22 13:45` */
export function originText({ analysis_name, summary_model_key, created }: SummaryEntry): string {
  return `"${printable(analysis_name)}" by ${printable(summary_model_key)}, ${minuteText(created)}`;
}

export function nodeLines(
  { node_id, search_range: [start, end], text, failed, verification_hints }: SummaryNodeEntry,
  below: number,
  evidence: Evidence | undefined,
  output: Output,
): string {
  const { strong, quiet } = inks(output);
  const indent = indentOf(below, output);
  const plainer = failed ? quiet('  (less detailed than requested)') : '';
  const hints = verification_hints.map(checkText);
  return lines([
    `${' '.repeat(indent)}${strong(`${clockTime(start)}–${clockTime(end)}`)}  ${quiet(printable(node_id))}${plainer}`,
    ...paragraph(text, indent + STEP, output),
    ...hints.flatMap((hint) => paragraph(hint, indent + STEP, output).map(quiet)),
    ...(evidence ? evidenceTexts(evidence) : []).flatMap((one) =>
      paragraph(one, indent + STEP, output).map(quiet),
    ),
  ]);
}

function evidenceTexts({ frames, transcript, speakers, people, attribution_hints }: Evidence): string[] {
  const row = (name: string, some: readonly string[]) =>
    some.length === 0 ? [] : [`${name}: ${some.join(', ')}`];
  return [
    ...row(
      'Frames',
      frames.map(({ frame_idx }) => clockTime(frame_idx)),
    ),
    ...row('People', people),
    ...row('Speakers', speakers),
    ...transcript.map(
      ({ start_seconds, speaker, text }) =>
        `${clockTime(start_seconds)}  ${speaker === null ? '' : `${speaker}: `}${text.trim()}`,
    ),
    ...attribution_hints,
  ];
}

/** A line for each summary of each file, under the path. */
export function listLines(summaries: readonly SummaryEntry[], output: Output): string {
  const { strong, quiet } = inks(output);
  const ofFile = Map.groupBy(summaries, ({ media_path }) => media_path);
  return [...ofFile]
    .map(([path, some]) =>
      lines([
        strong(printable(path)),
        ...some.flatMap((one) => [
          `  ${originText(one)}  ${quiet(one.analysis_id)}`,
          ...paragraph(one.one_line_summary, 2 * STEP, output),
        ]),
      ]),
    )
    .join('');
}

function indentOf(below: number, { columns }: Output): number {
  return Math.max(0, Math.min(below * STEP, columns - NARROWEST - STEP));
}

function paragraph(text: string, indent: number, { columns }: Output): string[] {
  // White space is not shown as it is: what moves the cursor would be shown as text.
  const plain = printable(text.replace(/\s+/g, ' '));
  const width = Math.max(NARROWEST, columns - indent);
  return wrapped(plain, width).map((line) => `${' '.repeat(indent)}${line}`);
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

// Makes the page of a summary: reads its tree, and brings the pictures of the frames that it was made of.

/** Pictures of a page at most, and of one request; their longest side, px. */
const MOST_PICTURES = 600;
const TOGETHER = 200;
const SIDE = 320;

/** The text of the page. */
export async function pageText(
  client: Client,
  overview: OverviewAnswer,
  walk: Walk,
  cache_dir: string,
): Promise<string> {
  const nodes: DocumentNode[] = [];
  const warnings = new Set(overview.quality.warnings);
  for await (const { answer, below } of walked(client, overview, { ...walk, evidence: true })) {
    const { node, evidence = null, quality } = answer;
    for (const warning of quality.warnings) warnings.add(warning);
    nodes.push({ node, below, evidence });
    if (nodes.length > mostDocumentNodes) {
      const what = `a page can show at most ${mostDocumentNodes} nodes`;
      throw usageErrors.USAGE(
        `${what}: show fewer levels with --depth, or start at a deeper node with --node`,
      );
    }
  }
  const moments = momentsOf(nodes);
  const some = [...moments].slice(0, MOST_PICTURES);
  const pictures = new Map<string, Picture>();
  for (let at = 0; at < some.length; at += TOGETHER) {
    const part = some.slice(at, at + TOGETHER);
    const requests = part.map(([, time_seconds]) => ({ media_path: overview.media_path, time_seconds }));
    const { thumbnails } = await client.thumbnails({ cache_dir, requests, max_size: SIDE });
    for (const [i, [id, seconds]] of part.entries()) {
      const jpeg = thumbnails[i]?.thumbnail;
      if (jpeg) pictures.set(id, { seconds, jpeg });
    }
  }
  const left = moments.size - some.length;
  const notes = [
    ...qualityNotes(overview.quality, [...warnings]),
    ...(left > 0 ? [`${left} more nodes have no picture on this page`] : []),
  ];
  return summaryPage({ overview, nodes, pictures, notes });
}

/**
 * By id: for a leaf the first frame it was made of; for a chapter that is no leaf the one of the leaf in its
 * middle. Chapters come first.
 */
function momentsOf(nodes: readonly DocumentNode[]): Map<string, number> {
  const leaves = nodes.filter(({ node }) => node.is_leaf);
  const seconds = ({ node, evidence }: DocumentNode) =>
    evidence?.frames[0]?.frame_idx ?? Math.floor((node.search_range[0] + node.search_range[1]) / 2);
  const chapters = nodes.flatMap(({ node, below }): [string, number][] => {
    if (node.is_leaf || below !== 1) return [];
    const [start, end] = node.search_range;
    const middle = (start + end) / 2;
    const leaf = leaves.find(
      ({
        node: {
          search_range: [from, to],
        },
      }) => from <= middle && middle < to,
    );
    return [[node.node_id, leaf ? seconds(leaf) : Math.floor(middle)]];
  });
  return new Map([...chapters, ...leaves.map((one): [string, number] => [one.node.node_id, seconds(one)])]);
}

// The nodes of a summary as a command reads them: from the root or a node on, down to a level.

export interface Walk {
  readonly cache_dir: string;
  /** Null: the root. */
  readonly node: string | null;
  readonly depth: number;
  readonly evidence: boolean;
}

export function walked(
  client: Client,
  { summary_ref, root, quality }: OverviewAnswer,
  { cache_dir, node, depth, evidence }: Walk,
): AsyncGenerator<Reached, void> {
  return inReadingOrder(node ?? root.node_id, depth, async (node_id) => {
    // It came with the overview.
    if (node_id === root.node_id && !(evidence && root.is_leaf)) {
      return { summary_ref, node: root, children: root.children, quality };
    }
    return client.summaryNode({ cache_dir, summary_ref, node_id, include_evidence: evidence });
  });
}

// A summary as one page with its pictures in it, for a browser or a printer.

/** A moment of the film. */
interface Picture {
  readonly seconds: number;
  /** JPEG as base64. */
  readonly jpeg: string;
}

interface PageParts {
  readonly overview: OverviewAnswer;
  /** In the order in which they are read. */
  readonly nodes: readonly DocumentNode[];
  /** By id of the node. */
  readonly pictures: ReadonlyMap<string, Picture>;
  readonly notes: readonly string[];
}

function summaryPage({ overview, nodes, pictures, notes }: PageParts): string {
  const { media_path, media_basename } = overview;
  const link = html(momentAddress(media_path, null));
  const about = `<p class="about"><a href="${link}">${html(media_path)}</a><br>${html(originText(overview))}</p>`;
  const lead = leadOf(overview, nodes[0]?.node);
  const short = lead === '' ? '' : `<p class="short" dir="auto">${html(lead)}</p>`;
  const parts: string[] = [];
  // Elements that are open, by their level.
  let open = 0;
  for (const one of nodes) {
    for (; open > one.below; open--) parts.push('</section>');
    parts.push(nodeHtml(one, media_path, pictures.get(one.node.node_id)));
    open = one.below + 1;
  }
  const tree = `${parts.join('\n')}${'</section>'.repeat(open)}`;
  const body = `${about}${notes.map(noteHtml).join('\n')}${short}<main>${tree}</main>`;
  return pageOf(`Summary: ${media_basename}`, body, style);
}

/** Left open: what is below it comes within. */
function nodeHtml(
  { node, below, evidence }: DocumentNode,
  path: string,
  picture: Picture | undefined,
): string {
  const [start, end] = node.search_range;
  const heading = Math.min(6, below + 2);
  const times = `${clockTime(start)}–${clockTime(end)}`;
  const failed = node.failed ? ' <span class="quiet">less detailed than requested</span>' : '';
  const hints = node.verification_hints.map((hint) => `<p class="quiet">${html(checkText(hint))}</p>`);
  const who = [...new Set([...(evidence?.people ?? []), ...(evidence?.speakers ?? [])])];
  const people = who.length > 0 ? `<p class="quiet">${html(who.join(', '))}</p>` : '';
  return `<section class="${below === 0 ? 'first' : below === 1 ? 'chapter' : 'part'}">${pictureHtml(picture, path)}
<h${heading}><a href="${html(momentAddress(path, start))}">${times}</a>${failed}</h${heading}>
<p dir="auto">${html(node.text)}</p>${people}${hints.join('')}`;
}

function pictureHtml(picture: Picture | undefined, path: string): string {
  if (picture === undefined) return '';
  const { seconds, jpeg } = picture;
  const image = `<img loading="lazy" src="data:image/jpeg;base64,${html(jpeg)}" alt="${clockTime(seconds)}">`;
  return `<a class="picture" href="${html(momentAddress(path, seconds))}">${image}</a>`;
}

const style = `body{max-width:900px;margin:24px auto;padding:0 24px;line-height:1.5}.about,.quiet{color:var(--quiet);overflow-wrap:anywhere}.short{font-size:16px}
main p{margin:2px 0 6px;overflow-wrap:anywhere}h2,h3,h4,h5,h6{margin:0;font-size:14px;font-variant-numeric:tabular-nums}h2 a,h3 a{font-size:16px}.quiet{font-weight:400;font-size:12px}
section{clear:both;display:flow-root}.chapter{margin-top:20px;padding-top:14px;border-top:1px solid var(--box)}.part{margin:10px 0 0 4px;padding-left:14px;border-left:2px solid var(--box)}
.picture{float:right;margin:0 0 8px 16px}.picture img{display:block;width:200px;max-height:200px;object-fit:contain;border-radius:6px;background:var(--box)}.part .picture img{width:140px}
@media(max-width:520px){.picture{float:none;display:block;margin:0 0 6px}}
@media print{body{max-width:none;padding:0}h2,h3,h4,h5,h6{break-after:avoid}.picture{break-inside:avoid}.picture img{width:35mm}.part .picture img{width:25mm}}`;
