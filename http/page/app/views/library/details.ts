// Below the list: the row in question with its whole path, what is known of it, and why it failed.
import { html } from 'htm/preact';
import { Icon } from '../../parts/icon.ts';
import { get } from '../../store.ts';
import { library } from '../../words/library.ts';
import { t } from '../../words.ts';
import { type ListedFile, type Row, reasonOf } from './rows.ts';
import { dateText, sizeText } from './sizes.ts';

export interface DetailsProps {
  readonly row: Row | undefined;
  open(row: Row): void;
}

export function Details({ row, open }: DetailsProps) {
  if (!row) return null;
  const isPlayable = row.kind === 'file' && row.file.hash_str !== null;
  return html`<section class="details" aria-live="polite">
    <div class="grow">
      <p class="whole-path">${row.path}</p>
      ${row.kind === 'folder' ? html`<p class="quiet">${row.analysed > 0 ? t(library.analysed, { n: row.analysed }) : t(library.notAnalysed)}</p>` : html`<${OfFile} file=${row.file} />`}
    </div>
    ${(row.kind === 'folder' || isPlayable) && html`<button onClick=${() => open(row)}>${t(isPlayable ? library.open : library.openFolder)}</button>`}
  </section>`;
}

function OfFile({ file }: { readonly file: ListedFile }) {
  const { visual, transcript, faces, summaries, failure, size_bytes, modified_at } = file;
  const { language } = get();
  const known = [
    ...(visual.length > 0 ? [`${t(library.picture)}: ${visual.join(', ')}`] : []),
    ...(transcript !== null ? [`${t(library.speech)}: ${transcript}`] : []),
    ...(faces ? [`${t(library.faces)}: ${t(library.facesDone)}`] : []),
    ...(summaries > 0 ? [`${t(library.summaries)}: ${summaries}`] : []),
  ];
  const measures = [
    ...(size_bytes !== null ? [sizeText(size_bytes, language)] : []),
    ...(modified_at !== null ? [dateText(modified_at, language)] : []),
  ];
  const told = [...(known.length > 0 ? known : [t(library.notAnalysed)]), ...measures];
  return html`<p class="quiet">${told.join(' · ')}</p>
    ${failure && html`<p class="problem"><${Icon} name="warning" /> ${t(library.failed, { error: reasonOf(failure.message, file.media_path) })} <span class="quiet">(${failure.code})</span></p>`}`;
}
