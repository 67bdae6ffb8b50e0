// The task for some files of a watch folder, and what would make the results of another task differ. Every
// file gets every kind of work: what holds no picture, no sound or no face says so and counts as done.
import type { TaskRequest } from '../../analysis/contract.ts';
import type { FolderSettings } from './configuration.ts';

export function requestOf(folder: FolderSettings, cache_dir: string, paths: readonly string[]): TaskRequest {
  const { detect_speakers, speaker_count, preferred_x_model_key, channels } = folder;
  const { cluster_job_name, face_eps, face_min_samples } = folder;
  const { audio_language: language } = folder;
  return {
    cache_dir,
    ...(folder.enable_visual_analysis && { visual_media_paths: [...paths] }),
    ...(folder.enable_audio_analysis && {
      detect_speakers,
      speaker_count,
      preferred_x_model_key,
      transcription_jobs: paths.map((path) => ({ path, language, channels })),
    }),
    ...(hasFaces(folder) && {
      face_clustering_jobs: [
        {
          cluster_job_name: cluster_job_name ?? '',
          face_media_paths: [...paths],
          face_eps,
          face_min_samples,
        },
      ],
    }),
  };
}

export function hasFaces({ enable_face_analysis, cluster_job_name }: FolderSettings): boolean {
  return enable_face_analysis && cluster_job_name !== null;
}

/** What is done with a file, as a text: what was done by the same text need not be done again. */
export interface Plan {
  readonly work: string;
  /** Which analysis folder takes the results, whatever its name; null for one that holds nothing yet. */
  readonly store: string | null;
}

export function planText({ work, store }: Plan): string {
  return `${work} in ${store ?? 'an empty folder'}`;
}

/** `cache_dir`: of the folder, or the default one. Options of work that is off change nothing. */
export function workOf(folder: FolderSettings, cache_dir: string): string {
  const request = requestOf(folder, cache_dir, ['']);
  return JSON.stringify([1, request, folder.metadata_filter_request?.filters ?? []]);
}

/**
 * True when a folder that was empty holds something by now, or more is known of its store: what was done by
 * the one plan was done by the other.
 */
export function isFilled(before: Plan, now: Plan): boolean {
  if (before.work !== now.work || now.store === null) return false;
  return before.store === null || now.store.startsWith(`${before.store}-`);
}
