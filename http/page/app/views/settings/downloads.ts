// Downloads of models: the tasks of this service that run or wait, how far each is, and what failed. Kept
// while another view is shown.

import { html } from 'htm/preact';
import { useEffect } from 'preact/hooks';
import { type Api, api } from '../../api.ts';
import { loadFolder } from '../../folder.ts';
import { createSlice, get, useStore } from '../../store.ts';
import { onProgress, readTasks, waitingText } from '../../tasks.ts';
import { sizeText } from '../../times.ts';
import { attempt, toast } from '../../toasts.ts';
import { settings } from '../../words/settings.ts';
import { t } from '../../words.ts';

// The models of the service as rows of one list.

export type Available = Awaited<ReturnType<Api['availableModels']>>;

export const groups = ['visual', 'sight', 'speech', 'faces', 'summary'] as const;
type Group = (typeof groups)[number];

export interface DownloadRow {
  readonly key: string;
  readonly group: Group;
  /** Purpose among the models of its group; the group's name if all have the same. */
  readonly kind: string;
  /** On the disk; of what is not there, to be downloaded. */
  readonly bytes: number;
  readonly license: string;
  readonly speed: number;
  readonly accuracy: number;
  readonly isMultilingual: boolean;
  /** Nothing has to be downloaded for it. */
  readonly isBuiltIn: boolean;
  readonly isDownloaded: boolean;
  readonly isInUse: boolean;
  readonly isAdvised: boolean;
  readonly isMeasured: boolean;
  readonly selfTest: Info['self_test'];
}

/** Models in use first, then the advised ones, then by size. */
export function modelRows(models: Available): DownloadRow[] {
  const { faces, sight, speech, summaries, loaded_model } = models;
  const used = [
    loaded_model,
    sight.things_key,
    sight.words_key,
    faces.detector_key,
    faces.embedder_key,
    speech.model_key,
    summaries.recommended_key,
  ];
  const parts = [
    ['visual', models],
    ['sight', sight],
    ['speech', speech],
    ['faces', faces],
    ['summary', summaries],
  ] as const;
  return parts.flatMap(([group, { downloaded_models, model_info }]) =>
    (model_info as readonly Readonly<Record<string, Info>>[])
      .flatMap((infos) => Object.entries(infos))
      .map(
        ([key, { kind = group, size_gb, download_gb, license, speed, accuracy, ...info }]): DownloadRow => {
          const isDownloaded = downloaded_models.includes(key);
          return {
            key,
            group,
            kind,
            bytes: (isDownloaded ? size_gb : download_gb) * 1e9,
            license,
            speed,
            accuracy,
            isMultilingual: info.is_multilingual,
            isBuiltIn: isDownloaded && size_gb === 0,
            isDownloaded,
            isInUse: used.includes(key),
            isAdvised: models.advised_models.includes(key) && !isDownloaded,
            isMeasured: info.is_measured,
            selfTest: info.self_test,
          };
        },
      )
      .toSorted((a, b) => rank(a) - rank(b) || a.bytes - b.bytes),
  );
}

interface Info {
  readonly kind?: string;
  readonly size_gb: number;
  readonly download_gb: number;
  readonly license: string;
  readonly speed: number;
  readonly accuracy: number;
  readonly is_multilingual: boolean;
  readonly is_measured: boolean;
  readonly self_test: { readonly passed: boolean | null; readonly result: string } | null;
}

function rank({ isInUse, isDownloaded, isAdvised }: DownloadRow): number {
  return isInUse ? 0 : isDownloaded ? 1 : isAdvised ? 2 : 3;
}

/** State of a running or waiting download, from events. */
export interface Download {
  /** The model that is downloaded now. */
  readonly key: string;
  /** All of the task. */
  readonly keys: readonly string[];
  readonly task_id: string;
  readonly phase: 'checking' | 'connecting' | 'receiving' | 'waiting';
  /** Bytes of that model. */
  readonly received: number;
  readonly total: number;
  /** Bytes received in the last seconds; ms since 1970. */
  readonly samples: readonly { readonly at: number; readonly bytes: number }[];
  /** Bytes a second; null while it is not known. */
  readonly rate: number | null;
}

interface LackingFile {
  readonly name: string;
  /** Null for the tarball of a package. */
  readonly url: string | null;
  readonly npm: string | null;
  readonly sha256: string | null;
  readonly integrity: string | null;
}

interface Lacking {
  readonly error: string;
  readonly folder: string;
  /** Files that can be added by hand. */
  readonly files: readonly LackingFile[];
}

interface Downloads {
  /** In the order in which this page heard of them. */
  readonly active: readonly Download[];
  /** Failures by key of the model. */
  readonly failed: Readonly<Record<string, Lacking>>;
}

export const downloads = createSlice<Downloads>('downloads', { active: [], failed: {} });

export async function startDownload(model_keys: readonly string[]): Promise<void> {
  const { task_id } = await api.pullModels({ model_keys });
  downloads.update(({ active, failed }) => ({
    active: withTask(active, task_id, model_keys),
    failed: Object.fromEntries(Object.entries(failed).filter(([key]) => !model_keys.includes(key))),
  }));
  await readTasks();
}

