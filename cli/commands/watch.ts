// `framehound watch`: folders whose media are analysed as they come, and the service that watches them.
import { resolve } from 'node:path';
import { normalizeFolderGlob } from '../../actors/watcher/exclusions.ts';
import {
  type FolderStats,
  failureText,
  NewWatchFolder,
  type WatchFolder,
  type WatchFolderChanges,
  type WatchFolderList,
  type WatchStatus,
  watchErrors,
} from '../../actors/watcher/folders/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { otherSpellings } from '../../runtime/files/spelling.ts';
import { counted, suggestion } from '../../runtime/text.ts';
import {
  channelsArgument,
  epsOf,
  filterArgument,
  filterText,
  languageArgument,
  minSamplesOf,
  newClustering,
  preferenceArgument,
  speakersArgument,
} from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import {
  agreed,
  argumentsOf,
  type Command,
  type Context,
  exit,
  flagsOf,
  only,
  requireConsent,
  usageErrors,
} from '../context.ts';
import { byAction } from '../help.ts';
import { serviceAt, withService } from '../service.ts';
import { minuteText, printable } from '../terminal.ts';

// The service that watches: the one at --server, or the one of this machine at its usual address.

/** Where a service of these settings listens, as it is called on this machine. */
export function serviceUrl({ server, host, port }: Context['values']): string {
  if (server !== '') return server;
  if (port === 0)
    throw usageErrors.USAGE('with port 0 the service uses any free port: give its address with --server URL');
  const called = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${called.includes(':') ? `[${called}]` : called}:${port}`;
}

export function withWatcher<T>(context: Context, work: (client: Client) => Promise<T>): Promise<T> {
  return work(serviceAt(serviceUrl(context.values), context).client);
}

const table = commandTable.watch.actions;

const list: Command = async (args, context) => {
  const values = flagsOf(table.list, args);
  // Only a service knows how it stands.
  const served = context.values.server !== '';
  return withService(context, 0, async ({ client }) => {
    const { watch_folders: all, service_status } = await client.listWatchFolders();
    if (values.json) {
      context.out(`${JSON.stringify({ watch_folders: all, ...(served && { service_status }) })}\n`);
      return exit.ok;
    }
    for (const folder of all) context.out(folderLines(folder, all, service_status.folder_stats));
    if (all.length === 0)
      context.screen.write('There are no watch folders. To add one: framehound watch add FOLDER\n');
    else {
      const state = served
        ? serviceLine(service_status)
        : 'To see whether they are being watched: framehound watch status';
      context.screen.write(`${state}\n`);
    }
    return exit.ok;
  });
};

const add: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.add, args);
  const path = only(positionals, needsFolder('add', 'the path of one folder'));
  const { sources, values: settings } = context.config;
  const isChosen = sources.cache_dir === 'flag' || sources.cache_dir === 'environment';
  const cache_dir = isChosen && settings.cache_dir !== '' ? resolve(settings.cache_dir) : null;
  const folder = newFolder(resolve(path), cache_dir, values);
  return withService(context, 0, async ({ client }) => {
    const { watch_folder: added } = await client.addWatchFolder(folder);
    const { watch_folders: all, service_status } = await client.listWatchFolders();
    context.out(values.json ? `${JSON.stringify(added)}\n` : folderLines(added, all));
    const isWatched = context.values.server !== '' && service_status.state !== 'stopped';
    const id = shortId(added.id, all);
    if (!added.enabled)
      context.screen.write(`The folder is disabled. To enable it: framehound watch edit ${id} --enabled\n`);
    else if (!isWatched) context.screen.write(`${whoWatches}\n`);
    return exit.ok;
  });
};

const whoWatches =
  'A running service watches the folder. Start the service with: framehound serve, then, once: framehound watch start';

const edit: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.edit, args);
  const word = only(positionals, needsFolder('edit'));
  const { sources, values: settings } = context.config;
  const elsewhere = sources.cache_dir === 'flag';
  const usual = values['default-cache-dir'];
  if (elsewhere && usual) throw usageErrors.USAGE('--cache-dir and --default-cache-dir cannot be combined');
  const into = elsewhere ? { cache_dir: resolve(settings.cache_dir) } : usual ? { cache_dir: null } : {};
  return withService(context, 0, async ({ client }) => {
    const { id, ...current } = folderMeant((await client.listWatchFolders()).watch_folders, word);
    const changes = { ...changesOf(current, values), ...into };
    if (Object.keys(changes).length === 0) {
      throw usageErrors.USAGE(
        'watch edit needs an option that says what to change; see: framehound help watch',
      );
    }
    const { watch_folder: changed } = await client.changeWatchFolder({ ...changes, id });
    const { watch_folders: all, service_status } = await client.listWatchFolders();
    const lines = folderLines(changed, all, service_status.folder_stats);
    context.out(values.json ? `${JSON.stringify(changed)}\n` : lines);
    return exit.ok;
  });
};

const remove: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.remove, args);
  const word = only(positionals, needsFolder('remove'));
  requireConsent(values, context);
  return withService(context, 0, async ({ client }) => {
    const all = (await client.listWatchFolders()).watch_folders;
    const folder = folderMeant(all, word);
    const path = printable(folder.folder_path);
    if (!values.yes && !values['dry-run']) {
      context.screen.write(folderLines(folder, all));
      const sure = await agreed(context, 'Stop watching this folder? Its footage and analysis are kept.');
      if (!sure) return exit.cancelled;
    }
    if (!values['dry-run']) await client.removeWatchFolder({ id: folder.id });
    const would = values['dry-run'] ? 'would no longer be' : 'is no longer';
    const answer = { dry_run: values['dry-run'], removed: folder };
    context.out(
      values.json
        ? `${JSON.stringify(answer)}\n`
        : `${path} ${would} watched; its footage and analysis are kept\n`,
    );
    return exit.ok;
  });
};

const needsFolder = (action: string, which = 'one folder, by path or id') =>
  `watch ${action} needs ${which}; see: framehound watch list`;

/** Only a running service watches. */
const serviceCommand = (
  ask: (client: Client) => Promise<{ readonly service_status: WatchStatus }>,
  hint: (status: WatchStatus) => string,
) => {
  const command: Command = async (args, context) => {
    const values = flagsOf(table.start, args);
    return withWatcher(context, async (client) => {
      const { service_status: status } = await ask(client);
      context.out(values.json ? `${JSON.stringify(status)}\n` : `${serviceLine(status)}\n`);
      const more = hint(status);
      if (more !== '') context.screen.write(`${more}\n`);
      return exit.ok;
    });
  };
  return command;
};

const start = serviceCommand(
  (client) => client.startWatching(),
  ({ folder_stats }) =>
    Object.keys(folder_stats).length === 0
      ? 'There are no watch folders. To add one: framehound watch add FOLDER'
      : '',
);

const stop = serviceCommand(
  (client) => client.stopWatching(),
  ({ state }) =>
    state === 'stopping'
      ? 'Files in progress will be finished first. To follow that: framehound watch status'
      : '',
);

const status: Command = async (args, context) => {
  const values = flagsOf(table.status, args);
  return withWatcher(context, async (client) => {
    const answer = await client.listWatchFolders();
    context.out(values.json ? `${JSON.stringify(answer.service_status)}\n` : statusLines(answer));
    const hint = startHint(answer.service_status);
    if (hint !== '') context.screen.write(`${hint}\n`);
    return exit.ok;
  });
};

const actions: Readonly<Record<string, Command>> = { list, add, edit, remove, start, stop, status };

export const watch: Command = byAction('watch', actions, 'list');

// Watch folders and how they are doing, as lines for a person.

type Of = Readonly<Record<string, FolderStats>>;

/** `all`: the folders there are; `stats`: by their ids. */
export function folderLines(folder: WatchFolder, all: readonly WatchFolder[], stats: Of = {}): string {
  const { id, folder_path, cache_dir, enabled } = folder;
  const excluded = [
    ...folder.excluded_extensions,
    ...folder.excluded_filename_globs,
    ...folder.excluded_folder_globs.map((glob) => `${glob}/`),
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
    ...ifAny(stats?.files_pending, 'pending'),
    ...ifAny(stats?.files_failed, 'failed'),
    ...ifAny(stats?.files_filtered, 'excluded by its filter'),
  ];
  return [listed === 0 ? 'not listed yet' : `${counts.join(', ')}; listed ${minuteText(listed)}`];
}

function ifAny(count: number | undefined, what: string): string[] {
  return count ? [`${count} ${what}`] : [];
}

/** `The watch-folder service is running: 12 files pending, 340 done since it was started`. */
export function serviceLine(status: WatchStatus): string {
  const { state, files_pending: pending, files_processed_this_session: done, paused_until } = status;
  const facts = [
    ...(pending > 0 ? [`${counted(pending, 'file')} pending`] : []),
    ...(done > 0 ? [`${done} done since the start`] : []),
    ...(paused_until === null ? [] : [`continues at ${minuteText(paused_until)}`]),
  ];
  return `The watch-folder service is ${state}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
}

