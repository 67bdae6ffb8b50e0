// The library: folders and files with what is analysed of them, the tasks, the watch folders, and the space
// they take.
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { api, useAsk } from '../../api.ts';
import { beforeAnalysis, loadFolder, useIsNew } from '../../folder.ts';
import { placeOfView, type View } from '../../navigation.ts';
import { Dialog, Empty, Failed, Loading } from '../../parts.ts';
import { routeHash } from '../../route.ts';
import { get, useStore } from '../../store.ts';
import { isAnalysis, onProgress } from '../../tasks.ts';
import { dateText, sizeText } from '../../times.ts';
import { attempt, toast } from '../../toasts.ts';
import { library, tasks, watching, disk as words } from '../../words/library.ts';
import { searchWords } from '../../words/search.ts';
import { settings } from '../../words/settings.ts';
import { shell } from '../../words/shell.ts';
import { t, type Words } from '../../words.ts';
import { Files, Losses } from './files.ts';
import { reasonOf, refresh } from './listing.ts';
import { TaskList } from './task-list.ts';
import { WatchForm } from './watch-form.ts';

// The watch folders, and how the service that watches them stands.

type Watched = Awaited<ReturnType<typeof api.listWatchFolders>>;
type Status = Watched['service_status'];
type WatchFolder = Watched['watch_folders'][number];

/** Counts and states change by themselves. */
const READ_EVERY_MS = 4000;

