// The faces of a real clip whose file was moved away: found in its stored previews by the service, and again
// in the clip.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { FaceFacts } from '../../actors/analysis/stages/faces/kind.ts';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type { FaceClusterJobs } from '../../actors/library/people/contract.ts';
import { facesModels, yunetWeights } from '../actors/faces/stand-in-embedder.ts';
import { sharedPath, skipWithout } from '../shared.ts';
import { sharedService } from './service.ts';

const skip = skipWithout('media/faces', yunetWeights);
const cluster_job_name = 'gone';

test('faces of a clip that is away come from its previews, and names last when it is back', {
  skip,
}, async () => {
  const service = await sharedService(facesModels);
  const { cache_dir } = service;
  const volume = `${cache_dir}-volume`;
  mkdirSync(volume);
  const clip = join(volume, 'book.mkv');
  copyFileSync(sharedPath('media/faces/signers/book.mkv'), clip);
  const run = async (body: object) => {
    const { task_id } = await service.ok<{ task_id: string }>('/analyze', { cache_dir, ...body });
    const events = await service.follow(task_id);
    assert.equal(events.at(-1)?.error, undefined, JSON.stringify(events.at(-1)));
    const { results } = await service.ok<TaskDetail>(`/tasks/${task_id}`);
    const [of] = results.filter(({ path }) => path === clip);
    return { outcome: of?.outcome, faces: of?.['faces'] as FaceFacts, events };
  };
  const face_clustering_jobs = [{ cluster_job_name, face_media_paths: [clip], face_min_samples: 2 }];
  const job = async () => {
    const path = `/faces/clusters?cache_dir=${encodeURIComponent(cache_dir)}`;
    return (await service.ok<FaceClusterJobs>(path)).jobs.find(({ name }) => name === cluster_job_name)!;
  };
  await run({ visual_media_paths: [clip] });
  renameSync(volume, `${volume}.away`);

  const away = await run({ face_clustering_jobs });
  assert.equal(away.outcome, 'analyzed');
  assert.ok(away.faces.count > 0);
  assert.equal(away.faces.missing_frames, 0);
  assert.match(away.faces.warning ?? '', /stored previews/);
  assert.ok(away.events.some(({ warning }) => warning?.includes('book.mkv: found in stored previews')));
  const [cluster_id] = (await job()).cluster_ids;
  assert.ok(cluster_id);
  const assignments = [{ cluster_id, name: 'Anna' }];
  await service.ok('/faces/clusters/names', { cache_dir, cluster_job_name, assignments }, 'PUT');

  renameSync(`${volume}.away`, volume);
  const back = await run({ face_clustering_jobs });
  assert.equal(back.outcome, 'analyzed');
  assert.equal(back.faces.warning, undefined);
  assert.ok(back.faces.count >= away.faces.count);
  assert.deepEqual(Object.values((await job()).names), ['Anna']);
  assert.equal((await run({ face_clustering_jobs })).outcome, 'stored');
});
