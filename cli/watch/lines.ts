// Watch folders and how they are doing, as lines for a person.

import { resolve } from 'node:path';
import {
  type FolderStats,
  failureText,
  type WatchFolder,
  type WatchFolderList,
  type WatchStatus,
  watchErrors,
} from '../../actors/watcher/folders/contract.ts';
import { suggestion } from '../../runtime/text.ts';
import { filterText } from '../arguments.ts';
import { minuteText, printable } from '../terminal.ts';

type Of = Readonly<Record<string, FolderStats>>;

/** `all`: the folders there are; `stats`: by their ids. */
export function folderLines(folder: WatchFolder, all: readonly WatchFolder[], stats: Of = {}): string {
  const { id, folder_path, cache_dir, enabled } = folder;
  const excluded = [
    ...folder.excluded_extensions,
    ...folder.excluded_filename_globs,
    ...folder.excluded_folder_globs.map((one) => `${one}/`),
  ];
  const filters = folder.metadata_filter_request?.filters ?? [];
  const facts = [
    workText(folder),
    ...(cache_dir === null ? [] : [`into ${cache_dir}`]),
    ...(excluded.length > 0 ? [`without ${excluded.join(', ')}`] : []),
    ...filters.map((filter) => `only ${filterText(filter)}`),
    ...countLines(folder, stats[id]),
  ];
  const head = `${shortId(id, all)}  ${printable(folder_path)}${enabled ? '' : '  (disabled)'}`;
  return `${head}\n${facts.map((fact) => `    ${printable(fact)}\n`).join('')}`;
}

function workText(folder: WatchFolder): string {
  const work = [
    ...(folder.enable_visual_analysis ? ['pictures'] : []),
    ...(folder.enable_audio_analysis ? [`speech (${speechText(folder)})`] : []),
    ...(folder.enable_face_analysis ? [`faces (${folder.cluster_job_name ?? ''})`] : []),
  ];
  return work.length === 0 ? 'nothing is analysed; to change that: framehound watch edit' : work.join(', ');
}

function speechText({ audio_language, channels, preferred_x_model_key }: WatchFolder): string {
  const by = preferred_x_model_key === 'auto' ? [] : [preferred_x_model_key ?? ''];
  return [audio_language, ...(channels ? [`channels ${channels.join(', ')}`] : []), ...by].join('; ');
}

function countLines(folder: WatchFolder, stats: FolderStats | undefined): string[] {
  const listed = Math.max(folder.last_poll_time, stats?.last_poll_time ?? 0);
  const counts = [
    `${stats?.files_analyzed ?? folder.files_analyzed_count} analysed`,
    ...counted(stats?.files_pending, 'pending'),
    ...counted(stats?.files_failed, 'failed'),
    ...counted(stats?.files_filtered, 'excluded by its filter'),
  ];
  return [listed === 0 ? 'not listed yet' : `${counts.join(', ')}; listed ${minuteText(listed)}`];
}

function counted(count: number | undefined, what: string): string[] {
  return count ? [`${count} ${what}`] : [];
}

/** `The watch-folder service is running: 12 files pending, 340 done since it was started`. */
export function serviceLine(status: WatchStatus): string {
  const { state, files_pending: pending, files_processed_this_session: done, paused_until } = status;
  const files = (count: number) => `${count} file${count === 1 ? '' : 's'}`;
  const facts = [
    ...(pending > 0 ? [`${files(pending)} pending`] : []),
    ...(done > 0 ? [`${done} done since the start`] : []),
    ...(paused_until === null ? [] : [`continues at ${minuteText(paused_until)}`]),
  ];
  return `The watch-folder service is ${state}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
}

/**
 * What to do about a service that watches nothing; empty when there is nothing to do, as while another
 * process watches.
 */
export function startHint({ state, last_error }: WatchStatus): string {
  const isIdle = state === 'stopped' && last_error === null;
  return isIdle ? 'Folders are not watched until the service is started: framehound watch start' : '';
}

/** The service, and below it every folder with what went wrong in it. */
export function statusLines({ watch_folders: all, service_status: status }: WatchFolderList): string {
  const { current_file, current_folder, task_id, last_error } = status;
  const at = current_file ?? current_folder;
  const errors = Object.values(status.folder_stats).map((stats) => stats.last_error);
  const lines = [
    serviceLine(status),
    ...(at === null
      ? []
      : [`    at ${printable(at)}${task_id === null ? '' : `, task ${printable(task_id)}`}`]),
    // What is wrong in a folder is said there.
    ...(last_error === null || errors.includes(last_error) ? [] : [`    ✗ ${printable(last_error)}`]),
    ...all.flatMap((folder) => folderStatus(folder, all, status.folder_stats[folder.id])),
  ];
  return `${lines.join('\n')}\n`;
}

function folderStatus(folder: WatchFolder, all: readonly WatchFolder[], stats?: FolderStats): string[] {
  const again = stats?.paused_until ?? null;
  // The failure that came last is the last error, too.
  const wrong = new Set([stats?.last_error ?? [], ...(stats?.failures ?? []).map(failureText)].flat());
  return [
    `${shortId(folder.id, all)}  ${printable(folder.folder_path)}${folder.enabled ? '' : '  (disabled)'}`,
    ...countLines(folder, stats).map((line) => `    ${line}`),
    ...Array.from(wrong, (text) => `    ✗ ${printable(text)}`),
    ...(again === null ? [] : [`    next try at ${minuteText(again)}`]),
  ];
}

// Which watch folder a word of a command means: its path, its id, or the beginning of one.

type FolderName = Pick<WatchFolder, 'id' | 'folder_path'>;

/** Letters of an id that are shown, at least. */
const SHOWN = 8;

/** As much of the id as names this folder alone. */
export function shortId(id: string, all: readonly FolderName[]): string {
  for (let length = SHOWN; length < id.length; length++) {
    const short = id.slice(0, length);
    if (all.every((one) => one.id === id || !one.id.startsWith(short))) return short;
  }
  return id;
}

/** Throws WATCH_FOLDER_UNKNOWN with what was probably meant, also for a word that means several. */
export function folderMeant<F extends FolderName>(all: readonly F[], word: string): F {
  const exact = all.find(({ id }) => id === word);
  if (exact) return exact;
  const path = resolve(word);
  const here = all.filter(({ folder_path }) => folder_path === path);
  const found = here.length > 0 ? here : all.filter(({ id }) => word !== '' && id.startsWith(word));
  const [first, ...others] = found;
  if (first === undefined) throw watchErrors.WATCH_FOLDER_UNKNOWN(unknown(all, word, path));
  if (others.length === 0) return first;
  const ids = found.map(({ id }) => shortId(id, all)).join(', ');
  throw watchErrors.WATCH_FOLDER_UNKNOWN(
    `${printable(word)} matches ${found.length} watch folders; use one of their ids: ${ids}`,
  );
}

function unknown(all: readonly FolderName[], word: string, path: string): string {
  if (all.length === 0)
    return `${printable(word)} is not watched; there are no watch folders. To add one: framehound watch add FOLDER`;
  const paths = all.map(({ folder_path }) => folder_path);
  const meant = suggestion(path, paths) || suggestion(word, paths) || '; see: framehound watch list';
  return `${printable(word)} is not watched${printable(meant)}`;
}
