// A summary as one page with its pictures in it, for a browser or a printer.
import { clockTime } from '../../actors/decoder/contract.ts';
import type { DocumentNode } from '../../actors/exporter/summary/contract.ts';
import { checkText, leadOf } from '../../actors/exporter/summary/wording.ts';
import type { OverviewAnswer } from '../../actors/summaries/contract.ts';
import { html, noteHtml, pageOf } from '../page.ts';
import { momentAddress } from '../place.ts';
import { originText } from './lines.ts';

/** A moment of the film. */
export interface Picture {
  readonly seconds: number;
  /** JPEG as base64. */
  readonly jpeg: string;
}

export interface PageParts {
  readonly overview: OverviewAnswer;
  /** In the order in which they are read. */
  readonly nodes: readonly DocumentNode[];
  /** By id of the node. */
  readonly pictures: ReadonlyMap<string, Picture>;
  readonly notes: readonly string[];
}

export function summaryPage({ overview, nodes, pictures, notes }: PageParts): string {
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
