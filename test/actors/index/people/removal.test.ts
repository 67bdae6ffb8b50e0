import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { IndexSettings } from '../../../../actors/index/actor.ts';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { type Harness, indexActor } from '../handlers.ts';
import { chunk, cluster, compactFaces, d, modelKey, people, rollsIn, storeFaces } from './faces.ts';

const cluster_job_name = 'job';
const small: IndexSettings = { moveStep: { media: 1, bytes: 500 } };

async function clustered(t: TestContext) {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t, small);
  await storeFaces(index, cache_dir, 'aa', [
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
  await storeFaces(index, cache_dir, 'bb', [[1], [1], [2]]);
  await cluster(index, cache_dir, ['aa', 'bb']);
  const { clusters } = await people(index, cache_dir);
  const idOf = (person: number) => clusters.find(({ shown }) => shown[0]!.endsWith(` ${person}`))!.cluster_id;
  return { cache_dir, index, one: idOf(1), two: idOf(2) };
}

/** Whether any file of the folder has the picture, in whatever place. */
function isOnDisk(cache_dir: string, text: string): boolean {
  const files = readdirSync(cache_dir, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  return files.some((one) => readFileSync(join(one.parentPath, one.name)).includes(text));
}

const shownOf = async (index: Harness, cache_dir: string) =>
  (await people(index, cache_dir)).clusters.map(({ cluster_id, shown }) => [cluster_id, shown.toSorted()]);

test('a person who is deleted is gone at once, from the disk with the next compaction, and stays gone', async (t) => {
  const { cache_dir, index, one, two } = await clustered(t);
  const assignments = [{ cluster_id: one, name: 'Ada' }];
  await index.call('name_clusters', { cache_dir, cluster_job_name, assignments });
  const merges = [{ cluster_ids: [one, two], target_cluster_id: one }];
  await index.call('modify_clusters', { cache_dir, cluster_job_name, merges, moves: [] });
  await index.call('undo_clusters', { cache_dir, cluster_job_name });
  const request = { cache_dir, cluster_job_name, cluster_id: one };
  assert.deepEqual(await index.call('delete_people', request), {
    jobs: 0,
    clusters: 1,
    faces: 5,
    faces_removed: 5,
  });
  const { job, noise } = await people(index, cache_dir);
  assert.deepEqual([job.total_entries, job.cluster_ids, job.names, job.can_undo], [4, [two], {}, false]);
  assert.deepEqual(noise.shown, []);
  const left = [[two, ['aa 0 2', 'aa 1 2', 'aa 2 2', 'bb 2 2']]];
  assert.deepEqual(await shownOf(index, cache_dir), left);
  assert.ok(isOnDisk(cache_dir, 'display aa 0 1') && isOnDisk(cache_dir, 'display aa 0 2'));
  assert.ok((await compactFaces(index, cache_dir)) > 2);
  assert.ok(!isOnDisk(cache_dir, 'display aa 0 1') && !isOnDisk(cache_dir, 'aligned bb 1 1'));
  assert.ok(isOnDisk(cache_dir, 'display aa 0 2'));
  const again = await cluster(index, cache_dir, ['aa', 'bb']);
  assert.deepEqual([again.begun.before, again.report.faces, again.cluster_ids], [null, 4, [two]]);
  assert.deepEqual(await shownOf(index, cache_dir), left);
  await assert.rejects(index.call('delete_people', request), peopleErrors.UNKNOWN_CLUSTER.is);
});

test('faces that another clustering has stay, and go with the last one that has them', async (t) => {
  const { cache_dir, index, one } = await clustered(t);
  await cluster(index, cache_dir, ['bb'], {}, 'other');
  const deleted = await index.call('delete_people', { cache_dir, cluster_job_name, cluster_id: one });
  assert.deepEqual([deleted.faces, deleted.faces_removed], [5, 3]);
  const other = await people(index, cache_dir, 'other');
  assert.deepEqual([other.clusters[0]!.size, other.clusters[0]!.available_faces], [2, 2]);
  const whole = { cache_dir, cluster_job_name, cluster_id: null };
  assert.deepEqual(await index.call('delete_people', whole), {
    jobs: 1,
    clusters: 1,
    faces: 4,
    faces_removed: 3,
  });
  const request = { cache_dir, model_key: modelKey, hashes: ['aa', 'bb'] };
  assert.deepEqual((await index.call('faces_stored', request)).faces, [null, 3]);
  await assert.rejects(index.call('delete_people', whole), peopleErrors.UNKNOWN_CLUSTER_JOB.is);
  await index.call('delete_people', { ...whole, cluster_job_name: 'other' });
  assert.deepEqual((await index.call('faces_stored', request)).faces, [null, null]);
  await compactFaces(index, cache_dir);
  assert.ok(!isOnDisk(cache_dir, 'display'));
  assert.deepEqual((await index.call('cluster_jobs', { cache_dir })).jobs, []);
  assert.deepEqual(
    readdirSync(join(cache_dir, 'people')).filter((name) => name.endsWith('.columns')),
    [],
  );
});

test('what is kept of interrupted work on the media of a person goes with the person', async (t) => {
  const { cache_dir, index, one } = await clustered(t);
  const path = '/footage/aa.mp4';
  const span = {
    stage: 'faces',
    hash_str: 'aa',
    model_key: 'other',
    path,
    settings: '',
    task_id: '1',
    task_only: false,
  };
  const begun = { cache_dir, hash_str: 'aa', model_key: 'other', dimensions: d, span };
  const { stage } = await index.call('begin_faces', begun);
  await index.call('append_faces', { stage, ...chunk('aa', [[1]]), keep: true });
  await index.call('abort_faces', { stage });
  assert.equal(readdirSync(join(cache_dir, 'open')).length, 1);
  await index.call('delete_people', { cache_dir, cluster_job_name, cluster_id: one });
  assert.deepEqual(readdirSync(join(cache_dir, 'open')), []);
  assert.equal((await index.call('begin_faces', begun)).stored_frames, 0);
});

test('who is left of a person is shown as before, also where another clustering keeps the faces that went', async (t) => {
  const { cache_dir, index, one, two } = await clustered(t);
  await cluster(index, cache_dir, ['aa', 'bb'], {}, 'other');
  const before = (await shownOf(index, cache_dir)).filter(([id]) => id === two);
  const deleted = await index.call('delete_people', { cache_dir, cluster_job_name, cluster_id: one });
  assert.deepEqual([deleted.faces, deleted.faces_removed], [5, 0]);
  assert.deepEqual(await shownOf(index, cache_dir), before);
});

test('faces that are being found again are not deleted meanwhile', async (t) => {
  const { cache_dir, index, one } = await clustered(t);
  const begun = { cache_dir, hash_str: 'aa', model_key: modelKey, dimensions: d };
  const { stage } = await index.call('begin_faces', begun);
  const request = { cache_dir, cluster_job_name, cluster_id: one };
  await assert.rejects(index.call('delete_people', request), storeErrors.MEDIA_IN_WORK.is);
  const hashes = ['aa'];
  await assert.rejects(index.call('remove_media', { cache_dir, hashes }), storeErrors.MEDIA_IN_WORK.is);
  await index.call('append_faces', { stage, ...chunk('aa', [[1]]) });
  await index.call('commit_faces', { stage, media: mediaRecord('aa') });
  // The other faces of the clustering are not there any more, which samples tell and searches do not.
  const { clusters } = await people(index, cache_dir);
  assert.deepEqual(clusters.map(({ size, available_faces }) => [size, available_faces]).sort(), [
    [4, 1],
    [5, 3],
  ]);
  assert.equal((await index.call('delete_people', request)).faces, 5);
});

test('media that are forgotten take their faces along, and a clustering without media goes', async (t) => {
  const { cache_dir, index, one } = await clustered(t);
  await cluster(index, cache_dir, ['aa'], {}, 'only aa');
  const assignments = [{ cluster_id: one, name: 'Ada' }];
  await index.call('name_clusters', { cache_dir, cluster_job_name, assignments });
  const { clusterings } = await index.call('remove_media', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(clusterings, ['only aa']);
  const { jobs } = await index.call('cluster_jobs', { cache_dir });
  assert.deepEqual(
    jobs.map(({ name, media_hashes, total_entries, names }) => [name, media_hashes, total_entries, names]),
    [['job', ['bb'], 3, { [one]: 'Ada' }]],
  );
  const { media } = await index.call('held_media', { cache_dir, under: null, offset: 0, limit: 9 });
  assert.deepEqual(
    media.map(({ hash_str, results }) => [hash_str, results.map((found) => [found.model_key, found.count])]),
    [['bb', [[modelKey, 3]]]],
  );
  const { face_models } = await index.call('held_models', { cache_dir });
  assert.deepEqual(face_models, [{ model_key: modelKey, dimensions: d, rows: 9, dead: 6 }]);
  await compactFaces(index, cache_dir);
  assert.ok(!isOnDisk(cache_dir, 'display aa') && isOnDisk(cache_dir, 'display bb'));
  assert.deepEqual((await shownOf(index, cache_dir))[0], [one, ['bb 0 1', 'bb 1 1']]);
});

test('what is left of a roll of which most is of nobody is moved in steps, between which everything is shown', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t, { ...small, leastDeadFaces: 5 });
  for (let round = 0; round < 3; round++) {
    await storeFaces(index, cache_dir, 'aa', [
      [1, 2],
      [1, 2],
    ]);
    await storeFaces(index, cache_dir, 'bb', [[1], [2]]);
  }
  await cluster(index, cache_dir, ['aa', 'bb']);
  const before = await shownOf(index, cache_dir);
  let steps = 0;
  for (let done = false; !done && steps < 100; steps++) {
    ({ done } = await index.call('compact_faces', { cache_dir, model_key: modelKey }));
    assert.deepEqual(await shownOf(index, cache_dir), before);
  }
  assert.ok(steps >= 3 && steps < 100, String(steps));
  assert.equal(rollsIn(cache_dir).length, 1);
  const { face_models } = await index.call('held_models', { cache_dir });
  assert.deepEqual([face_models[0]!.rows, face_models[0]!.dead], [6, 0]);
  const again = await cluster(index, cache_dir, []);
  assert.ok(again.begun.before !== null);
});

test('an unknown clustering is deleted, shown and named in no folder that was not there', async (t) => {
  const cache_dir = join(temporaryFolder(t), 'none');
  const index = await indexActor(t);
  const request = { cache_dir, cluster_job_name, cluster_id: null };
  await assert.rejects(index.call('delete_people', request), peopleErrors.UNKNOWN_CLUSTER_JOB.is);
  const named = { cache_dir, cluster_job_name, assignments: [] };
  await assert.rejects(index.call('name_clusters', named), peopleErrors.UNKNOWN_CLUSTER_JOB.is);
  const modified = { cache_dir, cluster_job_name, merges: [], moves: [] };
  await assert.rejects(index.call('modify_clusters', modified), peopleErrors.UNKNOWN_CLUSTER_JOB.is);
  assert.deepEqual((await index.call('cluster_job', { cache_dir, cluster_job_name })).job, null);
  assert.equal((await index.call('compact_faces', { cache_dir, model_key: modelKey })).done, true);
  assert.ok(!existsSync(cache_dir));
});
