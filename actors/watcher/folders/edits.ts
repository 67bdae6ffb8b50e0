// New watch folders and changes of them: everything is checked before anything is recorded.

import { pathComplaint, plainPath } from '../../../runtime/paths.ts';
import type { Ref } from '../../../runtime/ref.ts';
import type { Complaint } from '../../analysis/request.ts';
import { limits } from '../../analysis/stages/faces/request.ts';
import type { indexContract } from '../../index/contract.ts';
import { speechLanguages } from '../../transcriber/contract.ts';
import { exclusionComplaint, normalizeExtensions, normalizeFolderGlob } from '../exclusions.ts';
import type { Configuration, ConfigurationFile, FolderSettings, RecordedFolder } from './configuration.ts';
import { type NewWatchFolder, type WatchFolderChanges, watchErrors } from './contract.ts';
import { expectOnce, type Homes, type WatchedPlaces } from './places.ts';

// The settings of a watch folder: brought into one form, and what is wrong with them together. Pure:
// places.ts looks at the disk.

const exclusionFields = ['excluded_extensions', 'excluded_filename_globs', 'excluded_folder_globs'] as const;

/** In the form in which they are recorded; what is wrong with them stays as it is. */
export function normalize(given: NewWatchFolder | (FolderSettings & WatchFolderChanges)): FolderSettings {
  const { folder_path, cache_dir, cluster_job_name, audio_language, metadata_filter_request } = given;
  const channels = [...new Set(given.channels ?? [])].sort((a, b) => a - b);
  const filters = Array.isArray(metadata_filter_request)
    ? metadata_filter_request
    : (metadata_filter_request?.filters ?? []);
  const form = (field: (typeof exclusionFields)[number], toForm: (texts: string[]) => string[]) =>
    given[field].some((exclusion) => exclusionComplaint(field, exclusion) !== null)
      ? given[field]
      : toForm(given[field]);
  return {
    folder_path: plainPath(folder_path),
    cache_dir: cache_dir === null ? null : plainPath(cache_dir),
    enabled: given.enabled,
    enable_visual_analysis: given.enable_visual_analysis,
    enable_audio_analysis: given.enable_audio_analysis,
    enable_face_analysis: given.enable_face_analysis,
    audio_language: audio_language.trim(),
    cluster_job_name: cluster_job_name?.trim() || null,
    face_eps: given.face_eps,
    face_min_samples: given.face_min_samples,
    excluded_extensions: form('excluded_extensions', normalizeExtensions),
    excluded_filename_globs: [...new Set(given.excluded_filename_globs)],
    excluded_folder_globs: form('excluded_folder_globs', (globs) => [
      ...new Set(globs.map(normalizeFolderGlob)),
    ]),
    channels: channels.length > 0 ? channels : null,
    detect_speakers: given.detect_speakers,
    speaker_count: given.speaker_count,
    preferred_x_model_key: given.preferred_x_model_key,
    // A scope is ignored: a watch folder has its own.
    metadata_filter_request:
      filters.length === 0
        ? null
        : {
            filters: filters.map(({ facet_id, operator = 'is_any_of', values }) => ({
              facet_id,
              operator,
              values,
            })),
          },
  };
}

/** The whole after a change; what is left out stays as it is. */
export function merge(settings: FolderSettings, changes: WatchFolderChanges): FolderSettings {
  const present = Object.entries(changes).filter(([, value]) => value !== undefined);
  return normalize({ ...settings, ...Object.fromEntries(present) });
}

export function settingsComplaints(settings: FolderSettings): Complaint[] {
  const { enable_visual_analysis, enable_audio_analysis, enable_face_analysis } = settings;
  const isIdle = !enable_visual_analysis && !enable_audio_analysis && !enable_face_analysis;
  const idle = { field: 'enable_visual_analysis', what: 'and the other kinds of analysis are all off' };
  const what = `names no language that is known: ${settings.audio_language}`;
  return [
    ...pathComplaints(settings),
    ...(isIdle ? [idle] : []),
    ...(speechLanguages.code(settings.audio_language) === null ? [{ field: 'audio_language', what }] : []),
    ...faceComplaints(settings),
    ...exclusionFields.flatMap((field) =>
      settings[field].flatMap((exclusion) => {
        const wrong = exclusionComplaint(field, exclusion);
        return wrong === null ? [] : [{ field, what: wrong }];
      }),
    ),
  ];
}

function pathComplaints({ folder_path, cache_dir }: FolderSettings): Complaint[] {
  const paths = { folder_path, ...(cache_dir !== null && { cache_dir }) };
  return Object.entries(paths).flatMap(([field, path]) => {
    const what = pathComplaint(path);
    return what === null ? [] : [{ field, what }];
  });
}

