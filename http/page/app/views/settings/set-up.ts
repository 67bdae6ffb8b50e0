// The dialog of what can be set up: each with what it is for, its size and licence, and one button.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { type Api, api, useAsk } from '../../api.ts';
import { Dialog, Failed, Icon, Loading } from '../../parts.ts';
import { routeHash, type ViewName } from '../../route.ts';
import { get, update, useStore } from '../../store.ts';
import { sizeText } from '../../times.ts';
import { attempt } from '../../toasts.ts';
import { settings, setup } from '../../words/settings.ts';
import { t } from '../../words.ts';
import { bringIntoUse, downloads, Missing, Progress, startDownload, useDownloads } from './downloads.ts';

// What is set up by one download each, from the list of models.

type Models = Awaited<ReturnType<Api['availableModels']>>;

type SetName = 'sight' | 'faces' | 'speech' | 'visual';

interface ModelSet {
  readonly name: SetName;
  readonly keys: readonly string[];
  /** Those of them that are to be downloaded. */
  readonly missing: readonly string[];
  /** The one that is there, and has to be brought into use. */
  readonly unused: string | null;
  /** Of what is missing; where nothing is, on the disk. */
  readonly bytes: number;
  /** Each once. */
  readonly licenses: readonly string[];
}

interface Info {
  readonly kind?: string;
  readonly size_gb: number;
  readonly download_gb: number;
  readonly license: string;
}

interface Listed {
  readonly downloaded_models: readonly string[];
  readonly model_info: readonly Readonly<Record<string, Info>>[];
}

/** Without those of which this machine runs no model. */
export function modelSets(models: Models): ModelSet[] {
  const { sight, faces, speech, loaded_model } = models;
  const infos = infosOf(models);
  // What is part of the program has no size.
  const isOwn = loaded_model !== null && infos.get(loaded_model)?.size_gb === 0;
  const setOf = (
    name: SetName,
    listed: Listed,
    used: Readonly<Record<string, string | null>>,
    suitable: readonly string[] = models.advised_models,
  ) => fitted(name, listed, used, suitable);
  const sets = [
    setOf('sight', sight, { 'object-detection': sight.things_key, 'text-recognition': sight.words_key }),
    // From the npm registry, which more machines reach than a server of models.
    setOf(
      'faces',
      faces,
      { 'face-detector': faces.detector_key, 'face-embedder': faces.embedder_key },
      faces.npm_set?.model_keys,
    ),
    setOf('speech', speech, { speech: speech.model_key }),
    setOf('visual', models, { visual: isOwn ? null : loaded_model }),
  ];
  return sets
    .filter((one) => one !== null)
    .map((one) => {
      const isUnused = one.name === 'visual' && one.missing.length === 0 && one.keys[0] !== loaded_model;
      return isUnused ? { ...one, unused: one.keys[0]! } : one;
    });
}

/** `used`: by kind the model that is there. */
function fitted(
  name: SetName,
  listed: Listed,
  used: Readonly<Record<string, string | null>>,
  suitable: readonly string[],
): ModelSet | null {
  const infos = infosOf(listed);
  const keys = Object.entries(used).flatMap(([kind, key]) => {
    const suits = ([one, info]: [string, Info]) => (info.kind ?? name) === kind && suitable.includes(one);
    return key ?? [...infos].find(suits)?.[0] ?? [];
  });
  if (keys.length < Object.keys(used).length) return null;
  const missing = keys.filter((key) => !listed.downloaded_models.includes(key));
  const size = ({ size_gb, download_gb }: Info) => 1e9 * (missing.length > 0 ? download_gb : size_gb);
  const told = (missing.length > 0 ? missing : keys).flatMap((key) => infos.get(key) ?? []);
  return {
    ...{ name, keys, missing, unused: null },
    bytes: told.reduce((sum, info) => sum + size(info), 0),
    licenses: [...new Set(told.map(({ license }) => license))],
  };
}

function infosOf({ model_info }: Listed): Map<string, Info> {
  return new Map(model_info.flatMap((one) => Object.entries(one)));
}

/** Something of it is to be done. */
export function isLacking({ missing, unused }: Pick<ModelSet, 'missing' | 'unused'>): boolean {
  return missing.length > 0 || unused !== null;
}

/** The sets that keys as POST /models/pull takes them are of, where words were not understood. */
export function setsOf(model_keys: readonly string[]): SetName[] {
  return [...new Set(model_keys.map((key) => (key === 'sight' ? key : 'visual')))];
}

const close = () => update({ showsSetUp: false });

/** The sets, each with its size and a button. */
export function ModelSets() {
  const answer = useAsk((signal) => api.availableModels({}, { signal }), []);
  useDownloads(answer.again);
  if (answer.value === null)
    return answer.state === 'failed'
      ? html`<${Failed} error=${answer.error} again=${answer.again} />`
      : html`<${Loading} />`;
  return html`${modelSets(answer.value).map((set) => html`<${OneSet} key=${set.name} set=${set} again=${answer.again} />`)}`;
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
  if (missing.length > 0)
    return html`<button class="primary" disabled=${isBusy} aria-label=${t(setup.downloadOf, { size, name: t(setup[name]) })}
      onClick=${() => void act(() => startDownload(missing))}>${t(setup.download, { size })}</button>`;
  if (unused !== null)
    return html`<button class="primary" disabled=${isBusy} onClick=${() => void act(() => bringIntoUse(unused).then(again))}>${t(settings.use)}</button>`;
  return html`<p class="set-there"><${Icon} name="check" /> ${t(settings.downloaded)}</p>`;
}

// The one way out where something cannot be found or done without a download: a button that opens the dialog
// of what can be set up.

/** Whether one of the sets is not there; null while nobody knows. Asked again when the dialog is closed. */
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
  const sets = models && modelSets(models).filter(isLacking);
  return sets && names.filter((name) => sets.some((one) => one.name === name));
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
