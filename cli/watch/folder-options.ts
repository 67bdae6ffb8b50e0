// The watch folder that the options of `watch add` and `watch edit` describe.

import { normalizeFolderGlob } from '../../actors/watcher/exclusions.ts';
import {
  NewWatchFolder,
  type WatchFolder,
  type WatchFolderChanges,
} from '../../actors/watcher/folders/contract.ts';
import { suggestion } from '../../runtime/text.ts';
import {
  channelsArgument,
  filterArgument,
  languageArgument,
  preferenceArgument,
  speakersArgument,
} from '../arguments.ts';
import { usageErrors } from '../context.ts';
import { epsOf, minSamplesOf, newClustering } from '../faces/analyze.ts';
import { printable } from '../terminal.ts';

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
  const taken = (options[`include-${what}`] ?? []).map(form);
  if (added.length === 0 && taken.length === 0) return {};
  const before = current[field];
  for (const one of taken) {
    if (before.includes(one)) continue;
    const meant = printable(suggestion(one, before));
    throw usageErrors.USAGE(`--include-${what}: ${printable(one)} is not excluded${meant}`);
  }
  const remaining = before.filter((one) => !taken.includes(one));
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
