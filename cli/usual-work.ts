// Default work: pictures, subtitles in or beside the files, and faces where their models are present.
import type { TaskRequest } from '../actors/analysis/contract.ts';
import { anySubtitlesKey, type TranscriptionJob } from '../actors/analysis/stages/speech/kind.ts';
import { isStillName } from '../actors/decoder/media-names.ts';
import { storeErrors } from '../actors/index/store/contract.ts';
import { isOf } from '../http/client/error.ts';
import { newClustering } from './arguments.ts';
import type { Context } from './context.ts';
import type { MediaTask } from './media-task.ts';
import type { CommandService } from './service.ts';

export interface UsualWork {
  readonly paths: readonly string[];
  readonly cacheDir: string;
  readonly force: boolean;
  /** Where the text of films comes from; null for none. */
  readonly text: 'subtitles' | 'speech' | null;
  readonly faces: boolean;
}

/** Name of a clustering of faces that nobody named. */
const people = 'people';

export function usualTask(
  service: CommandService,
  { paths, cacheDir, force, text, faces }: UsualWork,
  { values }: Context,
): MediaTask {
  const { decode } = values;
  const requestOf: MediaTask['requestOf'] = async (files) => {
    const lasting = text === null ? [] : files.filter((path) => !isStillName(path));
    const jobOf = text === 'speech' ? speechOf : subtitlesOf;
    const job = faces ? await faceJob(service, cacheDir, files) : null;
    return {
      ...{ cache_dir: cacheDir, visual_media_paths: files, decode, force },
      ...(lasting.length > 0 && { transcription_jobs: lasting.map(jobOf) }),
      ...(job && { face_clustering_jobs: [job] }),
    };
  };
  return { paths, cacheDir, json: false, requestOf };
}

/** Default job of `framehound transcribe`. */
function speechOf(path: string): TranscriptionJob {
  return { path, language: 'auto', channels: null };
}

/** To tell speakers apart the sound would have to be heard. */
function subtitlesOf(path: string): TranscriptionJob {
  const how = { preferred_x_model_key: anySubtitlesKey, detect_speakers: false, channels: null } as const;
  return { path, language: 'auto', ...how };
}

type FaceJob = NonNullable<TaskRequest['face_clustering_jobs']>[number];

/** Faces join the first clustering there is, as it is. Null while the models for faces are missing. */
async function faceJob(
  { client }: CommandService,
  cache_dir: string,
  face_media_paths: string[],
): Promise<FaceJob | null> {
  if ((await client.availableModels()).faces.command !== null) return null;
  const { jobs } = await client.faceClusters({ cache_dir }).catch((error: unknown) => {
    if (isOf(storeErrors.STORE_UNAVAILABLE, error)) return { jobs: [] };
    throw error;
  });
  const { name, eps, min_samples } = jobs[0] ?? { name: people, ...newClustering };
  return { cluster_job_name: name, face_media_paths, face_eps: eps, face_min_samples: min_samples };
}
