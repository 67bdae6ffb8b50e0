import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { until } from '../../../../until.ts';
import type { FakeFile } from '../../fake-file.ts';
import { page } from '../task-engine.ts';
import { type EngineOptions, faceEngine } from './face-engine.ts';

const films: FakeFile[] = [
  { name: 'a', frames: 5 },
  { name: 'b', frames: 3 },
];

async function engine(t: TestContext, options: EngineOptions = {}, files = films) {
  const e = await faceEngine(t, files, options);
  e.people.shown = (frame) => (frame % 2 === 0 ? [0] : [0, 1]);
  const job = {
    cluster_job_name: 'Family',
    face_media_paths: [...e.w.paths],
    face_eps: 0.48,
    face_min_samples: 2,
  };
  return { ...e, job };
}

const again = {
  cluster_job_name: 'Family',
  eps: 0.3,
  min_samples: 3,
  auto_detect_params: false,
  clear_names: false,
};

test('a clustering is made again as a task of no file and one closing step, without any model', async (t) => {
  const e = await engine(t);
  await e.run({ face_clustering_jobs: [e.job] });
  e.people.downloaded = false;
  e.emitted.length = 0;
  const { of, state, task_id } = await e.run({ recluster_jobs: [again] });
  assert.equal(state, 'completed');
  const task = await e.tasks.get(task_id, page);
  const { files, done, jobs, jobs_done } = task.counts;
  assert.deepEqual([files, done, jobs, jobs_done, task.total_results], [0, 0, 1, 1, 1]);
  assert.deepEqual([task.request.files, task.request.types, task.progress], [0, ['faces'], 100]);
  assert.deepEqual([of['Family']?.clustering?.eps, of['Family']?.clustering?.min_samples], [0.3, 3]);
  assert.equal(e.people.loads, 1, 'only the first task loaded models');
  const percentages = e.emitted.map(({ progress }) => Number(progress));
  assert.deepEqual(
    percentages,
    percentages.toSorted((a, b) => a - b),
  );
  assert.ok(
    percentages.some((percentage) => percentage > 30 && percentage < 90),
    percentages.join(),
  );
});

test('it tells its job under way and at its end, also to whoever joins late', async (t) => {
  const e = await engine(t);
  await e.run({ face_clustering_jobs: [e.job] });
  e.emitted.length = 0;
  const { task_id } = await e.run({ recluster_jobs: [again] });
  const ofJob = e.emitted.filter((event) => event.is_cluster_job);
  assert.ok(ofJob.length >= 2);
  for (const event of ofJob) {
    assert.deepEqual([event.type, event.cluster_job_name, event.video_path], ['faces', 'Family', null]);
  }
  const last = ofJob.at(-1)!;
  assert.deepEqual([last.done, last.cluster_media_hashes], [false, ['a', 'b']]);
  assert.equal(ofJob.filter((event) => event.cluster_media_hashes).length, 1);
  assert.ok(ofJob.some(({ cluster_progress }) => cluster_progress !== undefined && cluster_progress > 0));
  assert.equal(e.emitted.at(-1)?.done, true);
  const replay = e.rooms.replay(task_id) ?? [];
  assert.ok(
    replay.some((event) => event.cluster_media_hashes),
    JSON.stringify(replay),
  );
  assert.ok(!e.emitted.some((event) => event.ended_files?.some(({ video_path }) => video_path === 'Family')));
});

test('the distance can be found in the faces, and names can be taken away', async (t) => {
  const e = await engine(t);
  await e.run({ face_clustering_jobs: [{ ...e.job, auto_detect_params: true }] });
  const job = e.people.jobs.get('Family')!;
  e.people.jobs.set('Family', { ...job, names: { c0: 'Ann' } });
  await e.run({ recluster_jobs: [{ ...again, auto_detect_params: true }] });
  assert.deepEqual(e.people.jobs.get('Family')?.names, { c0: 'Ann' });
  await e.run({ recluster_jobs: [{ ...again, clear_names: true }] });
  assert.deepEqual(e.people.jobs.get('Family')?.names, {});
});

