// The dialog of what can be set up, like `framehound setup`: each with what it is for, its size and licence,
// and one button for all.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { type Api, api, useAsk } from '../../api.ts';
import { Dialog, Failed, Icon, Loading } from '../../parts.ts';
import { routeHash, type ViewName } from '../../route.ts';
import { get, update, useStore } from '../../store.ts';
import { waitingText } from '../../tasks.ts';
import { clock, sizeText } from '../../times.ts';
import { attempt } from '../../toasts.ts';
import { settings, setup } from '../../words/settings.ts';
import { t } from '../../words.ts';
import {
  bringIntoUse,
  type Download,
  type DownloadSizes,
  downloads,
  Missing,
  startDownload,
  useDownloads,
  wholeOf,
} from './downloads.ts';

// Sets of models to set up, from the list of models.

type Models = Awaited<ReturnType<Api['availableModels']>>;
type SetupChoice = Models['setup'][number];
type SetName = SetupChoice['kind'];

interface ModelSet extends SetupChoice {
  /** Another choice of its kind is the usual one. */
  readonly isLarger: boolean;
  /** The one that is there, and has to be brought into use. */
  readonly unused: string | null;
  /** Download size of the missing models; size on the disk if none is missing. */
  readonly bytes: number;
  /** Each once. */
  readonly licenses: readonly string[];
}

interface Info {
  readonly size_gb: number;
  readonly download_gb: number;
  readonly license: string;
}

/** Without those of which this machine runs no model. */
export function modelSets(models: Models): ModelSet[] {
  const infos = infosOf(models);
  const { setup: choices, loaded_model } = models;
  // Models that are part of the program have no size.
  const isOwn = loaded_model !== null && infos.get(loaded_model)?.size_gb === 0;
  return choices.map((choice, at) => {
    const { kind, model_keys, missing_keys, download_bytes } = choice;
    const isThere = missing_keys.length === 0;
    const shown = (isThere ? model_keys : missing_keys).flatMap((key) => infos.get(key) ?? []);
    const bytesOnDisk = shown.reduce((sum, { size_gb }) => sum + 1e9 * size_gb, 0);
    return {
      ...choice,
      isLarger: choices.findIndex((candidate) => candidate.kind === kind) < at,
      unused: kind === 'descriptions' && isThere && isOwn ? model_keys[0]! : null,
      bytes: isThere ? bytesOnDisk : download_bytes,
      licenses: [...new Set(shown.map(({ license }) => license))],
    };
  });
}

function infosOf({ model_info, sight, faces, speech }: Models): Map<string, Info> {
  const all = [model_info, sight.model_info, faces.model_info, speech.model_info].flat();
  return new Map(all.flatMap((group) => Object.entries<Info>(group)));
}

/** Something of it is to be done. */
export function isLacking({ missing_keys, unused }: Pick<ModelSet, 'missing_keys' | 'unused'>): boolean {
  return missing_keys.length > 0 || unused !== null;
}

/** The sets that keys as POST /models/pull takes them are of, where words were not understood. */
export function setsOf(model_keys: readonly string[]): SetName[] {
  return [
    ...new Set(
      model_keys.flatMap((key): SetName[] => (key === 'sight' ? ['things', 'words'] : ['descriptions'])),
    ),
  ];
}

const close = () => update({ showsSetUp: false });

/** The sets, each with a tick and its size, and one button and one progress for all. */
export function ModelSets() {
  const answer = useAsk((signal) => api.availableModels({}, { signal }), []);
  /** Names of sets whose tick a person has changed. */
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const active = downloads.use((state) => state.active);
  useDownloads(answer.again);
  if (answer.value === null)
    return answer.state === 'failed'
      ? html`<${Failed} error=${answer.error} again=${answer.again} />`
      : html`<${Loading} />`;
  const sets = modelSets(answer.value);
  const isComing = ({ missing_keys }: ModelSet) =>
    active.some(({ keys }) => missing_keys.some((key) => keys.includes(key)));
  const isTicked = (set: ModelSet) => set.is_advised !== changed.has(nameOfSet(set));
  const chosen = sets.filter((set) => set.missing_keys.length > 0 && !isComing(set) && isTicked(set));
  const missing = [...new Set(chosen.flatMap(({ missing_keys }) => missing_keys))];
  const size = sizeText(
    chosen.reduce((sum, { bytes }) => sum + bytes, 0),
    get().language,
  );
  const start = async () => {
    setBusy(true);
    await attempt(() => startDownload(missing));
    setBusy(false);
  };
  const toggle = (set: ModelSet) => {
    const next = new Set(changed);
    if (!next.delete(nameOfSet(set))) next.add(nameOfSet(set));
    setChanged(next);
  };
  const sizes = downloadSizes(answer.value);
  return html`${sets.map(
    (
      set,
    ) => html`<${OneSet} key=${nameOfSet(set)} set=${set} isTicked=${isTicked(set)} isComing=${isComing(set)}
      toggle=${() => toggle(set)} again=${answer.again} />`,
  )}
    ${active.map((download) => html`<${SetsProgress} key=${download.task_id} download=${download} sizes=${sizes} />`)}
    ${
      (chosen.length > 0 || (active.length === 0 && sets.some((set) => set.missing_keys.length > 0))) &&
      html`<div class="row"><button class="primary" disabled=${isBusy || missing.length === 0} onClick=${() => void start()}>${t(setup.download, { size })}</button></div>`
    }`;
}

function nameOfSet({ model_keys }: ModelSet): string {
  return model_keys.join();
}

function titleOf({ kind, isLarger }: ModelSet): string {
  return isLarger ? t(setup.larger, { name: t(setup[kind]) }) : t(setup[kind]);
}

