// What the analysis takes on the disk, and what is stored of files that are gone.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { attempt } from '../../attempt.ts';
import { loadFolder } from '../../folder.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { get, useStore } from '../../store.ts';
import { toast } from '../../toasts.ts';
import { library } from '../../words/library.ts';
import { disk as words } from '../../words/tasks.ts';
import { t } from '../../words.ts';
import { Losses } from './forget-dialog.ts';
import { sizeText } from './sizes.ts';

const kinds = ['records', 'vectors', 'people', 'previews', 'unfinished'] as const;

export function Disk() {
  const cache_dir = useStore((state) => state.folder.cache_dir);
  const asked = useAsk(cache_dir === null ? null : (signal) => api.libraryDisk({ cache_dir }, { signal }), [
    cache_dir,
  ]);
  if (asked.value === null || cache_dir === null)
    return asked.state === 'failed'
      ? html`<${Failed} error=${asked.error} again=${asked.again} />`
      : html`<${Loading} />`;
  const { analysis, models } = asked.value;
  const { language } = get();
  const most = Math.max(1, analysis.bytes);
  const dead = analysis.models.reduce(
    (sum, { bytes, vectors, dead_vectors }) => sum + (vectors > 0 ? (bytes * dead_vectors) / vectors : 0),
    0,
  );
  const line = (label: string, bytes: number) =>
    html`<tr><th scope="row">${label}</th><td class="bar"><meter aria-label=${label} max=${most} value=${bytes}></meter></td><td class="figures">${sizeText(bytes, language)}</td></tr>`;
  return html`<div class="part column">
    <section class="panel column">
      <h2>${t(words.total, { size: sizeText(analysis.bytes, language) })}</h2>
      <p class="quiet whole-path">${analysis.folder}</p>
      <table><tbody>${kinds.map((kind) => line(t(words[kind]), analysis[`${kind}_bytes`]))}</tbody></table>
      ${dead > 0 && html`<p class="quiet">${t(words.dead, { size: sizeText(dead, language) })}</p>`}
    </section>
    <section class="panel column"><h2>${t(words.models)}: ${sizeText(models.bytes, language)}</h2><p class="quiet whole-path">${models.folder}</p></section>
    <${Gone} cache_dir=${cache_dir} again=${asked.again} />
  </div>`;
}

type Found = Awaited<ReturnType<typeof api.pruneLibrary>>;

function Gone({ cache_dir, again }: { readonly cache_dir: string; again(): void }) {
  const [found, setFound] = useState<Found | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async (dry_run: boolean) => {
    setBusy(true);
    await attempt(async () => {
      const answer = await api.pruneLibrary({ cache_dir, dry_run });
      setFound(dry_run ? answer : null);
      if (dry_run) return;
      toast(t(library.forgotten, { n: answer.forgotten.length }));
      void loadFolder();
      again();
    });
    setBusy(false);
  };
  const n = found ? found.forgotten.length + found.paths_gone.length : 0;
  return html`<section class="panel column"><h2>${t(words.gone)}</h2><p class="quiet">${t(words.goneHow)}</p>
    ${
      found &&
      html`<div role="status"><p>${t(words.lookedAt, { n: found.looked_at })}${n === 0 && ` – ${t(words.noneGone)}`}</p>
      ${found.skipped.map(({ reason, count, example }) => html`<p title=${example}>${t(words.skipped, { n: count, reason })}</p>`)}
      ${found.forgotten.length > 0 && html`<${Losses} losses=${found} />`}
      ${found.paths_gone.length > 0 && html`<p>${t(words.pathsGone, { n: found.paths_gone.length })}</p>`}</div>`
    }
    <div class="row"><button disabled=${isBusy} onClick=${() => run(true)}>${t(words.look)}</button>
      ${n > 0 && html`<button class="primary danger" disabled=${isBusy} onClick=${() => run(false)}>${t(library.forgetDo)}</button>`}</div>
  </section>`;
}