function WatchFolders() {
  const active = useStore((state) => state.tasks.map(({ task_id }) => task_id).join());
  const answer = useAsk((signal) => api.listWatchFolders({}, { signal }), [active]);
  const [editing, setEditing] = useState<WatchFolder | 'new' | null>(null);
  const [removing, setRemoving] = useState<WatchFolder | null>(null);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && answer.again(), READ_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => onProgress(({ done }) => done && answer.again()), []);
  if (answer.value === null)
    return answer.state === 'failed'
      ? html`<${Failed} error=${answer.error} again=${answer.again} />`
      : html`<${Loading} />`;
  const { watch_folders: folders, service_status: status } = answer.value;
  const close = () => {
    setEditing(null);
    setRemoving(null);
    answer.again();
  };
  return html`<div class="part">
    ${folders.length > 0 && html`<${Service} status=${status} again=${answer.again} add=${() => setEditing('new')} />`}
    ${
      folders.length === 0
        ? html`<${Empty} icon="eye" title=${t(watching.none)}><p class="quiet">${t(watching.noneHow)}</p>
            <button class="primary" onClick=${() => setEditing('new')}>${t(watching.add)}</button><//>`
        : html`<ul class="cards">${folders.map((folder) => html`<li key=${folder.id} class="panel"><${Folder} folder=${folder} status=${status} change=${() => setEditing(folder)} remove=${() => setRemoving(folder)} /></li>`)}</ul>`
    }
    ${editing !== null && html`<${WatchForm} folder=${editing === 'new' ? null : editing} path="" close=${close} />`}
    ${removing !== null && html`<${Remove} folder=${removing} close=${close} />`}
  </div>`;
}

interface ServiceProps {
  readonly status: Status;
  add(): void;
  again(): void;
}

function Service({ status, add, again }: ServiceProps) {
  const { state, paused_until, last_error, current_file, folder_stats } = status;
  // Errors of a folder are shown with that folder.
  const isOfFolder = Object.values(folder_stats).some((stats) => stats.last_error === last_error);
  const failed = Object.values(folder_stats).reduce((sum, { files_failed }) => sum + files_failed, 0);
  const act = async () => {
    await attempt(() => (state === 'stopped' ? api.startWatching() : api.stopWatching()));
    again();
  };
  const text =
    state === 'paused' && paused_until !== null
      ? t(watching.pausedUntil, { time: dateText(paused_until, get().language) })
      : state === 'waiting' && failed > 0
        ? t(watching.waitingFailed, { n: failed })
        : t(watching[state]);
  return html`<div class="service row wrap"><p class="grow" role="status"><span class=${`state ${state}`}>${text}</span>${current_file !== null && html` <span class="quiet">${current_file}</span>`}</p>
    <button class=${state === 'stopped' ? 'primary' : ''} disabled=${state === 'stopping'} onClick=${act}>${t(state === 'stopped' ? watching.start : watching.stop)}</button>
    <button onClick=${add}>${t(watching.add)}</button></div>
    ${last_error !== null && !isOfFolder && html`<p class="problem">${last_error}</p>`}`;
}

interface FolderProps {
  readonly folder: WatchFolder;
  readonly status: Status;
  change(): void;
  remove(): void;
}

function Folder({ folder, status, change, remove }: FolderProps) {
  const { id, folder_path, enabled } = folder;
  const stats = status.folder_stats[id];
  const counts = stats && {
    analysed: stats.files_analyzed,
    pending: stats.files_pending,
    failed: stats.files_failed,
  };
  return html`<div class="row wrap"><h2 class="grow whole-path">${folder_path}</h2>
      <span class=${`state ${enabled ? 'completed' : 'cancelled'}`}>${t(enabled ? watching.on : watching.off)}</span>
      <button onClick=${change}>${t(watching.change)}</button><button onClick=${remove}>${t(watching.remove)}</button></div>
    <dl class="settings-of">${settingsOf(folder).map(([words, value]) => html`<div><dt>${t(words)}</dt><dd class="whole-path">${value}</dd></div>`)}</dl>
    ${counts && html`<p class="figures">${t(watching.counts, counts)}</p>`}
    ${stats?.last_error && html`<p class="problem">${stats.last_error}</p>`}
    ${
      stats &&
      stats.failures.length > 0 &&
      html`<details class="failures"><summary>${t(tasks.what)} (${stats.failures.length})</summary>
        <ul>${stats.failures.map(({ media_path, error }) => html`<li><span class="whole-path">${media_path}</span><p class="problem">${reasonOf({ code: '', message: error }, media_path)}</p></li>`)}</ul></details>`
    }`;
}

/** All that can be set, also what is as usual. */
function settingsOf(folder: WatchFolder): (readonly [Words, string])[] {
  const yes = (value: boolean) => t(value ? settings.yes : settings.no);
  const list = (values: readonly unknown[] | null | undefined) => (values?.length ? values.join(', ') : '–');
  const filters = folder.metadata_filter_request?.filters ?? [];
  return [
    [watching.setFolder, folder.cache_dir ?? t(watching.usual)],
    [tasks.video, yes(folder.enable_visual_analysis)],
    [tasks.speech, yes(folder.enable_audio_analysis)],
    [library.language, folder.audio_language],
    [watching.setSpeakers, yes(folder.detect_speakers)],
    [watching.setCount, folder.speaker_count ? String(folder.speaker_count) : t(watching.usual)],
    [watching.setChannels, list(folder.channels)],
    [watching.setModel, folder.preferred_x_model_key ?? t(watching.usual)],
    [tasks.faces, yes(folder.enable_face_analysis)],
    [library.people, folder.cluster_job_name ?? '–'],
    [watching.setDistance, String(folder.face_eps)],
    [watching.setLeast, String(folder.face_min_samples)],
    [watching.setFolders, list(folder.excluded_folder_globs)],
    [watching.setNames, list(folder.excluded_filename_globs)],
    [watching.setExtensions, list(folder.excluded_extensions)],
    [
      watching.setFilters,
      list(filters.map(({ facet_id, operator, values }) => `${facet_id} ${operator} ${values.join(', ')}`)),
    ],
  ];
}

function Remove({ folder, close }: { readonly folder: WatchFolder; close(): void }) {
  const remove = async () => {
    if (await attempt(() => api.removeWatchFolder({ id: folder.id }))) close();
  };
  return html`<${Dialog} title=${t(watching.removeTitle)} onClose=${close}>
    <p class="whole-path">${t(watching.removeSure, { path: folder.folder_path })}</p>
    <div class="row"><button class="primary danger" onClick=${remove}>${t(watching.remove)}</button><button autofocus onClick=${close}>${t(shell.cancel)}</button></div>
  <//>`;
}

// Disk space of the analysis, and stored results of deleted files.

const kinds = ['records', 'vectors', 'people', 'previews', 'unfinished'] as const;

