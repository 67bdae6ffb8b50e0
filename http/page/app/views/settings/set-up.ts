// The dialog of what can be set up: each with what it is for, its size and licence, and one button.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { attempt } from '../../attempt.ts';
import { loadFolder } from '../../folder.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Icon } from '../../parts/icon.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { routeHash, type ViewName } from '../../route.ts';
import { get, update } from '../../store.ts';
import { toast } from '../../toasts.ts';
import { settings } from '../../words/settings.ts';
import { setup } from '../../words/setup.ts';
import { t } from '../../words.ts';
import { sizeText } from '../library/sizes.ts';
import { Missing, Progress } from './download-state.ts';
import { downloads, startDownload, useDownloads } from './downloads.ts';
import { isLacking, type ModelSet, modelSets } from './sets.ts';

const close = () => update({ showsSetUp: false });

export function SetUpDialog() {
  const answer = useAsk((signal) => api.availableModels({}, { signal }), []);
  useDownloads(answer.again);
  const link = (view: ViewName, text: string) =>
    html`<a href=${routeHash({ view, argument: '' })} onClick=${close}>${text}</a>`;
  return html`<${Dialog} title=${t(setup.title)} onClose=${close}>
    <p class="quiet">${t(setup.how)}</p>
    ${answer.value === null && (answer.state === 'failed' ? html`<${Failed} error=${answer.error} again=${answer.again} />` : html`<${Loading} />`)}
    ${answer.value && modelSets(answer.value).map((set) => html`<${OneSet} key=${set.name} set=${set} again=${answer.again} />`)}
    <div class="row wrap">${link('library', t(setup.toLibrary))} ${link('settings', t(setup.more))}</div>
  <//>`;
}

interface OneSetProps {
  readonly set: ModelSet;
  again(): void;
}

function OneSet({ set, again }: OneSetProps) {
  const { name, keys, bytes, licenses } = set;
  const download = downloads.use(
    ({ active }) => active.find((one) => keys.some((key) => one.keys.includes(key))) ?? null,
  );
  const failed = downloads.use((state) => state.failed);
  const size = sizeText(bytes, get().language);
  const lost = download === null ? set.missing.filter((key) => failed[key] !== undefined) : [];
  // The whole text, with what is known of the training, on demand.
  const names = [...new Set(licenses.map((one) => one.split(/[,;]/)[0]))].join(', ');
  return html`<section class="set column" aria-label=${t(setup[name])}>
    <div class="row wrap"><div class="grow"><h3>${t(setup[name])}</h3><p class="quiet">${t(setup[`${name}How`])}</p></div>
      ${download === null && html`<${Action} set=${set} size=${size} again=${again} />`}</div>
    ${download && html`<${Progress} model=${download.key} download=${download} />`}
    ${lost.map((key) => html`<${Missing} key=${key} name=${key} lacking=${failed[key]} />`)}
    <details class="quiet"><summary>${t(setup.licenses, { n: licenses.length, names })}${!isLacking(set) && ` · ${size}`}</summary>
      <p>${keys.join(', ')}</p>${licenses.map((one) => html`<p>${one}</p>`)}</details>
  </section>`;
}

function Action({ set, size, again }: OneSetProps & { readonly size: string }) {
  const [isBusy, setBusy] = useState(false);
  const { name, missing, unused } = set;
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    await attempt(work);
    setBusy(false);
  };
  const use = async (key: string) => {
    await api.loadModel({ model_key: key });
    toast(t(settings.used, { name: key }));
    void loadFolder();
    again();
  };
  if (missing.length > 0)
    return html`<button class="primary" disabled=${isBusy} aria-label=${t(setup.downloadOf, { size, name: t(setup[name]) })}
      onClick=${() => void act(() => startDownload(missing))}>${t(setup.download, { size })}</button>`;
  if (unused !== null)
    return html`<button class="primary" disabled=${isBusy} onClick=${() => void act(() => use(unused))}>${t(settings.use)}</button>`;
  return html`<p class="set-there"><${Icon} name="check" /> ${t(settings.downloaded)}</p>`;
}
