// How far a download is, and what became of one that failed.
import { html } from 'htm/preact';
import { waitingText } from '../../parts/task-words.ts';
import { get, useStore } from '../../store.ts';
import { settings } from '../../words/settings.ts';
import { t } from '../../words.ts';
import { sizeText } from '../library/sizes.ts';
import { cancelDownload, type Download, type Lacking, type LackingFile } from './downloads.ts';

export function Progress({ model, download }: { readonly model: string; readonly download: Download }) {
  const { phase, received, total, key, task_id } = download;
  const waits = useStore(({ tasks }) => waitingText(tasks, task_id));
  const { language } = get();
  const isOwn = key === model;
  const text =
    isOwn && phase === 'receiving'
      ? t(settings.downloading, { got: sizeText(received, language), all: sizeText(total, language) })
      : t(settings[isOwn && phase !== 'receiving' ? phase : 'waiting']);
  return html`<div class="row wrap" role="group" aria-label=${t(settings.downloadOf, { name: model })}>
    ${waits === null && html`<progress class="grow" max=${Math.max(1, total)} value=${isOwn ? received : 0} aria-label=${model}></progress>`}
    <p class=${waits === null ? 'figures' : 'grow'}>${waits ?? text}</p><button onClick=${() => void cancelDownload(task_id)}>${t(settings.cancelDownload)}</button></div>`;
}

export function Missing({
  name,
  lacking: { error, folder, files },
}: {
  readonly name: string;
  readonly lacking: Lacking;
}) {
  return html`<div class="problem" role="alert"><p>${t(settings.downloadFailed, { name })}: ${error}</p></div>
    ${
      files.length > 0 &&
      html`<details><summary>${t(settings.byHand, { folder })}</summary><ul>${files.map((file) => html`<li key=${file.name} class="whole-path"><${MissingFile} file=${file} /></li>`)}</ul></details>`
    }`;
}

function MissingFile({ file: { name, url, npm, sha256, integrity } }: { readonly file: LackingFile }) {
  const from =
    url === null ? html`<code>npm pack ${npm}</code>` : html`<a href=${url} rel="noreferrer">${url}</a>`;
  const sum = sha256 === null ? integrity : `sha256 ${sha256}`;
  return html`${name}: ${from}${sum !== null && html`<br /><span class="quiet">${sum}</span>`}`;
}