test('a clustering that is not there is an error of the task, and its event', async (t) => {
  const e = await engine(t);
  const { of, state } = await e.run({ recluster_jobs: [again] });
  assert.equal(state, 'failed');
  assert.equal(of['Family']?.error?.code, 'UNKNOWN_CLUSTER_JOB');
  const told = e.emitted.find(({ error }) => error !== undefined)!;
  assert.deepEqual([told.is_cluster_job, told.cluster_job_name, told.video_path], [true, 'Family', null]);
});

test('after a kill while it clusters, the task is resumed and clusters again', async (t) => {
  const home = temporaryFolder(t);
  const journal = join(home, 'journal.ndjson');
  const alive = new Set(['one', 'two']);
  const one = await engine(t, { home, token: 'one', alive, journal });
  const gate = Promise.withResolvers<void>();
  one.people.holdStep = gate.promise;
  const task_id = await one.begin({ face_clustering_jobs: [one.job] });
  await until(() => one.people.open.size > 0);
  // From here on the first engine counts as dead.
  alive.delete('one');
  const two = await engine(t, { home, token: 'two', alive, people: one.people }, []);
  for (const [path, file] of one.w.state.files) two.w.state.files.set(path, file);
  assert.equal((await two.tasks.get(task_id, page)).state, 'interrupted');
  assert.equal(await two.resume(task_id), 'completed');
  const { of } = await two.ends(task_id);
  assert.deepEqual(
    ['a', 'b', 'Family'].map((name) => of[name]?.outcome),
    ['analyzed', 'analyzed', 'analyzed'],
  );
  assert.equal(two.w.decoded.length, 0, 'no film is decoded again');
  assert.equal(two.people.commits, 1);
  gate.resolve();
  await one.tasks.stop();
});

test('a clustering that ended the engine twice is left alone there by a watched folder, and tried by who asks', async (t) => {
  const home = temporaryFolder(t);
  const journal = join(home, 'journal.ndjson');
  const first = await engine(t, { journal: join(home, 'first.ndjson') });
  const { cache_dir } = first;
  await first.run({ face_clustering_jobs: [first.job] });
  const key = /"key":"(people of Family [0-9a-f]+[^"]*)"/.exec(
    readFileSync(join(home, 'first.ndjson'), 'utf8'),
  )?.[1];
  assert.ok(key, 'the clustering is journalled');
  for (const pid of [1, 2]) {
    const lines = [
      { type: 'engine-start', time: 0, pid, started: '' },
      { type: 'stage-start', time: 0, task_id: 'x', key, pid },
      { type: 'engine-start', time: 0, pid, started: '' },
    ];
    appendFileSync(journal, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  const e = await engine(t, { journal }, []);
  for (const [path, file] of first.w.state.files) e.w.state.files.set(path, file);
  const job = { ...e.job, face_media_paths: [...first.w.paths] };
  const watched = async (folder: string, paths = job.face_media_paths) => {
    const query = { ...job, face_media_paths: paths };
    const request = { cache_dir: folder, face_clustering_jobs: [query] };
    const { task_id } = await e.tasks.start(request, { source: 'watch_folder', whenBusy: 'wait' });
    await until(async () => (await e.tasks.get(task_id, page)).ended !== null);
    return (await e.ends(task_id)).of['Family']?.error;
  };
  assert.equal(await watched(join(home, 'elsewhere')), null);
  assert.equal(await watched(cache_dir, job.face_media_paths.slice(1)), null, 'of other contents');
  e.people.jobs.clear();
  const refused = await watched(cache_dir);
  assert.equal(refused?.code, 'QUARANTINED');
  assert.match(refused?.message ?? '', /the engine crashed twice .*; a new request tries it again$/);
  const { of } = await e.run({ cache_dir, face_clustering_jobs: [job] });
  assert.equal(of['Family']?.outcome, 'analyzed');
});
