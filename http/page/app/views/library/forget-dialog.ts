// What would be forgotten is shown before it is.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { ApiError, api, messageOf } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { loadFolder } from '../../folder.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { get } from '../../store.ts';
import { nameOf } from '../../times.ts';
import { toast } from '../../toasts.ts';
import { library } from '../../words/library.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { listing, nothing, refresh } from './listing.ts';
import type { Row } from './rows.ts';
import { sizeText } from './sizes.ts';

const SHOWN = 8;
/** Paths that the service takes at once. */
const MOST = 10_000;

export interface ForgetDialogProps {
  readonly rows: readonly Row[];
  close(): void;
}

export function ForgetDialog({ rows, close }: ForgetDialogProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const body = {
    cache_dir: get().folder.cache_dir!,
    media_paths: rows.slice(0, MOST).map(({ path }) => path),
  };
  const found = useAsk((signal) => forgetting(body, signal), [rows]);
  const forget = async () => {
    setBusy(true);
    try {
      const { forgotten } = await api.forgetMedia({ ...body, dry_run: false });
      toast(t(library.forgotten, { n: forgotten.length }));
      listing.update({ chosen: nothing });
      refresh();
      void loadFolder();
      close();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  const n = found.value?.forgotten.length ?? 0;
  const isReady = found.value !== null;
  return html`<${Dialog} title=${t(library.forgetTitle)} onClose=${close}>
    ${!isReady && (found.state === 'failed' ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} label=${t(library.forgetLooking)} />`)}
    ${isReady && (n === 0 ? html`<p>${t(library.nothingToForget)}</p>` : html`<${Losses} losses=${found.value!} />`)}
    <p class="problem" role="alert">${problem}</p>
    <div class="row wrap">${n > 0 && html`<button class="primary danger" disabled=${isBusy} onClick=${forget}>${t(library.forgetDo)}</button>`}
      <button autofocus onClick=${close}>${t(n > 0 ? shell.cancel : shell.close)}</button></div>
  <//>`;
}

type Losses = Pick<Awaited<ReturnType<typeof api.forgetMedia>>, 'forgotten' | 'clusterings_gone'>;

/** Nothing, where the folder knows none of them. */
async function forgetting(
  body: { readonly cache_dir: string; readonly media_paths: readonly string[] },
  signal: AbortSignal,
): Promise<Losses> {
  try {
    return await api.forgetMedia({ ...body, dry_run: true }, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { forgotten: [], clusterings_gone: [] };
    throw error;
  }
}

export function Losses({ losses: { forgotten, clusterings_gone } }: { readonly losses: Losses }) {
  const sum = (of: (one: Losses['forgotten'][number]) => number) =>
    forgotten.reduce((all, one) => all + of(one), 0);
  const bytes = sum(({ preview_bytes }) => preview_bytes);
  const parts = [
    [library.forgetFrames, sum(({ frames }) => frames)],
    [library.forgetTranscripts, sum(({ transcript }) => (transcript ? 1 : 0))],
    [library.forgetFaces, sum(({ faces }) => faces)],
    [library.forgetSummaries, sum(({ summaries }) => summaries)],
  ] as const;
  const texts = parts.filter(([, n]) => n > 0).map(([words, n]) => t(words, { n }));
  if (bytes > 0) texts.push(t(library.forgetPreviews, { size: sizeText(bytes, get().language) }));
  const n = forgotten.length;
  return html`<p>${t(library.forgetSure, { n })}</p><p>${texts.join(', ')}</p>
    <ul class="quiet-list">${forgotten.slice(0, SHOWN).map(({ media_paths }) => html`<li class="cut" title=${media_paths.join('\n')}>${media_paths.map(nameOf).join(', ')}</li>`)}
      ${n > SHOWN && html`<li>${t(library.moreMedia, { n: n - SHOWN })}</li>`}</ul>
    ${forgotten.some(({ media_paths }) => media_paths.length > 1) && html`<p class="quiet">${t(library.forgetCopies)}</p>`}
    ${clusterings_gone.length > 0 && html`<p class="problem">${t(library.clusteringsGone, { names: clusterings_gone.join(', ') })}</p>`}`;
}
