// First run and settings: what the models can, which there are, how the page looks, and how the service is
// set.
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { api, useAsk } from '../../api.ts';
import type { View } from '../../navigation.ts';
import { Failed, Icon, Loading } from '../../parts.ts';
import { leave } from '../../session.ts';
import { get, type Language, setTheme, type Theme, useStore } from '../../store.ts';
import { sizeText } from '../../times.ts';
import { attempt } from '../../toasts.ts';
import { settings, setup } from '../../words/settings.ts';
import { shell } from '../../words/shell.ts';
import { setLanguage, t } from '../../words.ts';
import {
  type Available,
  bringIntoUse,
  type DownloadRow,
  downloads,
  groups,
  Missing,
  modelRows,
  Progress,
  startDownload,
  useDownloads,
} from './downloads.ts';
import { SetUpButton } from './set-up.ts';

export const view: View = { title: shell.settings, render: Settings };

function Settings() {
  return html`<div class="settings-page">
    <h1 class="unseen">${t(shell.settings)}</h1>
    <${Starter} /><${Models} /><${ThisPage} /><${Machines} /><${ServiceSettings} />
  </div>`;
}

const can = [settings.canColours, settings.canWords, settings.canLike, settings.canVoices];
const cannot = [
  settings.cannotObjects,
  settings.cannotSpeech,
  settings.cannotFaces,
  settings.cannotTexts,
  settings.cannotSounds,
];

function Starter() {
  const list = (texts: typeof can | typeof cannot) =>
    html`<ul>${texts.map((words) => html`<li>${t(words)}</li>`)}</ul>`;
  return html`<section class="panel column"><h2>${t(settings.starter)}</h2><p>${t(settings.starterHow)}</p>
    <div class="row"><${SetUpButton} /></div>
    <div class="can"><div><h3>${t(settings.can)}</h3>${list(can)}</div><div><h3>${t(settings.cannot)}</h3>${list(cannot)}</div></div>
  </section>`;
}

const languages: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
];
const themes = ['system', 'dark', 'light'] as const satisfies Theme[];

function ThisPage() {
  const language = useStore((state) => state.language);
  const theme = useStore((state) => state.theme);
  const session = useStore((state) => state.session);
  const signedIn = session?.shared
    ? settings.signedInBrowser
    : session?.kind === 'key'
      ? settings.signedInKey
      : settings.signedInTicket;
  const chosen = (event: Event) => (event.target as HTMLSelectElement).value;
  return html`<section class="panel column"><h2>${t(settings.page)}</h2>
    <div class="row wrap">
      <label>${t(settings.language)}<select value=${language} onChange=${(event: Event) => setLanguage(chosen(event) as Language)}>
        ${languages.map(([code, name]) => html`<option value=${code} lang=${code}>${name}</option>`)}</select></label>
      <label>${t(settings.theme)}<select value=${theme} onChange=${(event: Event) => setTheme(chosen(event) as Theme)}>
        ${themes.map((choice) => html`<option value=${choice}>${t(settings[choice])}</option>`)}</select></label>
    </div>
    <div class="row wrap"><p class="quiet">${t(signedIn)}</p>
      <button onClick=${() => void leave()}>${t(settings.signOut)}</button></div>
  </section>`;
}

// The machines of the cluster: what each does, and how far behind it is.

type Machine = Exclude<Awaited<ReturnType<typeof api.getCluster>>['cluster'], null>['nodes'][number];

const READ_EVERY_MS = 4000;
/** Seconds: `silentSeconds` of actors/cluster/contract.ts. */
const SILENT = 10;

