import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { noModelErrors } from '../../../../../actors/models/contract.ts';
import { until } from '../../../../until.ts';
import type { FakeFile } from '../../fake-file.ts';
import { page } from '../task-engine.ts';
import { type Engine, faceEngine } from './face-engine.ts';

const films: FakeFile[] = [
  { name: 'a', frames: 5 },
  { name: 'b', frames: 3 },
  { name: 'sound', frames: 4, kind: 'audio' },
];
const jobOf = ({ w }: Engine, more: object = {}) => ({
  cluster_job_name: 'Family',
  face_media_paths: [...w.paths],
  face_eps: 0.48,
  face_min_samples: 2,
  ...more,
});

/** Person 0 in every picture, person 1 in the odd ones, and somebody once. */
const seen = (frame: number) => (frame % 2 === 0 ? [0] : frame === 3 ? [0, 1, 2] : [0, 1]);

async function engine(t: TestContext, files = films) {
  const e = await faceEngine(t, files);
  e.people.shown = seen;
  return e;
}

test('faces are found in every second of a film, and clustered into people', async (t) => {
  const e = await engine(t);
  const { of, state, counts, task_id } = await e.run({ face_clustering_jobs: [jobOf(e)] });
  assert.equal(state, 'completed');
  const facts = { model_key: 'find+embed', from_previews: false };
  assert.deepEqual(of['a']?.faces, { ...facts, count: 8, missing_frames: 0 });
  assert.deepEqual([of['b']?.faces?.count, of['sound']?.outcome], [4, 'no_frames']);
  const { clustering } = of['Family']!;
  assert.deepEqual([clustering?.clusters, clustering?.total_entries, clustering?.noise_entries], [2, 12, 1]);
  assert.deepEqual(clustering?.media_hashes, ['a', 'b']);
  assert.equal(clustering?.sample_face_naming, null);
  assert.deepEqual([counts.files, counts.done, counts.no_frames], [3, 3, 1], 'a clustering is no file');
  assert.deepEqual([counts.jobs, counts.jobs_done, counts.jobs_failed], [1, 1, 0]);
  assert.deepEqual([of['a']?.closing, of['Family']?.closing], [undefined, true]);
  const task = await e.tasks.get(task_id, page);
  assert.deepEqual([task.face_frames, task.face_grid_frames, task.progress], [8, 8, 100]);
  assert.deepEqual(task.request.types, ['faces']);
  // Which film ends first is left open.
  assert.deepEqual(e.people.frames.toSorted(), [3, 5]);
  assert.equal(e.people.stages.size + e.people.clusterings.size + e.people.open.size, 0);
  assert.equal(e.people.unloads, 1);
  assert.equal(e.w.pool.free, e.w.pool.count);
});

test('the distance of a request is that of a usual model, and another one uses what suits it', async (t) => {
  const e = await engine(t, films.slice(0, 1));
  e.people.model = 'blazeface-256+dlib-resnet-v1';
  const clusteringBy = async (more: object) => {
    const { of } = await e.run({ face_clustering_jobs: [jobOf(e, more)] });
    const { eps, used_eps } = of['Family']!.clustering!;
    return [eps, used_eps, e.people.jobs.get('Family')?.eps];
  };
  assert.deepEqual(await clusteringBy({}), [0.48, 0.26, 0.26]);
  const { clustered } = e.people;
  const before = clustered.length;
  assert.deepEqual(await clusteringBy({}), [0.48, 0.26, 0.26]);
  assert.equal(clustered.length, before, 'the same is stored already');
  assert.deepEqual(await clusteringBy({ face_eps: 0.24 }), [0.24, 0.13, 0.13]);
});

test('what is found without a request is told as a request would say it', async (t) => {
  const e = await engine(t, films.slice(0, 1));
  e.people.model = 'blazeface-256+dlib-resnet-v1';
  const { of } = await e.run({ face_clustering_jobs: [jobOf(e, { auto_detect_params: true })] });
  const { eps, used_eps } = of['Family']!.clustering!;
  assert.deepEqual([eps, used_eps], [0.48, 0.26]);
});

