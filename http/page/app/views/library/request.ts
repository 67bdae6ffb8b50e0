// The work that a person has chosen for files, as the request of an analysis.
import type { Api } from '../../api.ts';
import type { ListedFile } from './rows.ts';

export type AnalyzeBody = Parameters<Api['analyze']>[0];

export interface WorkOptions {
  readonly picture: boolean;
  readonly speech: boolean;
  readonly faces: boolean;
  readonly summary: boolean;
  /** Of what is said: a name, a code, or `auto`. */
  readonly language: string;
  /** Name of the clustering that faces join. */
  readonly people: string;
  /** Also what is stored already. */
  readonly again: boolean;
}

export const defaultWork: WorkOptions = {
  picture: true,
  speech: true,
  faces: false,
  summary: false,
  language: 'auto',
  people: '',
  again: false,
};

export type WorkFile = Pick<ListedFile, 'media_path' | 'kind' | 'summaries'>;

export interface KindCounts {
  readonly video: number;
  readonly audio: number;
  readonly image: number;
}

export function countKinds(files: readonly Pick<WorkFile, 'kind'>[]): KindCounts {
  const counts = { video: 0, audio: 0, image: 0 };
  for (const { kind } of files) counts[kind]++;
  return counts;
}

/** Pictures of films and stills, speech of films and sound, summaries of films and sound that have none. */
export function requestOf(files: readonly WorkFile[], options: WorkOptions, cache_dir: string): AnalyzeBody {
  const { picture, speech, faces, summary, language, people, again } = options;
  const seen = files.filter(({ kind }) => kind !== 'audio').map(({ media_path }) => media_path);
  const lasting = files.filter(({ kind }) => kind !== 'image');
  const summed = lasting.filter(({ summaries }) => again || summaries === 0);
  return {
    cache_dir,
    ...(picture && seen.length > 0 && { visual_media_paths: seen }),
    ...(speech &&
      lasting.length > 0 && {
        transcription_jobs: lasting.map(({ media_path: path }) => ({ path, language })),
      }),
    ...(faces &&
      seen.length > 0 && {
        face_clustering_jobs: [{ cluster_job_name: people.trim(), face_media_paths: seen }],
      }),
    ...(summary &&
      summed.length > 0 && {
        summary_requests: summed.map(({ media_path: path }) => ({ path, replace_existing: again })),
      }),
    force: again,
  };
}

/** Whether anything is asked for at all. */
export function isEmptyRequest(body: AnalyzeBody): boolean {
  const { visual_media_paths, transcription_jobs, face_clustering_jobs, summary_requests } = body;
  return !(visual_media_paths || transcription_jobs || face_clustering_jobs || summary_requests);
}
