// New watch folders and changes of them: everything is checked before anything is recorded.
import type { Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../../index/contract.ts';
import type { Configuration, ConfigurationFile, FolderSettings, RecordedFolder } from './configuration.ts';
import { type NewWatchFolder, type WatchFolderChanges, watchErrors } from './contract.ts';
import { expectOnce, type Homes, type Places } from './places.ts';
import { merge, normalize, settingsComplaints } from './settings.ts';

export interface EditParts {
  readonly configuration: ConfigurationFile;
  readonly places: Places;
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

/** What is not given is not looked at again: a folder that is away can still be changed. */
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
      now.watch_folders.filter((one) => one.id !== id),
    );
    return { put: folder };
  });
  return folder;
}

/** WATCH_FOLDER_UNKNOWN. */
export function folderOf({ watch_folders }: Configuration, id: string): RecordedFolder {
  const found = watch_folders.find((one) => one.id === id);
  if (found) return found;
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
