// The contact sheet of a clustering: one page with every picture in it, for a browser or a printer.
import type { FaceClusterJob } from '../../actors/people/contract.ts';
import { html, noteHtml, pageOf } from '../page.ts';
import { faces, jobLine, madeLine } from './lines.ts';

/** A cluster, or the faces in none. */
export interface Card {
  /** Null: the faces in no cluster. */
  readonly cluster_id: string | null;
  /** Empty without one. */
  readonly name: string;
  readonly size: number;
  /** JPEG as base64. */
  readonly pictures: readonly string[];
  /** Aligned with `pictures`, shown below each; none where they are not asked for. */
  readonly entry_ids: readonly string[];
}

export function faceSheet(job: FaceClusterJob, cards: readonly Card[], notes: readonly string[]): string {
  const about = `<p class="about">${html(jobLine(job))}<br>${html(madeLine(job))}</p>`;
  const none = cards.length === 0 ? '<p>There are no clusters to show.</p>' : '';
  const body = `${about}${notes.map(noteHtml).join('\n')}${none}<main>${cards.map(cardHtml).join('\n')}</main>`;
  return pageOf(`Faces: ${job.name}`, body, style);
}

function cardHtml({ cluster_id, name, size, pictures, entry_ids }: Card): string {
  const title = cluster_id === null ? 'In no cluster' : name === '' ? 'No name' : name;
  const id = cluster_id === null ? '' : ` <code>${html(cluster_id)}</code>`;
  const unnamed = name === '' ? ' class="unnamed"' : '';
  const shown = pictures.map((picture, i) => pictureHtml(picture, title, i, entry_ids[i]));
  const part = pictures.length < size ? `, ${pictures.length} shown` : '';
  const lost = pictures.length === 0 && size > 0 ? '<span class="lost">no picture stored</span>' : '';
  return `<section><h2${unnamed}><bdi>${html(title)}</bdi>${id} <span class="size">${faces(size)}${part}</span></h2>
<div class="faces">${shown.join('')}${lost}</div></section>`;
}

/** An entry id is what `faces move` takes; a click selects all of it. */
function pictureHtml(picture: string, title: string, index: number, entry: string | undefined): string {
  const image = `<img loading="lazy" src="data:image/jpeg;base64,${html(picture)}" alt="${html(title)}, ${index + 1}">`;
  if (entry === undefined) return image;
  return `<figure>${image}<figcaption><code>${html(entry)}</code></figcaption></figure>`;
}

const style = `.about{color:var(--quiet);overflow-wrap:anywhere}main{display:grid;gap:20px;margin-top:20px}section{break-inside:avoid}
h2{font-size:16px;margin:0 0 8px;overflow-wrap:anywhere}h2.unnamed bdi{font-weight:400;color:var(--quiet)}
.size{font-weight:400;color:var(--quiet)}code{font:12px ui-monospace,Menlo,Consolas,monospace;color:var(--quiet);user-select:all;overflow-wrap:anywhere}
.faces{display:flex;flex-wrap:wrap;gap:6px;align-items:flex-start}img{width:80px;height:80px;object-fit:cover;border-radius:6px;display:block;background:var(--box)}
figure{margin:0;width:120px}figure img{width:120px;height:120px}figcaption{line-height:1.2;padding-top:2px}figcaption code{font-size:10px}
.lost{color:var(--quiet)}@media print{img{width:16mm;height:16mm}}`;
