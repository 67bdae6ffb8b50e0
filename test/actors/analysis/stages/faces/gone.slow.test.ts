// Films that are not there any more: their faces come from stored previews.
import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { analysisErrors } from '../../../../../actors/analysis/contract.ts';
import { until } from '../../../../until.ts';
import type { FakeFile } from '../../fake-file.ts';
import { page } from '../task-engine.ts';
import { type Engine, type EngineOptions, faceEngine } from './face-engine.ts';

const films: FakeFile[] = [
  { name: 'a', frames: 20 },
  { name: 'b', frames: 3 },
];
const jobOf = ({ w }: Engine, more: object = {}) => ({
  cluster_job_name: 'Family',
  face_media_paths: [...w.paths],
  face_eps: 0.48,
  face_min_samples: 2,
  ...more,
});

/** The pictures of every film are analysed; frame 1 of a stored preview is broken, frame 2 lost. */
async function engine(t: TestContext, files = films, options: EngineOptions = {}) {
  const e = await faceEngine(t, files, options);
  e.people.shown = (byte) => (byte % 2 === 0 ? [0] : [0, 1]);
  e.w.state.preview = (_, frame) =>
    frame === 2 ? null : new Uint8Array(frame === 1 ? [0xff, 0xd8] : [0xff, 0xd8, frame]);
  await e.run({ visual_media_paths: [...e.w.paths] });
  e.w.decoded.length = 0;
  return e;
}

/** Moves a file away; answers what brings it back. */
function away({ w }: Engine, at = 0): () => void {
  const path = w.paths[at]!;
  renameSync(path, `${path}.away`);
  return () => renameSync(`${path}.away`, path);
}

test('a film that is gone is looked at in its previews, at their size, and says so', async (t) => {
  const e = await engine(t);
  away(e);
  const { of, state, task_id } = await e.run({ face_clustering_jobs: [jobOf(e)] });
  assert.equal(state, 'completed');
  const { warning, ...faces } = of['a']!.faces!;
  // One preview of 20 frames is broken and one is lost; ten are odd, and one of these is broken.
  assert.deepEqual(faces, { model_key: 'find+embed', count: 18 + 9, missing_frames: 2, from_previews: true });
  assert.match(warning ?? '', /stored previews, not in the file/);
  assert.equal(of['b']?.faces?.warning, undefined);
  assert.deepEqual(e.w.decoded.toSorted(), [
    'b',
    'stored 0,1,3,4,5,6,7,8,9,10,11,12,13,14,15',
    'stored 16,17,18,19',
  ]);
  assert.deepEqual([...new Set(e.people.looked)].toSorted(), ['1x2', '2x1']);
  assert.deepEqual(of['Family']?.clustering?.media_hashes, ['a', 'b']);
  const texts = e.emitted.flatMap(({ warning: said }) => (said === undefined ? [] : [said]));
  assert.equal(texts.length, 1);
  assert.match(texts[0]!, /\/a: found in stored previews/);
  const { face_frames, face_grid_frames } = await e.tasks.get(task_id, page);
  assert.deepEqual([face_frames, face_grid_frames], [21, 23]);
  assert.equal(e.people.stages.size, 0);
  assert.equal(e.w.pool.free, e.w.pool.count);
});

test('what previews gave stands while the film is gone, and is done again when it is back', async (t) => {
  const e = await engine(t);
  const back = away(e);
  const face_clustering_jobs = [jobOf(e)];
  await e.run({ face_clustering_jobs });
  const again = await e.run({ face_clustering_jobs });
  assert.deepEqual([again.of['a']?.outcome, again.of['Family']?.outcome], ['stored', 'stored']);
  assert.match(again.of['a']?.faces?.warning ?? '', /stored previews/);
  const forced = await e.run({ face_clustering_jobs, force: true });
  assert.equal(forced.of['a']?.outcome, 'analyzed', 'previews are looked at again');
  back();
  const whole = await e.run({ face_clustering_jobs });
  assert.equal(whole.of['a']?.outcome, 'analyzed');
  assert.deepEqual(whole.of['a']?.faces, {
    model_key: 'find+embed',
    count: 30,
    missing_frames: 0,
    from_previews: false,
  });
  assert.equal((await e.run({ face_clustering_jobs })).of['a']?.outcome, 'stored');
});