/**
 * Advice about a service that watches nothing; empty if there is nothing to do, for example while another
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
    // Errors of a folder are shown with that folder.
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

/** Shortest unique beginning of the id. */
export function shortId(id: string, all: readonly FolderName[]): string {
  for (let length = SHOWN; length < id.length; length++) {
    const short = id.slice(0, length);
    if (all.every((folder) => folder.id === id || !folder.id.startsWith(short))) return short;
  }
  return id;
}

/** Throws WATCH_FOLDER_UNKNOWN with what was probably meant, also for a word that means several. */
export function folderMeant<F extends FolderName>(all: readonly F[], word: string): F {
  const exact = all.find(({ id }) => id === word);
  if (exact) return exact;
  const path = resolve(word);
  const spellings = [path, ...otherSpellings(path)];
  const here = all.filter(({ folder_path }) => spellings.includes(folder_path));
  const matches = here.length > 0 ? here : all.filter(({ id }) => word !== '' && id.startsWith(word));
  const [first, ...others] = matches;
  if (first === undefined) throw watchErrors.WATCH_FOLDER_UNKNOWN(unknown(all, word, path));
  if (others.length === 0) return first;
  const ids = matches.map(({ id }) => shortId(id, all)).join(', ');
  throw watchErrors.WATCH_FOLDER_UNKNOWN(
    `${printable(word)} matches ${matches.length} watch folders; use one of their ids: ${ids}`,
  );
}