function Machines() {
  const answer = useAsk((signal) => api.getCluster({}, { signal }), []);
  const { value, state, error, again } = answer;
  const cluster = value?.cluster ?? null;
  const isAlone = cluster === null;
  useEffect(() => {
    if (isAlone) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), READ_EVERY_MS);
    return () => clearInterval(timer);
  }, [isAlone]);
  if (state === 'failed') return html`<${Failed} error=${error} again=${again} />`;
  if (cluster === null) return null;
  const { nodes, queued_jobs: queued, active_jobs: active, failed_jobs: failed } = cluster;
  return html`<section class="panel column"><h2>${t(settings.machines)}</h2>
    <p class="quiet">${t(settings.machinesHow, { queued, active, failed })}</p>
    <table><thead><tr>${[settings.machine, settings.machineRoles, settings.machineState, settings.machineWork].map((words) => html`<th scope="col">${t(words)}</th>`)}</tr></thead>
      <tbody>${nodes.map(
        (
          node,
        ) => html`<tr key=${node.id}><th scope="row">${node.name}<p class="quiet">${node.id.slice(0, 8)} · ${node.version}</p><p class="quiet whole-path">${node.home}</p></th>
          <td>${node.roles.join(', ')}</td><td>${machineState(node)}</td>
          <td>${node.seen_seconds > SILENT ? '' : node.working.map((path) => html`<p class="whole-path">${path.replace(/^root:/, '')}</p>`)}</td></tr>`,
      )}</tbody></table>
  </section>`;
}

function machineState({ seen_seconds, behind, draining, unreadable_roots: roots }: Machine): string {
  const state =
    seen_seconds > SILENT
      ? t(settings.machineSilent, { n: Math.round(seen_seconds) })
      : behind === 0
        ? t(settings.machineUpToDate)
        : t(settings.machineBehind, { n: behind });
  const lacks = roots.length === 0 ? [] : [t(settings.machineLacks, { roots: roots.join(', ') })];
  return [state, ...(draining ? [t(settings.machineDraining)] : []), ...lacks].join(', ');
}

// The settings of the service, each with where it comes from; its version, and the way to its interface.

function ServiceSettings() {
  const answer = useAsk((signal) => api.getSettings({}, { signal }), []);
  const [isShort, setShort] = useState(true);
  if (answer.value === null)
    return answer.state === 'failed'
      ? html`<${Failed} error=${answer.error} again=${answer.again} />`
      : html`<${Loading} />`;
  const { version, cache_dir, settings: all } = answer.value;
  const shown = all.filter(({ source }) => !isShort || source !== 'default');
  return html`<section class="panel column"><h2>${t(settings.settings)}</h2><p class="quiet">${t(settings.settingsHow)}</p>
    <p>${t(settings.folder)}: <span class="whole-path">${cache_dir}</span></p>
    <label><input type="checkbox" checked=${isShort} onChange=${() => setShort(!isShort)} />${t(settings.onlyChanged)}</label>
    ${
      shown.length === 0
        ? html`<p class="quiet">${t(settings.noneChanged)}</p>`
        : html`<table><thead><tr><th scope="col">${t(settings.setting)}</th><th scope="col">${t(settings.value)}</th><th scope="col">${t(settings.source)}</th></tr></thead>
          <tbody>${shown.map(
            ({
              name,
              value,
              source,
              description,
            }) => html`<tr><th scope="row">${name}<p class="quiet">${description}</p></th>
              <td class="whole-path">${valueText(value)}</td><td>${t(settings[source])}</td></tr>`,
          )}</tbody></table>`
    }
  </section>
  <p class="about">framehound ${version} · <a href="/docs">API</a></p>`;
}

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return t(value ? settings.yes : settings.no);
  if (Array.isArray(value)) return value.length === 0 ? t(settings.unset) : value.join(', ');
  return value === null || value === undefined || value === '' ? t(settings.unset) : String(value);
}

// The models: which there are for what, which is advised here, downloading one, and bringing one into use.

const kinds: Readonly<Record<string, Parameters<typeof t>[0]>> = {
  voice: settings.kindVoice,
  turns: settings.kindTurns,
  speaker: settings.kindSpeaker,
  'face-detector': settings.kindDetector,
  'face-embedder': settings.kindEmbedder,
  'object-detection': settings.kindThings,
  'text-recognition': settings.kindWords,
  'sound-detection': settings.kindSounds,
};

