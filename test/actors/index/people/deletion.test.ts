// What is deleted of people leaves the disk, also where something was damaged before.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { databaseFile, faceModelKey } from '../../../../actors/index/store/names.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord, preview } from '../footage.ts';
import { type Harness, indexActor } from '../handlers.ts';
import { chunk, cluster, compactFaces, d, modelKey, people, rollsIn, storeFaces } from './faces.ts';

const cluster_job_name = 'job';

async function stored(t: TestContext) {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
  await storeFaces(index, cache_dir, 'bb', [[3], [3], [3]]);
  await cluster(index, cache_dir, ['aa']);
  return { cache_dir, index };
}

const isOnDisk = (cache_dir: string, text: string) =>
  readdirSync(join(cache_dir, 'people'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text));

const deleteJob = (index: Harness, cache_dir: string) =>
  index.call('delete_people', { cache_dir, cluster_job_name, cluster_id: null });

test('what is deleted leaves the disk where its roll was cut, and another one was begun', async (t) => {
  const { cache_dir, index } = await stored(t);
  const [roll] = rollsIn(cache_dir) as [string];
  truncateSync(roll, statSync(roll).size - 3);
  await storeFaces(index, cache_dir, 'cc', [[4], [4], [4]]);
  assert.equal(rollsIn(cache_dir).length, 2);
  await deleteJob(index, cache_dir);
  assert.ok(isOnDisk(cache_dir, 'display aa'));
  await compactFaces(index, cache_dir);
  assert.ok(!isOnDisk(cache_dir, 'display aa') && isOnDisk(cache_dir, 'display cc'));
  const request = { cache_dir, model_key: modelKey, hashes: ['aa', 'bb', 'cc'] };
  assert.deepEqual((await index.call('faces_stored', request)).faces, [null, null, 3]);
  await storeFaces(index, cache_dir, 'bb', [[3], [3], [3]]);
  const { begun } = await cluster(index, cache_dir, ['bb', 'cc']);
  assert.deepEqual([begun.entries, begun.missing, begun.unreadable], [6, [], []]);
});

test('what is deleted leaves the disk, and nobody gets the picture of another, where the record of the models is damaged', async (t) => {
  const { cache_dir, index } = await stored(t);
  await cluster(index, cache_dir, ['aa', 'bb'], {}, 'other');
  const one = (await people(index, cache_dir, 'other')).clusters.find(({ shown }) => shown[0] === 'aa 0 1')!;
  await index.close();
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  environment.transact((writes) => writes.put(faceModelKey(modelKey), new Uint8Array(40)));
  await environment.close();
  const again = await indexActor(t);
  await deleteJob(again, cache_dir);
  const request = { cache_dir, cluster_job_name: 'other', cluster_id: one.cluster_id };
  assert.equal((await again.call('delete_people', request)).faces_removed, 3);
  const left = (await people(again, cache_dir, 'other')).clusters.map(({ shown }) => shown.toSorted());
  assert.deepEqual(left.toSorted(), [
    ['aa 0 2', 'aa 1 2', 'aa 2 2'],
    ['bb 0 3', 'bb 1 3', 'bb 2 3'],
  ]);
  await compactFaces(again, cache_dir);
  assert.ok(!isOnDisk(cache_dir, 'display aa 0 1') && isOnDisk(cache_dir, 'display aa 0 2'));
  const { face_models } = await again.call('held_models', { cache_dir });
  assert.deepEqual(face_models, [{ model_key: modelKey, dimensions: d, rows: 6, dead: 0 }]);
});

test('to forget media without faces moves none', async (t) => {
  const { cache_dir, index } = await stored(t);
  await storeFaces(index, cache_dir, 'dd', [[], []]);
  const before = rollsIn(cache_dir);
  await index.call('remove_media', { cache_dir, hashes: ['dd'] });
  await compactFaces(index, cache_dir);
  assert.deepEqual(rollsIn(cache_dir), before);
});

test('what is kept of interrupted work on faces goes with them, also while pictures of the media are analysed', async (t) => {
  const { cache_dir, index } = await stored(t);
  const media = mediaRecord('aa');
  const span = { hash_str: 'aa', path: media.path, settings: 's', task_id: 't', task_only: false };
  const visual = { ...span, stage: 'visual', model_key: 'v' };
  const kept = { ...span, stage: 'faces', model_key: 'm2' };
  const begun = { cache_dir, hash_str: 'aa', dimensions: d };
  const faces = await index.call('begin_faces', { ...begun, model_key: 'm2', span: kept });
  await index.call('append_faces', { stage: faces.stage, ...chunk('aa', [[1, 2]]), keep: true });
  await index.call('abort_faces', { stage: faces.stage });
  const { stage } = await index.call('begin', { ...begun, model_key: 'v', span: visual });
  const rows = { frames: [0], vectors: new Float32Array(d).fill(0.25), previews: [preview(0)] };
  await index.call('append', { stage, ...rows, keep: true });
  await deleteJob(index, cache_dir);
  await index.call('abort', { stage });
  const again = await index.call('begin', { ...begun, model_key: 'v', span: visual });
  assert.equal(again.next_frame, 1);
  const anew = await index.call('begin_faces', { ...begun, model_key: 'm2', span: kept });
  assert.equal(anew.stored_frames, 0);
});

test('what several models found of a person leaves the disk together', async (t) => {
  const { cache_dir, index } = await stored(t);
  await storeFaces(index, cache_dir, 'aa', [[1, 2]], { model_key: 'other+model' });
  await storeFaces(index, cache_dir, 'bb', [[3]], { model_key: 'other+model' });
  const { faces, faces_removed } = await deleteJob(index, cache_dir);
  assert.deepEqual([faces, faces_removed], [6, 6]);
  await compactFaces(index, cache_dir);
  assert.ok(!isOnDisk(cache_dir, 'display aa') && isOnDisk(cache_dir, 'display bb 0 3'));
  assert.equal(rollsIn(cache_dir).length, 1);
});