function withTask(
  active: readonly Download[],
  task_id: string,
  keys: readonly string[],
): readonly Download[] {
  const download = active.find((entry) => entry.task_id === task_id);
  // An event names only the model that is downloaded at the moment.
  if (download)
    return active.map((entry) =>
      entry === download && keys.length > entry.keys.length ? { ...entry, keys } : entry,
    );
  const nothing = { phase: 'connecting', received: 0, total: 0, samples: [], rate: null } as const;
  return [...active, { task_id, keys, key: keys[0] ?? '', ...nothing }];
}

type Stand = Pick<Download, 'key' | 'phase' | 'received' | 'total'>;

const RATE_WINDOW_MS = 10_000;

/** Bytes that were on the disk before this download count as received, but not for its rate. */
export function advanced(download: Download, stand: Stand, now: number): Download {
  const isTransfer =
    stand.key === download.key && stand.phase === 'receiving' && download.phase === 'receiving';
  const bytes = isTransfer ? Math.max(0, stand.received - download.received) : 0;
  const all = [...download.samples, { at: now, bytes }];
  // The sample before the last one stays, however old it is: nothing came since.
  const samples = all.filter(({ at }, i) => at >= now - RATE_WINDOW_MS || i === all.length - 2);
  const seconds = (now - samples[0]!.at) / 1000;
  const sum = samples.slice(1).reduce((all, sample) => all + sample.bytes, 0);
  return { ...download, ...stand, samples, rate: seconds < 1 ? download.rate : sum / seconds };
}

/** Download size of each model by key, and whether it was present when the list was read. */
export type DownloadSizes = ReadonlyMap<string, { readonly bytes: number; readonly isThere: boolean }>;

/**
 * Bytes of all models of a download. Models come one after the other, so those before the current one are
 * over. After a reload the current one is only known when something comes of it.
 */
export function wholeOf(
  { keys, key: current, received, total }: Download,
  sizes: DownloadSizes,
): { readonly received: number; readonly total: number } {
  const at = keys.indexOf(current);
  const whole = { received: 0, total: 0 };
  for (const [i, key] of keys.entries()) {
    const { bytes: pinned = 0, isThere = false } = sizes.get(key) ?? {};
    const bytes = i === at && total > 0 ? total : pinned;
    whole.total += bytes;
    whole.received += i < at || isThere ? bytes : i === at ? received : 0;
  }
  return whole;
}

/** A visual model: for searches, and for what is analysed from now on. */
export async function bringIntoUse(model_key: string): Promise<void> {
  await api.loadModel({ model_key });
  toast(t(settings.used, { name: model_key }));
  void loadFolder();
}

/** Follows all downloads, also those that were begun elsewhere; `ended` is called when one has. */
export function useDownloads(ended: () => void): void {
  const tasks = useStore((state) => state.tasks.map(({ task_id }) => task_id).join());
  useEffect(
    () =>
      onProgress(({ type, task_id, pull_model_key: key, pull_phase, received_bytes, total_bytes }) => {
        if (type !== 'pull' || key === undefined) return;
        const stand = {
          key,
          phase: pull_phase ?? 'receiving',
          received: received_bytes ?? 0,
          total: total_bytes ?? 0,
        } as const;
        downloads.update(({ active }) => ({
          active: withTask(active, task_id, [key]).map((entry) =>
            entry.task_id === task_id ? advanced(entry, stand, Date.now()) : entry,
          ),
        }));
      }),
    [],
  );
  useEffect(() => void readDownloads(ended).catch(() => {}), [tasks]);
}

/**
 * Reads running and waiting downloads from the records of tasks, and reports the end of each followed one
 * once.
 */
export async function readDownloads(ended: () => void): Promise<void> {
  const knownIds = new Set(downloads.get().active.map(({ task_id }) => task_id));
  const { tasks } = await api.listTasks();
  const pulls = tasks.filter((task) => task.ended === null && task.request.types.includes('pull'));
  const runs = (id: string) => pulls.some(({ task_id }) => task_id === id);
  // The list lacks downloads begun since, and `active` lacks those whose end another call has reported.
  const over = downloads.get().active.filter(({ task_id }) => knownIds.has(task_id) && !runs(task_id));
  downloads.update(({ active: before }) => {
    let active: readonly Download[] = before.filter((entry) => !over.includes(entry));
    // The list has the newest first.
    for (const { task_id, request } of pulls.toReversed())
      active = withTask(active, task_id, request.pull_models ?? []);
    return { active };
  });
  for (const { task_id } of over) await tellEnd(task_id).catch(() => {});
  if (over.length > 0) ended();
}

async function tellEnd(task_id: string): Promise<void> {
  const { results, error: whole } = await api.getTask({ task_id });
  const there: string[] = [];
  for (const { path, outcome, error, pull } of results) {
    if (outcome === 'failed') {
      const lacking = { error: error?.message ?? '', folder: pull?.folder ?? '', files: pull?.missing ?? [] };
      downloads.update(({ failed }) => ({ failed: { ...failed, [path]: lacking } }));
    } else if (outcome !== 'cancelled') there.push(path);
  }
  if (there.length > 0) toast(t(settings.downloadDone, { name: there.join(', '), n: there.length }));
  // It came to no model.
  if (whole && results.length === 0) toast(whole.message, { kind: 'error' });
}

// How far a download is, and what became of one that failed.

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
    <p class=${waits === null ? 'figures' : 'grow'}>${waits ?? text}</p><button onClick=${() => void attempt(() => api.cancelTask({ task_id }))}>${t(settings.cancelDownload)}</button></div>`;
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