function Models() {
  const answer = useAsk((signal) => api.availableModels({}, { signal }), []);
  const [loading, setLoading] = useState<string | null>(null);
  useDownloads(answer.again);
  const models = answer.value;
  if (models === null)
    return html`<section class="panel">${answer.state === 'failed' ? html`<${Failed} error=${answer.error} again=${answer.again} />` : html`<${Loading} />`}</section>`;
  const rows = modelRows(models);
  const use = async (key: string) => {
    setLoading(key);
    await attempt(() => bringIntoUse(key));
    setLoading(null);
    answer.again();
  };
  return html`<section class="panel column"><h2>${t(settings.models)}</h2><p class="quiet">${t(settings.modelsHow)}</p>
    ${models.fallback_from && html`<p class="problem" role="alert">${t(settings.fellBack, { wanted: models.fallback_from, error: models.error ?? '' })}</p>`}
    <${RunsOn} models=${models} />
    ${groups.map((group) => {
      const groupRows = rows.filter((row) => row.group === group);
      return html`<div class="model-group"><h3>${t(settings[group])}</h3>
        <ul>${groupRows.map((row) => html`<li key=${row.key}><${Model} row=${row} loading=${loading} use=${use} /></li>`)}</ul></div>`;
    })}
  </section>`;
}

/** Where the visual model runs, and why on no better device. */
function RunsOn({ models }: { readonly models: Available }) {
  const { loaded_model: name, device, device_reason } = models;
  if (name === null || device === null) return null;
  const where = device === 'cpu' ? t(settings.processor) : device;
  return html`<p class="quiet">${t(settings.runsOn, { name, device: where })} ${device_reason}</p>`;
}

interface ModelProps {
  readonly row: DownloadRow;
  /** Key of the one that is being brought into use. */
  readonly loading: string | null;
  use(key: string): void;
}

function Model({ row, loading, use }: ModelProps) {
  const { key, kind, bytes, license, speed, accuracy } = row;
  const download = downloads.use(({ active }) => active.find(({ keys }) => keys.includes(key)) ?? null);
  const lacking = downloads.use(({ failed }) => failed[key] ?? null);
  const kindWords = kinds[kind];
  const texts = [
    ...(kindWords ? [t(kindWords)] : []),
    row.isBuiltIn ? t(settings.partOfIt) : sizeText(bytes, get().language),
    t(settings.license, { license }),
    t(settings.figures, { speed, accuracy }),
    ...(row.isMultilingual ? [t(settings.multilingual)] : []),
    ...(row.isMeasured ? [] : [t(setup.unmeasured)]),
  ];
  const canUse = row.group === 'visual' && row.isDownloaded && !row.isInUse;
  return html`<div class="row wrap">
      <div class="grow"><p><strong>${key}</strong> <${Marks} row=${row} /></p><p class="quiet">${texts.join(' · ')}</p><${SelfTest} test=${row.selfTest} /></div>
      ${canUse && html`<button disabled=${loading !== null} aria-label=${t(settings.useOf, { name: key })} onClick=${() => use(key)}>${loading === key ? t(settings.loading, { name: key }) : t(settings.use)}</button>`}
      ${!row.isDownloaded && download === null && html`<button class=${row.isAdvised ? 'primary' : ''} aria-label=${t(settings.downloadOf, { name: key })} onClick=${() => void attempt(() => startDownload([key]))}>${t(settings.download)}</button>`}
    </div>
    ${download && html`<${Progress} model=${key} download=${download} />`}
    ${lacking && html`<${Missing} name=${key} lacking=${lacking} />`}`;
}

/** The figure is as the command line prints it. */
function SelfTest({ test }: { readonly test: DownloadRow['selfTest'] }) {
  if (test === null) return null;
  const word =
    test.passed === null ? settings.testNone : test.passed ? settings.testPassed : settings.testFailed;
  return html`<p class=${test.passed === false ? 'problem' : 'quiet'}>${t(word, { result: test.result })}</p>`;
}

function Marks({ row }: { readonly row: DownloadRow }) {
  const mark = (name: string, text: string) =>
    html`<span class=${`mark ${name}`}>${name !== 'advised' && html`<${Icon} name="check" />`}${text}</span>`;
  if (row.isInUse) return mark('used', t(settings.inUse));
  if (row.isDownloaded) return mark('there', t(settings.downloaded));
  return row.isAdvised ? mark('advised', t(settings.advised)) : null;
}