function downloadSizes(models: Models): DownloadSizes {
  const there = [models, models.sight, models.faces, models.speech].flatMap(
    (group) => group.downloaded_models,
  );
  const sizes = [...infosOf(models)].map(
    ([key, { download_gb }]) => [key, { bytes: 1e9 * download_gb, isThere: there.includes(key) }] as const,
  );
  return new Map(sizes);
}

export function SetUpDialog() {
  const link = (view: ViewName, text: string) =>
    html`<a href=${routeHash({ view, argument: '' })} onClick=${close}>${text}</a>`;
  return html`<${Dialog} title=${t(setup.title)} onClose=${close}>
    <p class="quiet">${t(setup.how)}</p>
    <${ModelSets} />
    <div class="row wrap">${link('library', t(setup.toLibrary))} ${link('settings', t(setup.more))}</div>
  <//>`;
}

interface OneSetProps {
  readonly set: ModelSet;
  readonly isTicked: boolean;
  readonly isComing: boolean;
  toggle(): void;
  again(): void;
}

function OneSet({ set, isTicked, isComing, toggle, again }: OneSetProps) {
  const { kind, model_keys, missing_keys, bytes, licenses, is_measured } = set;
  const failed = downloads.use((state) => state.failed);
  const title = titleOf(set);
  const size = sizeText(bytes, get().language);
  const lost = isComing ? [] : missing_keys.filter((key) => failed[key] !== undefined);
  // The whole text, with what is known of the training, on demand.
  const names = [...new Set(licenses.map((license) => license.split(/[,;]/)[0]))].join(', ');
  const head = html`<h3>${title}</h3><p class="quiet">${t(setup[`${kind}How`])}${!is_measured && ` (${t(setup.unmeasured)})`}</p>`;
  const isThere = missing_keys.length === 0;
  return html`<section class="set column" aria-label=${title}>
    <div class="row wrap">${
      isThere
        ? html`<div class="grow">${head}</div><${Present} set=${set} again=${again} />`
        : html`<label class="grow row"><input type="checkbox" checked=${isTicked || isComing} disabled=${isComing} onChange=${toggle} aria-label=${title} /><div class="grow">${head}</div></label><span class="figures">${size}</span>`
    }</div>
    ${lost.map((key) => html`<${Missing} key=${key} name=${key} lacking=${failed[key]} />`)}
    <details class="quiet"><summary>${t(setup.licenses, { n: licenses.length, names })}${!isLacking(set) && ` · ${size}`}</summary>
      <p>${model_keys.join(', ')}</p>${licenses.map((license) => html`<p>${license}</p>`)}</details>
  </section>`;
}

function Present({ set: { unused }, again }: Pick<OneSetProps, 'set' | 'again'>) {
  const [isBusy, setBusy] = useState(false);
  if (unused === null)
    return html`<p class="set-there"><${Icon} name="check" /> ${t(settings.downloaded)}</p>`;
  const use = async () => {
    setBusy(true);
    await attempt(() => bringIntoUse(unused).then(again));
    setBusy(false);
  };
  return html`<button class="primary" disabled=${isBusy} onClick=${() => void use()}>${t(settings.use)}</button>`;
}

interface SetsProgressProps {
  readonly download: Download;
  readonly sizes: DownloadSizes;
}

/** All models of a download as one bar. */
function SetsProgress({ download, sizes }: SetsProgressProps) {
  const { task_id, phase, rate, key } = download;
  const waits = useStore(({ tasks }) => waitingText(tasks, task_id));
  const { language } = get();
  const { received, total } = wholeOf(download, sizes);
  const texts = [
    t(settings.downloading, { got: sizeText(received, language), all: sizeText(total, language) }),
    ...(rate ? [t(setup.rate, { size: sizeText(rate, language) })] : []),
    ...(rate ? [t(setup.remaining, { time: clock(Math.ceil((total - received) / rate)) })] : []),
    phase === 'receiving' ? key : `${key}: ${t(settings[phase])}`,
  ];
  return html`<div class="row wrap" role="group" aria-label=${t(setup.progress)}>
    ${waits === null && html`<progress class="grow" max=${Math.max(1, total)} value=${received} aria-label=${t(setup.progress)}></progress>`}
    <p class=${waits === null ? 'figures' : 'grow'}>${waits ?? texts.join(' · ')}</p>
    <button onClick=${() => void attempt(() => api.cancelTask({ task_id }))}>${t(settings.cancelDownload)}</button></div>`;
}

// The one way out where something cannot be found or done without a download: a button that opens the dialog
// of what can be set up.

/** True if one of the sets is missing; null while it is unknown. Read again when the dialog is closed. */
export function useLacking(names: readonly SetName[]): boolean | null {
  const lacking = useLackingOf(names);
  return lacking && lacking.length > 0;
}

/** The sets that are not there; none while nobody knows. */
export function useLackingSets<N extends SetName>(names: readonly N[]): readonly N[] {
  return useLackingOf(names) ?? [];
}

function useLackingOf<N extends SetName>(names: readonly N[]): readonly N[] | null {
  const isOpen = useStore((state) => state.showsSetUp);
  const models = useAsk((signal) => api.availableModels({}, { signal }), [isOpen]).value;
  const sets = models && modelSets(models).filter((set) => isLacking(set) && !set.isLarger);
  return sets && names.filter((name) => sets.some((set) => set.kind === name));
}

export function SetUpButton() {
  return html`<button type="button" class="primary" onClick=${() => update({ showsSetUp: true })}>${t(setup.open)}</button>`;
}

/** The way on where there is no footage to begin with. */
export function Samples() {
  return html`<p class="quiet">${t(setup.samples)}</p>
    <pre tabindex="0">npx framehound tour
npx framehound open --cache-dir ~/.framehound/samples-analysis</pre>`;
}
