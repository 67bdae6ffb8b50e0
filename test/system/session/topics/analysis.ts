// What is analysed: requests that are refused, one with every kind of work, the same again, and the tasks
// that they were.
import type { Session } from '../session.ts';

export async function refusals(s: Session): Promise<void> {
  const { places, notes, gone, broken, stripes, people, ann } = s.media;
  await s.inFolder('/media/metadata', { media_paths: [places] });
  await s.inFolder('/library/list');
  await s.inFolder('/search/text', { query: 'a red car' });
  await s.inFolder('/search/transcript', { query: 'car' });
  await s.inFolder('/analyze', {});
  await s.ask('/analyze', { visual_media_paths: [places] });
  await s.ask('/analyze', { cache_dir: 'analysis', visual_media_paths: [places] });
  await s.inFolder('/analyze', { visual_media_paths: ['places.mp4'] });
  await s.inFolder('/analyze', { visual_media_paths: [notes, gone, broken] });
  await s.inFolder('/analyze', {
    visual_media_paths: [places],
    sample_faces: [{ name: 'Ann', face_paths: [ann] }],
  });
  await s.inFolder('/analyze', { visual_media_paths: [places], speaker_count: 9 });
  const transcription_jobs = [{ path: places, language: 'klingon' }];
  await s.inFolder('/analyze', { transcription_jobs });
  const job = { cluster_job_name: 'people', face_media_paths: [people] };
  await s.inFolder('/analyze', { face_clustering_jobs: [job, job] });
  const summary = { path: stripes, summary_model_key: 'no-such-model' };
  await s.inFolder('/analyze', { visual_media_paths: [stripes], summary_requests: [summary] });
  await s.ask('/analyze/cancel', undefined, { method: 'POST' });
  await s.ask('/tasks/no-such-task');
  await s.ask('/tasks/no-such-task/cancel', undefined, { method: 'POST' });
  await s.ask('/tasks/no-such-task/resume', undefined, { method: 'POST' });
}

export async function analysis(s: Session): Promise<void> {
  const { places, people, talk, flowers, stripes, ann, both, nobody, broken } = s.media;
  const collection = { name: 'Holidays', description: 'By the sea' };
  const cache_dir = s.cacheDir;
  const task_id = await s.run('/analyze', {
    cache_dir,
    visual_media_paths: [places, people, flowers, stripes, talk, broken],
    transcription_jobs: [{ path: talk }, { path: places, detect_speakers: false }, { path: people }],
    face_clustering_jobs: [
      { cluster_job_name: 'people', face_media_paths: [people, ann], face_eps: 0.1, face_min_samples: 2 },
    ],
    sample_faces: [
      { name: 'Ann', face_paths: [ann] },
      { name: 'Both', face_paths: [both] },
      { name: 'Nobody', face_paths: [nobody] },
    ],
    summary_requests: [
      { path: places, collection },
      { path: talk, collection, analysis_name: 'What is said' },
    ],
  });
  await s.run('/analyze', { cache_dir, visual_media_paths: [places], transcription_jobs: [{ path: talk }] });
  const taken = [{ path: places }];
  await s.inFolder('/analyze', { summary_requests: taken });
  await s.run('/analyze', {
    cache_dir,
    summary_requests: [{ path: places, collection: 'holidays', replace_existing: true }],
  });
  await s.ask('/tasks', undefined);
  await s.ask(`/tasks/${task_id}?limit=1&offset=1`, undefined, { keep: pageOf });
  await s.ask(`/tasks/${task_id}?limit=0`);
  await s.ask(`/tasks/${task_id}/cancel`, undefined, { method: 'POST' });
  const { body } = await s.ask<{ task_id: string }>(`/tasks/${task_id}/resume`, undefined, {
    method: 'POST',
  });
  await s.follow(body.task_id);
}

/** Results come as files end. */
function pageOf({ results, ...task }: { readonly results: readonly unknown[] }) {
  return { ...task, results: results.length };
}