test('previews never take the place of what was found in the film, not even when it is forced', async (t) => {
  const e = await engine(t);
  const face_clustering_jobs = [jobOf(e)];
  await e.run({ face_clustering_jobs });
  away(e);
  e.w.decoded.length = 0;
  for (const force of [false, true]) {
    const { of } = await e.run({ face_clustering_jobs, force });
    assert.deepEqual([of['a']?.outcome, of['a']?.faces?.count], ['stored', 30]);
    assert.equal(of['a']?.faces?.warning, undefined);
  }
  assert.deepEqual(e.w.decoded, ['b']);
});

test('pictures of a film that is gone stand as they are stored, beside its faces', async (t) => {
  const e = await engine(t);
  away(e);
  const { task_id } = await e.run({ face_clustering_jobs: [jobOf(e)], visual_media_paths: [...e.w.paths] });
  const { results } = await e.tasks.get(task_id, page);
  const ofA = results.filter(({ path }) => path === e.w.paths[0]);
  assert.deepEqual(
    ofA.map(({ type, outcome, error }) => [type, outcome, error?.code]).toSorted(),
    [
      ['faces', 'analyzed', undefined],
      ['video', 'stored', undefined],
    ].toSorted(),
  );
});

test('a film that nobody knows, or without previews, fails as ever', async (t) => {
  const e = await engine(t);
  away(e);
  e.w.state.committed.delete('a');
  const unknown = `${e.w.paths[1]}-unknown`;
  const job = jobOf(e, { face_media_paths: [...e.w.paths, unknown] });
  const { of } = await e.run({ face_clustering_jobs: [job] });
  assert.deepEqual(
    [of['a']?.error?.code, of['b-unknown']?.error?.code, of['b']?.outcome],
    ['FILE_NOT_FOUND', 'FILE_NOT_FOUND', 'analyzed'],
  );
  const alone = jobOf(e, { face_media_paths: [e.w.paths[0], unknown] });
  await assert.rejects(e.run({ face_clustering_jobs: [alone] }), analysisErrors.NO_VALID_MEDIA.is);
});

test('a request whose films are all gone is not refused, unless it wants their sound', async (t) => {
  const e = await engine(t);
  away(e, 0);
  away(e, 1);
  const job = { language: 'english', channels: null };
  const sound = e.run({ transcription_jobs: e.w.paths.map((path) => ({ path, ...job })) });
  await assert.rejects(sound, analysisErrors.NO_VALID_MEDIA.is);
  const { state, of } = await e.run({ face_clustering_jobs: [jobOf(e)] });
  assert.equal(state, 'completed');
  assert.equal(of['Family']?.outcome, 'analyzed');
});

test('a decoder that ends at a preview is asked again', async (t) => {
  const e = await engine(t);
  away(e);
  e.w.state.storedCrashes = 1;
  const { of } = await e.run({ face_clustering_jobs: [jobOf(e)] });
  assert.deepEqual([of['a']?.outcome, of['a']?.faces?.count], ['analyzed', 27]);
  assert.equal(e.w.pool.free, e.w.pool.count);
});

test('a cancel in the middle of previews leaves nothing open', async (t) => {
  const e = await engine(t);
  away(e);
  const gate = Promise.withResolvers<void>();
  e.people.holdFind = gate.promise;
  const task_id = await e.begin({ face_clustering_jobs: [jobOf(e, { face_media_paths: [e.w.paths[0]] })] });
  await until(() => e.people.stages.size > 0 && e.w.pool.free < e.w.pool.count);
  const cancelled = e.tasks.cancel();
  gate.resolve();
  await cancelled;
  assert.equal(await e.end(), 'cancelled');
  assert.equal((await e.ends(task_id)).of['a']?.outcome, 'cancelled');
  assert.equal(e.people.stages.size, 0);
  await until(() => e.w.pool.free === e.w.pool.count);
});

test('what is kept of a film is not gone on with in its previews', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 300, failAt: 270, failures: 0 }]);
  const film = e.w.state.files.get(e.w.paths[0]!)!;
  film.failures = 9;
  const face_clustering_jobs = [jobOf(e)];
  assert.equal((await e.run({ face_clustering_jobs })).of['a']?.error?.code, 'DECODE_FAILED');
  assert.ok(existsSync(e.w.paths[0]!));
  away(e);
  e.w.decoded.length = 0;
  const { of } = await e.run({ face_clustering_jobs });
  assert.equal(of['a']?.outcome, 'analyzed');
  assert.match(e.w.decoded[0] ?? '', /^stored 0,1,3/);
});
