// New watch folders and changes of them: everything is checked before anything is recorded.
import type { Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../../index/contract.ts';
import type { Configuration, ConfigurationFile, FolderSettings, RecordedFolder } from './configuration.ts';
import { type NewWatchFolder, type WatchFolderChanges, watchErrors } from './contract.ts';
import type { Looks } from './looks.ts';
import { cacheOf, expectApart, expectOnce, type Homes, realCache, realWatched } from './places.ts';
import { merged, normalized, settingsComplaints } from './settings-of.ts';

export interface EditParts {
  readonly configuration: ConfigurationFile;
  readonly looks: Looks;
  readonly homes: Homes;
  readonly index: Ref<typeof indexContract>;
  /** Throws NO_FACE_MODEL when no face models are downloaded. */
  readonly expectModelFor: (work: 'faces') => Promise<void>;
  /** Unix seconds. */
  readonly now: () => number;
  readonly newId: () => string;
}

export async function addFolder(
  parts: EditParts,
  given: NewWatchFolder,
  signal: AbortSignal,
): Promise<RecordedFolder> {
  const settings = normalized(given);
  refuse(settings);
  const real_folder = await realWatched(parts.looks, settings);
  const real_cache_dir = await realCache(parts.looks, settings, parts.homes);
  expectApart({ real_folder, real_cache_dir }, parts.homes, parts.configuration.read().watch_folders);
  if (settings.enable_face_analysis) await parts.expectModelFor('faces');
  await expectFilters(parts, settings, signal);
  signal.throwIfAborted();
  const added = {
    id: parts.newId(),
    ...settings,
    created_at: parts.now(),
    real_folder,
    real_cache_dir,
  };
  await parts.configuration.change(({ watch_folders }) => {
    expectOnce(added, watch_folders);
    return { put: added };
  });
  return added;
}

/** What is not given is not looked at anew: a folder that is away can still be changed. */
export async function changeFolder(
  parts: EditParts,
  id: string,
  changes: WatchFolderChanges,
  signal: AbortSignal,
): Promise<RecordedFolder> {
  const before = folderOf(parts.configuration.read(), id);
  const checked = await checkedChange(parts, before, changes, signal);
  signal.throwIfAborted();
  let changed = checked;
  await parts.configuration.change((now) => {
    const { watch_folders } = now;
    // Another process may have changed another field meanwhile.
    const { real_cache_dir } = checked;
    changed = { ...folderOf(now, id), ...merged(folderOf(now, id), changes), real_cache_dir };
    refuse(changed);
    expectOnce(
      changed,
      watch_folders.filter((one) => one.id !== id),
    );
    return { put: changed };
  });
  return changed;
}

export async function removeFolder({ configuration }: EditParts, id: string): Promise<void> {
  await configuration.change((now) => ({ remove: folderOf(now, id).id }));
}

async function checkedChange(
  parts: EditParts,
  before: RecordedFolder,
  changes: WatchFolderChanges,
  signal: AbortSignal,
): Promise<RecordedFolder> {
  const settings = merged(before, changes);
  refuse(settings);
  const { real_folder } = before;
  let { real_cache_dir } = before;
  if (settings.cache_dir !== before.cache_dir) {
    real_cache_dir = await realCache(parts.looks, settings, parts.homes);
    expectApart({ real_folder, real_cache_dir }, parts.homes, []);
  }
  if (settings.enable_face_analysis && !before.enable_face_analysis) await parts.expectModelFor('faces');
  if (changes.metadata_filter_request !== undefined) await expectFilters(parts, settings, signal);
  return { ...before, ...settings, real_cache_dir };
}

/** WATCH_FOLDER_UNKNOWN. */
function folderOf({ watch_folders }: Configuration, id: string): RecordedFolder {
  const found = watch_folders.find((one) => one.id === id);
  if (found) return found;
  throw watchErrors.WATCH_FOLDER_UNKNOWN(`There is no watch folder ${id}`, { id });
}

function refuse(settings: FolderSettings): void {
  const complaints = settingsComplaints(settings);
  const [first] = complaints;
  if (!first) return;
  const said = complaints.slice(0, 20).map(({ field, what }) => `${field} ${what}`);
  throw watchErrors.INVALID_WATCH_FOLDER(said.join('; '), { field: first.field });
}

/** The errors of filters, named below `metadata_filter_request.filters`. */
async function expectFilters(
  { index, homes }: EditParts,
  settings: FolderSettings,
  signal: AbortSignal,
): Promise<void> {
  const filters = settings.metadata_filter_request?.filters ?? [];
  if (filters.length === 0) return;
  const request = { cache_dir: cacheOf(settings, homes), names: [], filters };
  await index.ask('passing', request, { signal, lane: 'now' });
}