function unknown(all: readonly FolderName[], word: string, path: string): string {
  if (all.length === 0)
    return `${printable(word)} is not watched; there are no watch folders. To add one: framehound watch add FOLDER`;
  const paths = all.map(({ folder_path }) => folder_path);
  const hint = suggestion(path, paths) || suggestion(word, paths) || '; see: framehound watch list';
  return `${printable(word)} is not watched${printable(hint)}`;
}

// The watch folder that the options of `watch add` and `watch edit` describe.

type Text = string | undefined;
type Switch = boolean | undefined;

/** The options as they were typed; those of `watch edit` are missing in `watch add`. */
export interface FolderOptions {
  readonly pictures?: Switch;
  readonly 'no-pictures': Switch;
  readonly speech: Switch;
  readonly 'no-speech'?: Switch;
  readonly faces?: Text;
  readonly 'no-faces'?: Switch;
  readonly eps?: Text;
  readonly 'min-samples'?: Text;
  readonly language?: Text;
  readonly speakers?: Text;
  readonly channels?: Text;
  readonly with?: Text;
  readonly 'exclude-extension': readonly string[];
  readonly 'exclude-file': readonly string[];
  readonly 'exclude-folder': readonly string[];
  readonly 'include-extension'?: readonly string[];
  readonly 'include-file'?: readonly string[];
  readonly 'include-folder'?: readonly string[];
  readonly filter: readonly string[];
  readonly 'no-filter'?: Switch;
  readonly enabled?: Switch;
  readonly disabled: Switch;
}

/** `cache_dir`: null for the default analysis folder. Throws USAGE. */
export function newFolder(
  folder_path: string,
  cache_dir: string | null,
  options: FolderOptions,
): NewWatchFolder {
  const defaults = Object.entries(NewWatchFolder.properties).flatMap(([name, schema]) => {
    const { default: fallback } = schema as { readonly default?: unknown };
    return fallback === undefined ? [] : [[name, structuredClone(fallback)] as const];
  });
  const plain = {
    ...Object.fromEntries(defaults),
    folder_path,
    cache_dir,
    face_min_samples: newClustering.min_samples,
    // The field of a request means English when it is left out.
    audio_language: 'auto',
  } as NewWatchFolder;
  const folder = { ...plain, ...changesOf(plain, options) } as NewWatchFolder;
  const { enable_visual_analysis, enable_audio_analysis, enable_face_analysis } = folder;
  if (!enable_visual_analysis && !enable_audio_analysis && !enable_face_analysis)
    throw usageErrors.USAGE('nothing to analyse is selected: add --speech or --faces JOB');
  return folder;
}

type Current = Pick<
  WatchFolder,
  | 'enable_audio_analysis'
  | 'enable_face_analysis'
  | 'excluded_extensions'
  | 'excluded_filename_globs'
  | 'excluded_folder_globs'
>;