test('a picture that is the same as the one before it is not looked at again', async (t) => {
  const e = await engine(t, [{ name: 'slides', frames: 7, still: 3 }]);
  e.people.shown = () => [0, 1];
  const { of } = await e.run({ face_clustering_jobs: [jobOf(e)] });
  assert.deepEqual(of['slides']?.faces?.count, 14);
  assert.equal(e.people.looked.length, 3);
  const stored = [...e.people.stored.values()][0]!;
  assert.deepEqual(
    stored.map(({ frame }) => frame),
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6],
  );
  for (const [i, { vector }] of stored.entries()) assert.deepEqual(vector, stored[i % 2]!.vector);
  assert.equal(e.w.pool.free, e.w.pool.count);
});

test('they come from the decode pass of the pictures, and both are whole', async (t) => {
  const e = await engine(t, films.slice(0, 2));
  const { state } = await e.run({
    face_clustering_jobs: [jobOf(e)],
    visual_media_paths: [...e.w.paths],
  });
  assert.equal(state, 'completed');
  assert.deepEqual(e.w.decoded.toSorted(), ['a', 'b'], 'each film is decoded once');
  assert.deepEqual(e.w.committed.get('a')?.frames, [0, 1, 2, 3, 4]);
  assert.equal(e.people.jobs.get('Family')?.total_entries, 12);
  assert.equal(e.w.pool.free, e.w.pool.count);
});

test('what is stored is skipped, the clustering included, until something of it changes', async (t) => {
  const e = await engine(t);
  await e.run({ face_clustering_jobs: [jobOf(e)] });
  const again = await e.run({ face_clustering_jobs: [jobOf(e)] });
  assert.deepEqual(
    ['a', 'b', 'Family'].map((name) => again.of[name]?.outcome),
    ['stored', 'stored', 'stored'],
  );
  assert.deepEqual([again.of['a']?.faces?.count, again.of['Family']?.clustering?.clusters], [8, 2]);
  assert.equal(e.people.commits, 1);
  const stricter = await e.run({ face_clustering_jobs: [jobOf(e, { face_eps: 0.3 })] });
  assert.deepEqual([stricter.of['a']?.outcome, stricter.of['Family']?.outcome], ['stored', 'analyzed']);
  const forced = await e.run({ face_clustering_jobs: [jobOf(e, { face_eps: 0.3 })], force: true });
  assert.deepEqual([forced.of['a']?.outcome, forced.of['Family']?.outcome], ['analyzed', 'analyzed']);
  assert.equal(e.people.commits, 3);
  assert.equal(e.people.clusterings.size, 0);
});

test('a job grows: what is new is compared with all, and the rest is not compared again', async (t) => {
  const e = await engine(t, films.slice(0, 2));
  await e.run({ face_clustering_jobs: [jobOf(e, { face_media_paths: [e.w.paths[0]] })] });
  await e.run({ face_clustering_jobs: [jobOf(e, { face_media_paths: [e.w.paths[1]] })] });
  assert.deepEqual(e.people.clustered, [8, 4]);
  assert.deepEqual(e.people.jobs.get('Family')?.media_hashes, ['a', 'b']);
});

test('a face actor that crashes while it looks is asked again, and again while it clusters', async (t) => {
  const e = await engine(t);
  Object.assign(e.people, { crashes: 1, clusterCrashes: 1 });
  const { of, state } = await e.run({ face_clustering_jobs: [jobOf(e)] });
  assert.equal(state, 'completed');
  assert.deepEqual([of['a']?.outcome, of['Family']?.outcome], ['analyzed', 'analyzed']);
  assert.equal(of['Family']?.clustering?.total_entries, 12);
  assert.equal(e.people.stages.size + e.people.clusterings.size + e.people.open.size, 0);
  assert.equal(e.w.pool.free, e.w.pool.count);
});

test('faces that change while they are clustered are clustered once more', async (t) => {
  const e = await engine(t);
  e.people.changes = 1;
  const { of } = await e.run({ face_clustering_jobs: [jobOf(e)] });
  assert.equal(of['Family']?.outcome, 'analyzed');
  e.people.changes = 2;
  const twice = await e.run({ face_clustering_jobs: [jobOf(e)], force: true });
  assert.equal(twice.of['Family']?.error?.code, 'CLUSTERING_CHANGED');
});

test('a cancel while it looks or clusters leaves nothing open', async (t) => {
  const e = await engine(t);
  for (const what of ['holdFind', 'holdStep'] as const) {
    const gate = Promise.withResolvers<void>();
    e.people[what] = gate.promise;
    const task_id = await e.begin({ face_clustering_jobs: [jobOf(e)] });
    await until(() => (what === 'holdFind' ? e.people.stages.size > 0 : e.people.open.size > 0));
    const cancelled = e.tasks.cancel();
    gate.resolve();
    await cancelled;
    assert.equal(await e.end(), 'cancelled');
    assert.equal((await e.ends(task_id)).of['Family']?.outcome, 'cancelled');
    assert.equal(e.people.stages.size + e.people.clusterings.size + e.people.open.size, 0);
    assert.equal(e.w.pool.free, e.w.pool.count);
  }
  assert.equal(e.people.commits, 0);
});

