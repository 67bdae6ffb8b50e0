// The settings of a watch folder: brought into one form, and what is wrong with them together. Pure; paths.ts
// looks at the disk.
import { isAbsolute } from 'node:path';
import { type Complaint, plainPath } from '../../analysis/request.ts';
import { limits } from '../../analysis/stages/faces/limits.ts';
import { speechLanguages } from '../../transcriber/contract.ts';
import type { Exclusions } from '../contract.ts';
import { exclusionComplaint, normalizeExtensions, normalizeFolderGlob } from '../exclusions.ts';
import type { FolderSettings } from './configuration.ts';
import type { NewWatchFolder, WatchFolderChanges } from './contract.ts';

type Given = NewWatchFolder | (FolderSettings & WatchFolderChanges);

/** In the form in which they are recorded; what is wrong with them stays as it is. */
export function normalized(given: Given): FolderSettings {
  const { folder_path, cache_dir, cluster_job_name, audio_language } = given;
  const channels = [...new Set(given.channels ?? [])].sort((a, b) => a - b);
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
    excluded_extensions: withoutComplaints('excluded_extensions', given)
      ? normalizeExtensions(given.excluded_extensions)
      : given.excluded_extensions,
    excluded_filename_globs: [...new Set(given.excluded_filename_globs)],
    excluded_folder_globs: withoutComplaints('excluded_folder_globs', given)
      ? [...new Set(given.excluded_folder_globs.map(normalizeFolderGlob))]
      : given.excluded_folder_globs,
    channels: channels.length > 0 ? channels : null,
    detect_speakers: given.detect_speakers,
    speaker_count: given.speaker_count,
    preferred_x_model_key: given.preferred_x_model_key,
    metadata_filter_request: filtersOf(given.metadata_filter_request),
  };
}

/** The whole after a change; what is left out stays as it is. */
export function merged(settings: FolderSettings, changes: WatchFolderChanges): FolderSettings {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return normalized({ ...settings, ...Object.fromEntries(given) });
}

function withoutComplaints(field: keyof Exclusions, given: Exclusions): boolean {
  return given[field].every((one) => exclusionComplaint(field, one) === null);
}

/** Null for no filter. A scope is ignored: a watch folder has its own. */
function filtersOf(request: Given['metadata_filter_request']): FolderSettings['metadata_filter_request'] {
  const filters = Array.isArray(request) ? request : (request?.filters ?? []);
  if (filters.length === 0) return null;
  return {
    filters: filters.map(({ facet_id, operator = 'is_any_of', values }) => ({ facet_id, operator, values })),
  };
}

export function settingsComplaints(settings: FolderSettings): Complaint[] {
  const { enable_visual_analysis, enable_audio_analysis, enable_face_analysis } = settings;
  const found = [...pathComplaints(settings)];
  if (!enable_visual_analysis && !enable_audio_analysis && !enable_face_analysis) {
    found.push({ field: 'enable_visual_analysis', what: 'and the other kinds of analysis are all off' });
  }
  if (speechLanguages.code(settings.audio_language) === null) {
    const what = `names no language that is known: ${settings.audio_language}`;
    found.push({ field: 'audio_language', what });
  }
  return [...found, ...faceComplaints(settings), ...exclusionComplaints(settings)];
}

function pathComplaints({ folder_path, cache_dir }: FolderSettings): Complaint[] {
  const named = { folder_path, ...(cache_dir !== null && { cache_dir }) };
  return Object.entries(named).flatMap(([field, path]) => {
    if (/^[a-z][a-z0-9+.-]+:[\\/]/i.test(path)) return [{ field, what: 'must be a local path, not a URL' }];
    if (path.includes('\0')) return [{ field, what: 'must not hold a NUL character' }];
    return isAbsolute(path) ? [] : [{ field, what: 'must be an absolute path' }];
  });
}

function faceComplaints(settings: FolderSettings): Complaint[] {
  const { enable_face_analysis, cluster_job_name, face_eps } = settings;
  const found: Complaint[] = [];
  const letters = [...(cluster_job_name ?? '')].length;
  if (enable_face_analysis && cluster_job_name === null) {
    found.push({ field: 'cluster_job_name', what: 'is needed for face analysis' });
  }
  if (letters > limits.jobNameLetters) {
    found.push({
      field: 'cluster_job_name',
      what: `has ${letters} letters, more than ${limits.jobNameLetters}`,
    });
  }
  // A caller in this process may hand in what JSON cannot write.
  if (!(face_eps >= 0 && face_eps <= 2)) found.push({ field: 'face_eps', what: 'must be from 0 to 2' });
  return found;
}

function exclusionComplaints(settings: FolderSettings): Complaint[] {
  const fields = ['excluded_extensions', 'excluded_filename_globs', 'excluded_folder_globs'] as const;
  return fields.flatMap((field) =>
    settings[field].flatMap((exclusion) => {
      const what = exclusionComplaint(field, exclusion);
      return what === null ? [] : [{ field, what }];
    }),
  );
}
