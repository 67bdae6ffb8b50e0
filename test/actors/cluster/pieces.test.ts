import assert from 'node:assert/strict';
import test from 'node:test';
import type { AnalysisRequest } from '../../../actors/analysis/contract.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import { clusterErrors } from '../../../actors/cluster/contract.ts';
import { expectSpread, jobsOf, pathsOf, piecesOf, requestOf } from '../../../actors/cluster/pieces.ts';

const nothing = Object.assign(
  { cache_dir: '/a', force: false },
  ...stageKinds.map((kind) => kind.nothing),
) as AnalysisRequest;
const request: AnalysisRequest = {
  ...nothing,
  paths: ['/f/a.mp4', '/f/b.mp4'],
  model_key: 'm',
  text_paths: ['/f/b.mp4'],
};

test('a job has the work on its own files, of every kind', () => {
  assert.deepEqual(pathsOf(request), ['/f/a.mp4', '/f/b.mp4']);
  const own = requestOf(request, ['/f/b.mp4']);
  assert.deepEqual([own.paths, own.text_paths, own.model_key], [['/f/b.mp4'], ['/f/b.mp4'], 'm']);
  assert.deepEqual(
    piecesOf(request, ['/f/b.mp4']).map(({ type }) => type),
    ['video', 'text'],
  );
  assert.deepEqual(requestOf(request, ['/f/a.mp4']).text_paths, []);
});

test('a large file is a job, small ones go together, and the largest come first', () => {
  const large = { path: 'large', bytes: 1e9 };
  const small = Array.from({ length: 40 }, (_, i) => ({ path: `${i}`, bytes: i }));
  const jobs = jobsOf([...small, large], 2);
  assert.deepEqual(jobs[0], ['large']);
  assert.deepEqual(
    jobs.slice(1).map(({ length }) => length),
    Array(8).fill(5),
    'each of two workers has four turns',
  );
  assert.equal(jobs[1]![0], '39');
  assert.deepEqual(jobs.flat().toSorted(), [...small, large].map(({ path }) => path).toSorted());
  assert.equal(jobsOf(small, 0)[0]!.length, 8, 'no more than eight');
  assert.equal(jobsOf(small, 100)[0]!.length, 1);
});

test('what no worker can do by itself is refused by name', () => {
  expectSpread(request);
  const isRefused = (error: unknown) => clusterErrors.NOT_IN_CLUSTER.is(error) && /faces/.test(error.message);
  const job = { name: 'all', paths: ['/f/a.mp4'] } as never;
  assert.throws(() => expectSpread({ ...request, face_jobs: [job] }), isRefused);
  assert.throws(() => expectSpread({ ...request, from_previews: true }), /from_previews/);
});