function faceComplaints({ enable_face_analysis, cluster_job_name, face_eps }: FolderSettings): Complaint[] {
  const field = 'cluster_job_name';
  const letters = [...(cluster_job_name ?? '')].length;
  return [
    ...(enable_face_analysis && cluster_job_name === null
      ? [{ field, what: 'is needed for face analysis' }]
      : []),
    ...(letters > limits.jobNameLetters
      ? [{ field, what: `has ${letters} letters, more than ${limits.jobNameLetters}` }]
      : []),
    // A caller in this process may hand in what JSON cannot write.
    ...(face_eps >= 0 && face_eps <= 2 ? [] : [{ field: 'face_eps', what: 'must be from 0 to 2' }]),
  ];
}

export interface EditParts {
  readonly configuration: ConfigurationFile;
  readonly places: WatchedPlaces;
  readonly homes: Homes;
  readonly index: Ref<typeof indexContract>;
  /** Throws NO_FACE_MODEL when no face models are downloaded. */
  readonly expectModelFor: (work: 'faces') => Promise<void>;
  /** Unix seconds. */
  readonly now: () => number;
  newId(): string;
}

export async function addFolder(
  parts: EditParts,
  given: NewWatchFolder,
  signal: AbortSignal,
): Promise<RecordedFolder> {
  const { places, configuration } = parts;
  const settings = normalize(given);
  expectValid(settings);
  const real_folder = await places.folder(settings);
  const real_cache_dir = await places.cache(settings);
  places.expectApart({ real_folder, real_cache_dir }, configuration.read().watch_folders);
  if (settings.enable_face_analysis) await parts.expectModelFor('faces');
  await expectFilters(parts, settings, signal);
  signal.throwIfAborted();
  const folder = { id: parts.newId(), ...settings, created_at: parts.now(), real_folder, real_cache_dir };
  await configuration.change(({ watch_folders }) => {
    expectOnce(folder, watch_folders);
    return { put: folder };
  });
  return folder;
}

/** Checks only the given settings, so that a folder that is away can still be changed. */
export async function changeFolder(
  parts: EditParts,
  id: string,
  changes: WatchFolderChanges,
  signal: AbortSignal,
): Promise<RecordedFolder> {
  const { places, configuration } = parts;
  const before = folderOf(configuration.read(), id);
  const settings = merge(before, changes);
  expectValid(settings);
  const { real_folder } = before;
  let { real_cache_dir } = before;
  if (settings.cache_dir !== before.cache_dir) {
    real_cache_dir = await places.cache(settings);
    places.expectApart({ real_folder, real_cache_dir }, []);
  }
  if (settings.enable_face_analysis && !before.enable_face_analysis) await parts.expectModelFor('faces');
  if (changes.metadata_filter_request !== undefined) await expectFilters(parts, settings, signal);
  signal.throwIfAborted();
  let folder = before;
  await configuration.change((now) => {
    // Another process may have changed another field meanwhile.
    const current = folderOf(now, id);
    folder = { ...current, ...merge(current, changes), real_cache_dir };
    expectValid(folder);
    expectOnce(
      folder,
      now.watch_folders.filter((folder) => folder.id !== id),
    );
    return { put: folder };
  });
  return folder;
}

/** WATCH_FOLDER_UNKNOWN. */
export function folderOf({ watch_folders }: Configuration, id: string): RecordedFolder {
  const match = watch_folders.find((folder) => folder.id === id);
  if (match) return match;
  throw watchErrors.WATCH_FOLDER_UNKNOWN(`There is no watch folder ${id}`, { id });
}

/** INVALID_WATCH_FOLDER. */
function expectValid(settings: FolderSettings): void {
  const complaints = settingsComplaints(settings);
  const [first] = complaints;
  if (!first) return;
  const texts = complaints.slice(0, 20).map(({ field, what }) => `${field} ${what}`);
  throw watchErrors.INVALID_WATCH_FOLDER(texts.join('; '), { field: first.field });
}

/** The errors of filters, named below `metadata_filter_request.filters`. */
async function expectFilters(
  { index, homes }: EditParts,
  { metadata_filter_request, cache_dir }: FolderSettings,
  signal: AbortSignal,
): Promise<void> {
  if (metadata_filter_request === null) return;
  const { filters } = metadata_filter_request;
  const request = { cache_dir: cache_dir ?? homes.cache, names: [], filters };
  await index.ask('passing', request, { signal, lane: 'now' });
}
