// The settings of a watch folder: brought into one form, and what is wrong with them together. Pure:
// places.ts looks at the disk.
import { isAbsolute } from 'node:path';
import { plainPath } from '../../../runtime/paths.ts';
import type { Complaint } from '../../analysis/request.ts';
import { limits } from '../../analysis/stages/faces/limits.ts';
import { speechLanguages } from '../../transcriber/contract.ts';
import { exclusionComplaint, normalizeExtensions, normalizeFolderGlob } from '../exclusions.ts';
import type { FolderSettings } from './configuration.ts';
import type { NewWatchFolder, WatchFolderChanges } from './contract.ts';

const exclusionFields = ['excluded_extensions', 'excluded_filename_globs', 'excluded_folder_globs'] as const;

/** In the form in which they are recorded; what is wrong with them stays as it is. */
export function normalize(given: NewWatchFolder | (FolderSettings & WatchFolderChanges)): FolderSettings {
  const { folder_path, cache_dir, cluster_job_name, audio_language, metadata_filter_request } = given;
  const channels = [...new Set(given.channels ?? [])].sort((a, b) => a - b);
  const filters = Array.isArray(metadata_filter_request)
    ? metadata_filter_request
    : (metadata_filter_request?.filters ?? []);
  const form = (field: (typeof exclusionFields)[number], toForm: (texts: string[]) => string[]) =>
    given[field].some((one) => exclusionComplaint(field, one) !== null) ? given[field] : toForm(given[field]);
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
    if (/^[a-z][a-z0-9+.-]+:[\\/]/i.test(path)) return [{ field, what: 'must be a local path, not a URL' }];
    if (path.includes('\0')) return [{ field, what: 'must not hold a NUL character' }];
    return isAbsolute(path) ? [] : [{ field, what: 'must be an absolute path' }];
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