/** Changes of a folder by the given options. Throws USAGE. */
export function changesOf(current: Current, options: FolderOptions): WatchFolderChanges {
  const changes: WatchFolderChanges = {
    ...switched('enable_visual_analysis', options, 'pictures', 'no-pictures'),
    ...switched('enable_audio_analysis', options, 'speech', 'no-speech'),
    ...facesOf(options),
    ...speechOf(options),
    ...excluded('excluded_extensions', current, options, 'extension'),
    ...excluded('excluded_filename_globs', current, options, 'file'),
    ...excluded('excluded_folder_globs', current, options, 'folder'),
    ...filtersOf(options),
    ...switched('enabled', options, 'enabled', 'disabled'),
  };
  expectUse({ ...current, ...changes }, options);
  return changes;
}

type Name = keyof FolderOptions;

function expectOne(options: FolderOptions, on: Name, off: Name): void {
  const isGiven = (name: Name) => ![undefined, false].includes(options[name] as Switch);
  if (isGiven(on) && isGiven(off)) throw usageErrors.USAGE(`--${on} and --${off} cannot be combined`);
}

function switched<F extends string>(
  field: F,
  options: FolderOptions,
  on: Name,
  off: Name,
): { [K in F]?: boolean } {
  expectOne(options, on, off);
  if (!options[on] && !options[off]) return {};
  return { [field]: Boolean(options[on]) } as { [K in F]?: boolean };
}

function facesOf(options: FolderOptions): WatchFolderChanges {
  expectOne(options, 'faces', 'no-faces');
  const [eps, samples] = [epsOf(options.eps), minSamplesOf(options['min-samples'])];
  const named = options.faces?.trim();
  if (named === '') throw usageErrors.USAGE('--faces needs a name for the clustering');
  return {
    ...(named !== undefined && { enable_face_analysis: true, cluster_job_name: named }),
    ...(options['no-faces'] && { enable_face_analysis: false }),
    ...(eps !== null && { face_eps: eps }),
    ...(samples !== null && { face_min_samples: samples }),
  };
}

function speechOf({ language, speakers, channels, with: model }: FolderOptions): WatchFolderChanges {
  return {
    ...(language !== undefined && { audio_language: languageArgument(language) }),
    ...(speakers !== undefined && speakersArgument(speakers)),
    ...(channels !== undefined && { channels: channels === 'mixed' ? null : channelsArgument(channels) }),
    ...(model !== undefined && { preferred_x_model_key: preferenceArgument(model) }),
  };
}

/** Adds to what is left out, and takes away what is not to be left out any more. */
function excluded<F extends 'excluded_extensions' | 'excluded_filename_globs' | 'excluded_folder_globs'>(
  field: F,
  current: Current,
  options: FolderOptions,
  what: 'extension' | 'file' | 'folder',
): { [K in F]?: string[] } {
  const form = asKept[what];
  const added = options[`exclude-${what}`].map(form);
  const removedGlobs = (options[`include-${what}`] ?? []).map(form);
  if (added.length === 0 && removedGlobs.length === 0) return {};
  const before = current[field];
  for (const glob of removedGlobs) {
    if (before.includes(glob)) continue;
    const hint = printable(suggestion(glob, before));
    throw usageErrors.USAGE(`--include-${what}: ${printable(glob)} is not excluded${hint}`);
  }
  const remaining = before.filter((glob) => !removedGlobs.includes(glob));
  return { [field]: [...new Set([...remaining, ...added])] } as { [K in F]?: string[] };
}

const asKept = { extension, file: (name: string) => name, folder: normalizeFolderGlob };

function extension(text: string): string {
  const lower = text.trim().toLowerCase();
  return lower.startsWith('.') ? lower : `.${lower}`;
}

function filtersOf(options: FolderOptions): WatchFolderChanges {
  const { filter, 'no-filter': none } = options;
  if (none && filter.length > 0) throw usageErrors.USAGE('--filter and --no-filter cannot be combined');
  if (none) return { metadata_filter_request: null };
  return filter.length === 0 ? {} : { metadata_filter_request: { filters: filter.map(filterArgument) } };
}

/** An option that would do nothing was probably meant to do something. */
function expectUse(folder: Current, options: FolderOptions): void {
  const given = (names: readonly Name[]) => names.find((name) => options[name] !== undefined);
  const ofSpeech = given(['language', 'speakers', 'channels', 'with']);
  if (ofSpeech !== undefined && !folder.enable_audio_analysis)
    throw usageErrors.USAGE(`--${ofSpeech} can only be used with --speech`);
  const ofFaces = given(['eps', 'min-samples']);
  if (ofFaces !== undefined && !folder.enable_face_analysis)
    throw usageErrors.USAGE(`--${ofFaces} can only be used with --faces JOB`);
}