function Disk() {
  const cache_dir = useStore((state) => state.folder.cache_dir);
  const isNew = useIsNew();
  const ask = async (signal: AbortSignal) =>
    api.libraryDisk({ cache_dir: cache_dir! }, { signal }).catch(beforeAnalysis(null));
  const answer = useAsk(cache_dir === null ? null : ask, [cache_dir, isNew]);
  if (answer.state === 'ready' && answer.value === null)
    return html`<${Empty} icon="library" title=${t(searchWords.noLibrary)}>
      <a class="button" href=${routeHash({ view: 'library', argument: '' })}>${t(tasks.toFiles)}</a><//>`;
  if (answer.value === null || cache_dir === null)
    return answer.state === 'failed'
      ? html`<${Failed} error=${answer.error} again=${answer.again} />`
      : html`<${Loading} />`;
  const { analysis, models } = answer.value;
  const { language } = get();
  const most = Math.max(1, analysis.bytes);
  const dead = analysis.face_models.reduce(
    (sum, { bytes, faces, dead_faces }) => sum + (faces > 0 ? (bytes * dead_faces) / faces : 0),
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
    <${Gone} cache_dir=${cache_dir} again=${answer.again} />
  </div>`;
}

type Found = Awaited<ReturnType<typeof api.pruneLibrary>>;

function Gone({ cache_dir, again }: { readonly cache_dir: string; again(): void }) {
  const [preview, setPreview] = useState<Found | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async (dry_run: boolean) => {
    setBusy(true);
    await attempt(async () => {
      const answer = await api.pruneLibrary({ cache_dir, dry_run });
      setPreview(dry_run ? answer : null);
      if (dry_run) return;
      toast(t(library.forgotten, { n: answer.forgotten.length }));
      void loadFolder();
      again();
    });
    setBusy(false);
  };
  const n = preview ? preview.forgotten.length + preview.paths_gone.length : 0;
  return html`<section class="panel column"><h2>${t(words.gone)}</h2><p class="quiet">${t(words.goneHow)}</p>
    ${
      preview &&
      html`<div role="status"><p>${t(words.lookedAt, { n: preview.looked_at })}${n === 0 && ` – ${t(words.noneGone)}`}</p>
      ${preview.skipped.map(({ reason, count, example }) => html`<p title=${example}>${t(words.skipped, { n: count, reason })}</p>`)}
      ${preview.forgotten.length > 0 && html`<${Losses} losses=${preview} />`}
      ${preview.paths_gone.length > 0 && html`<p>${t(words.pathsGone, { n: preview.paths_gone.length })}</p>`}</div>`
    }
    <div class="row"><button disabled=${isBusy} onClick=${() => run(true)}>${t(words.look)}</button>
      ${n > 0 && html`<button class="primary danger" disabled=${isBusy} onClick=${() => run(false)}>${t(library.forgetDo)}</button>`}</div>
  </section>`;
}

export const view: View = { title: shell.library, render: Library };

const parts = { files: Files, tasks: TaskList, watch: WatchFolders, disk: Disk } as const;
type Part = keyof typeof parts;
const names = Object.keys(parts) as Part[];

function Library({ argument, params }: { readonly argument: string; readonly params: string }) {
  const part = names.find((name) => name === argument) ?? 'files';
  const running = useStore((state) => state.tasks.length);
  useEffect(() => onProgress(({ done, type }) => done && isAnalysis([type]) && follow()), []);
  return html`<div class="library-page">
    <h1 class="unseen">${t(shell.library)}</h1>
    <nav class="parts" aria-label=${t(library.parts)}>${names.map(
      (
        name,
      ) => html`<a href=${name === 'files' ? placeOfView(get().places, 'library') : routeHash({ view: 'library', argument: name })} aria-current=${name === part ? 'page' : undefined}>
        ${t(library[name])}${name === 'tasks' && running > 0 && html` <span class="count">${running}</span>`}</a>`,
    )}</nav>
    <${parts[part]} params=${params} />
  </div>`;
}

/** New results appear in searches and here. */
function follow(): void {
  void loadFolder();
  refresh();
}
