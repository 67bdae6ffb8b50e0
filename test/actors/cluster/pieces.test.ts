import assert from 'node:assert/strict';
import test from 'node:test';
import type { AnalysisRequest } from '../../../actors/analysis/contract.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import {
  type JobWork,
  jobsOf,
  pathsOf,
  piecesOf,
  requestOf,
  steps,
  workOf,
} from '../../../actors/cluster/pieces.ts';

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

const files = (...paths: string[]): JobWork => ({ step: steps.files, paths, name: null });

test('a job has the work on its own files, of every kind', () => {
  assert.deepEqual(pathsOf(request), ['/f/a.mp4', '/f/b.mp4']);
  const own = requestOf(request, files('/f/b.mp4'));
  assert.deepEqual([own.paths, own.text_paths, own.model_key], [['/f/b.mp4'], ['/f/b.mp4'], 'm']);
  assert.deepEqual(
    piecesOf(request)(files('/f/b.mp4')).map(({ type }) => type),
    ['video', 'text'],
  );
  assert.deepEqual(requestOf(request, files('/f/a.mp4')).text_paths, []);
});

test('a large file is a job, small ones go together, and the largest come first', () => {
  const large = { path: 'large', bytes: 1e9 };
  const small = Array.from({ length: 40 }, (_, i) => ({ path: `${i}`, bytes: i }));
  const jobs = jobsOf([...small, large], 2).map((some) => some.map(({ path }) => path));
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

test('a clustering comes after its files, and summaries come last', () => {
  const faces = {
    name: 'cast',
    paths: ['/f/a.mp4', '/f/b.mp4'],
    eps: null,
    min_samples: 2,
    clear_names: false,
  };
  const summary = { path: '/f/b.mp4', analysis_name: 'short' };
  const whole = {
    ...request,
    face_jobs: [{ ...faces, samples: [] }],
    summary_jobs: [summary as AnalysisRequest['summary_jobs'][number]],
  };
  const all = workOf(
    whole,
    [
      { path: '/f/a.mp4', bytes: 1 },
      { path: '/f/b.mp4', bytes: 1 << 30 },
    ],
    1,
  );
  assert.deepEqual(
    all.map(({ step, paths, name, cost }) => [step, paths, name, cost]),
    [
      [steps.files, ['/f/b.mp4'], null, 65],
      [steps.files, ['/f/a.mp4'], null, 1],
      [steps.closings, [], 'cast', 1],
      [steps.summaries, ['/f/b.mp4'], null, 1],
    ],
    'by files, and by 16 MiB of them',
  );
  const pieces = all.map(piecesOf(whole)).map((all) => all.map(({ type, path }) => `${type} ${path}`));
  assert.deepEqual(pieces, [
    ['video /f/b.mp4', 'faces /f/b.mp4', 'text /f/b.mp4'],
    ['video /f/a.mp4', 'faces /f/a.mp4'],
    ['faces cast'],
    ['summary /f/b.mp4'],
  ]);
  const [first, , closing, last] = all;
  assert.deepEqual(requestOf(whole, first!).face_jobs[0]!.paths, ['/f/b.mp4']);
  assert.deepEqual(requestOf(whole, first!).summary_jobs, []);
  const clustered = requestOf(whole, closing!, new Set(['/f/a.mp4']));
  assert.deepEqual([clustered.paths, clustered.face_jobs[0]!.paths], [[], ['/f/a.mp4']]);
  const summarized = requestOf(whole, last!);
  assert.deepEqual([summarized.paths, summarized.text_paths, summarized.face_jobs], [[], undefined, []]);
  assert.deepEqual(summarized.summary_jobs, [summary]);
});
