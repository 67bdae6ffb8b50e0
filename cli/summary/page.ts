// Makes the page of a summary: reads its tree, and brings the pictures of the frames that it was made of.

import { clockTime } from '../../actors/decoder/contract.ts';
import { type DocumentNode, mostDocumentNodes } from '../../actors/exporter/summary/contract.ts';
import { qualityNotes } from '../../actors/exporter/summary/quality-notes.ts';
import { checkText, leadOf } from '../../actors/exporter/summary/wording.ts';
import type { OverviewAnswer } from '../../actors/summarizer/stored/contract.ts';
import { inReadingOrder, type Reached } from '../../actors/summarizer/stored/reading-order.ts';
import type { Client } from '../../http/client/client.ts';
import { usageErrors } from '../context.ts';
import { html, noteHtml, pageOf } from '../page.ts';
import { momentAddress } from '../place.ts';
import { originText } from './lines.ts';

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