test('without a face model a job of faces is refused as a whole, and so is resuming it', async (t) => {
  const e = await engine(t);
  const { task_id } = await e.run({ face_clustering_jobs: [jobOf(e)] });
  e.people.downloaded = false;
  const request = { face_clustering_jobs: [jobOf(e)], visual_media_paths: [...e.w.paths] };
  const { NO_FACE_MODEL } = noModelErrors;
  await assert.rejects(
    e.run(request),
    (error: unknown) => NO_FACE_MODEL.is(error) && /models pull/.test(error.message),
  );
  await assert.rejects(e.tasks.resume(task_id), NO_FACE_MODEL.is);
  assert.equal((await e.tasks.list()).length, 1);
  assert.deepEqual([NO_FACE_MODEL.status, NO_FACE_MODEL.retryable], [400, false]);
});

test('a job that was made by other models is not made smaller by new ones', async (t) => {
  const e = await engine(t, films.slice(0, 2));
  await e.run({ face_clustering_jobs: [jobOf(e)] });
  e.people.model = 'find+better';
  const one = await e.run({ face_clustering_jobs: [jobOf(e, { face_media_paths: [e.w.paths[0]] })] });
  assert.equal(one.of['Family']?.error?.code, 'OTHER_FACE_MODEL');
  assert.match(one.of['Family']?.error?.message ?? '', /find\+embed.*find\+better has not searched .*\/b/);
  assert.equal(e.people.jobs.get('Family')?.model_key, 'find+embed');
  const all = await e.run({ face_clustering_jobs: [jobOf(e)] });
  assert.equal(all.of['Family']?.outcome, 'analyzed');
  assert.equal(e.people.jobs.get('Family')?.model_key, 'find+better');
});

test('files that cannot be looked at are left out, and the job says so', async (t) => {
  const e = await engine(t, [
    { name: 'a', frames: 5 },
    { name: 'b', frames: 3, failAt: 0, failures: 9 },
  ]);
  const { of } = await e.run({ face_clustering_jobs: [jobOf(e)] });
  assert.deepEqual([of['b']?.error?.code, of['Family']?.outcome], ['DECODE_FAILED', 'analyzed']);
  assert.equal(of['Family']?.clustering?.warning, '1 of 2 files could not be searched for faces');
  const none = await e.run({
    face_clustering_jobs: [jobOf(e, { face_media_paths: [e.w.paths[1]], cluster_job_name: 'x' })],
  });
  assert.equal(none.of['x']?.error?.code, 'NO_MEDIA');
});

test('frames that cannot be decoded are counted', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 5, missing: [1, 2] }]);
  const { of } = await e.run({ face_clustering_jobs: [jobOf(e)] });
  const facts = { model_key: 'find+embed', from_previews: false };
  assert.deepEqual(of['a']?.faces, { ...facts, count: 5, missing_frames: 2 });
});

test('a long film that was cut short goes on behind the last two minutes, and comes to the same', async (t) => {
  const whole = await engine(t, [{ name: 'a', frames: 300 }]);
  await whole.run({ face_clustering_jobs: [jobOf(whole)] });
  const cut = await engine(t, [{ name: 'a', frames: 300, failAt: 270, error: 'crash' }]);
  const { of, task_id } = await cut.run({ face_clustering_jobs: [jobOf(cut)] });
  assert.equal(of['a']?.outcome, 'analyzed');
  assert.deepEqual(cut.w.from, [0, 240]);
  assert.deepEqual(cut.people.stored, whole.people.stored);
  const { face_frames, face_grid_frames, progress } = await cut.tasks.get(task_id, page);
  assert.deepEqual([face_frames, face_grid_frames, progress], [300, 300, 100]);
});

test('stills are looked at too, each at its own shape', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 1, kind: 'image' }]);
  const { of } = await e.run({ face_clustering_jobs: [jobOf(e, { face_min_samples: 1 })] });
  assert.equal(of['a']?.faces?.count, 1);
  assert.deepEqual(e.people.looked, ['2x1']);
});
