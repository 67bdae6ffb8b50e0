// The models: which there are for what, which is advised here, downloading one, and bringing one into use.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { ApiError, api, messageOf } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { loadFolder } from '../../folder.ts';
import { Icon } from '../../parts/icon.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { get } from '../../store.ts';
import { toast } from '../../toasts.ts';
import { settings } from '../../words/settings.ts';
import { t } from '../../words.ts';
import { sizeText } from '../library/sizes.ts';
import { Missing, Progress } from './download-state.ts';
import { downloads, startDownload, useDownloads } from './downloads.ts';
import { type Available, groups, type ModelRow, modelRows } from './model-rows.ts';

const kinds: Readonly<Record<string, Parameters<typeof t>[0]>> = {
  voice: settings.kindVoice,
  turns: settings.kindTurns,
  speaker: settings.kindSpeaker,
  'face-detector': settings.kindDetector,
  'face-embedder': settings.kindEmbedder,
  'object-detection': settings.kindThings,
  'text-recognition': settings.kindWords,
};

export function Models() {
  const asked = useAsk((signal) => api.availableModels({}, { signal }), []);
  const [loading, setLoading] = useState<string | null>(null);
  useDownloads(asked.again);
  const models = asked.value;
  if (models === null)
    return html`<section class="panel">${asked.state === 'failed' ? html`<${Failed} error=${asked.error} again=${asked.again} />` : html`<${Loading} />`}</section>`;
  const rows = modelRows(models);
  const use = async (key: string) => {
    setLoading(key);
    try {
      await api.loadModel({ model_key: key });
      toast(t(settings.used, { name: key }));
      void loadFolder();
    } catch (error) {
      toast(messageOf(error), { kind: 'error' });
    }
    setLoading(null);
    asked.again();
  };
  return html`<section class="panel column"><h2>${t(settings.models)}</h2><p class="quiet">${t(settings.modelsHow)}</p>
    ${models.fallback_from && html`<p class="problem" role="alert">${t(settings.fellBack, { wanted: models.fallback_from, error: models.error ?? '' })}</p>`}
    <${RunsOn} models=${models} />
    ${groups.map((group) => {
      const own = rows.filter((row) => row.group === group);
      return html`<div class="model-group"><h3>${t(settings[group])}</h3>
        <ul>${own.map((row) => html`<li key=${row.key}><${Model} row=${row} loading=${loading} use=${use} /></li>`)}</ul></div>`;
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
  readonly row: ModelRow;
  /** Key of the one that is being brought into use. */
  readonly loading: string | null;
  use(key: string): void;
}

function Model({ row, loading, use }: ModelProps) {
  const { key, kind, bytes, license, speed, accuracy } = row;
  const download = downloads.use(({ active }) => active.find(({ keys }) => keys.includes(key)) ?? null);
  const lacking = downloads.use(({ failed }) => failed[key] ?? null);
  const kindWords = kinds[kind];
  const told = [
    ...(kindWords ? [t(kindWords)] : []),
    row.isBuiltIn ? t(settings.partOfIt) : sizeText(bytes, get().language),
    t(settings.license, { license }),
    t(settings.figures, { speed, accuracy }),
    ...(row.isMultilingual ? [t(settings.multilingual)] : []),
  ];
  const canUse = row.group === 'visual' && row.isDownloaded && !row.isInUse;
  return html`<div class="row wrap">
      <div class="grow"><p><strong>${key}</strong> <${Marks} row=${row} /></p><p class="quiet">${told.join(' · ')}</p></div>
      ${canUse && html`<button disabled=${loading !== null} aria-label=${t(settings.useOf, { name: key })} onClick=${() => use(key)}>${loading === key ? t(settings.loading, { name: key }) : t(settings.use)}</button>`}
      ${!row.isDownloaded && download === null && html`<button class=${row.isAdvised ? 'primary' : ''} aria-label=${t(settings.downloadOf, { name: key })} onClick=${() => start(key)}>${t(settings.download)}</button>`}
    </div>
    ${download && html`<${Progress} model=${key} download=${download} />`}
    ${lacking && html`<${Missing} name=${key} lacking=${lacking} />`}`;
}

async function start(key: string): Promise<void> {
  try {
    await startDownload([key]);
  } catch (error) {
    toast(error instanceof ApiError ? error.message : messageOf(error), { kind: 'error' });
  }
}

function Marks({ row }: { readonly row: ModelRow }) {
  const mark = (name: string, text: string) =>
    html`<span class=${`mark ${name}`}>${name !== 'advised' && html`<${Icon} name="check" />`}${text}</span>`;
  if (row.isInUse) return mark('used', t(settings.inUse));
  if (row.isDownloaded) return mark('there', t(settings.downloaded));
  return row.isAdvised ? mark('advised', t(settings.advised)) : null;
}
