import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenLoads } from '../../../../actors/index/numbered-work.ts';
import {
  checkedAssignments,
  checkedCorrections,
  createPeople,
  realChanges,
} from '../../../../actors/library/people/people.ts';
import { clustersMeant, clustersNamed, knownCluster } from '../../../../actors/library/people/remove.ts';
import type { ModifyRequest } from '../../../../actors/library/people/requests/contract.ts';
import { FACES_AT_ONCE, PictureBudget, picturesOf } from '../../../../actors/library/people/samples.ts';
import { type EngineError, engineErrors } from '../../../../runtime/errors.ts';
import { FakeIndex, fakeJob } from './fake-index.ts';
import { jobOfNames } from './jobs.ts';

const job = jobOfNames({ a: 'Ann', b: '', c: '' });
type Merge = ModifyRequest['merges'][number];
type Move = ModifyRequest['moves'][number];

function refused(merges: Merge[], moves: Move[] = []) {
  try {
    checkedCorrections(job, { merges, moves, apart: [] });
  } catch (error) {
    const { code, details } = error as EngineError;
    return [code, details['field']];
  }
  return null;
}

test('one of the two is needed', () => {
  assert.deepEqual(refused([]), ['NO_CORRECTION', 'merges']);
});

test('a merge is of two clusters or more, and what stays is one of them', () => {
  const good = { cluster_ids: ['a', 'b'] };
  assert.equal(refused([good, { ...good, target_cluster_id: 'b' }]), null);
  assert.deepEqual(refused([good, { cluster_ids: ['a'] }]), ['WRONG_CORRECTION', 'merges[1].cluster_ids']);
  assert.deepEqual(refused([{ cluster_ids: ['a', 'a'] }]), ['WRONG_CORRECTION', 'merges[0].cluster_ids']);
  assert.deepEqual(refused([{ cluster_ids: ['a', 'x'] }]), ['UNKNOWN_CLUSTER', 'merges[0].cluster_ids[1]']);
  const other = { ...good, target_cluster_id: 'c' };
  assert.deepEqual(refused([other]), ['WRONG_CORRECTION', 'merges[0].target_cluster_id']);
});

test('a move is of faces from one cluster into another', () => {
  const good = { from_cluster_id: 'a', to_cluster_id: 'b', entry_ids: ['e1', 'e2', 'e1'] };
  assert.deepEqual(checkedCorrections(job, { merges: [], moves: [good], apart: [] }).moves[0]?.entry_ids, [
    'e1',
    'e2',
  ]);
  const at = (more: Partial<Move>) => refused([], [good, { ...good, ...more }]);
  assert.deepEqual(at({ from_cluster_id: 'x' }), ['UNKNOWN_CLUSTER', 'moves[1].from_cluster_id']);
  assert.deepEqual(at({ to_cluster_id: 'x' }), ['UNKNOWN_CLUSTER', 'moves[1].to_cluster_id']);
  assert.equal(at({ to_cluster_id: null }), null, 'to a new cluster');
  assert.equal(at({ from_cluster_id: null }), null, 'from no cluster');
  assert.equal(at({ from_cluster_id: null, to_cluster_id: null }), null, 'from no cluster to a new one');
  assert.deepEqual(at({ to_cluster_id: 'a' }), ['WRONG_CORRECTION', 'moves[1].to_cluster_id']);
  assert.deepEqual(at({ entry_ids: [] }), ['WRONG_CORRECTION', 'moves[1].entry_ids']);
});

const assignedJob = jobOfNames({ c1: 'Ann', c2: '' });
const refusedAssignment = (cluster_id: string, name: string | null) => {
  try {
    checkedAssignments(assignedJob, [
      { cluster_id: 'c2', name: null },
      { cluster_id, name },
    ]);
  } catch (error) {
    const { code, details } = error as EngineError;
    return [code, details['field']];
  }
  return null;
};

test('a name that nobody can be given is refusedAssignment with its place', () => {
  assert.deepEqual(refusedAssignment('c1', 'A\nnn'), ['BAD_NAME', 'assignments[1].name']);
  for (const name of ['', null, 'Ann']) assert.equal(refusedAssignment('c1', name), null);
});

test('an id that is no cluster is named, and so is a cluster with two names', () => {
  assert.deepEqual(refusedAssignment('c9', 'Ann'), ['UNKNOWN_CLUSTER', 'assignments[1].cluster_id']);
  assert.deepEqual(refusedAssignment('c2', 'Ann'), ['NAMED_TWICE', 'assignments[1]']);
  assert.equal(refusedAssignment('c2', ''), null);
  const twice = ['Ann  Lee', ' Ann Lee'].map((name) => ({ cluster_id: 'c1', name }));
  assert.deepEqual(checkedAssignments(assignedJob, twice), [{ cluster_id: 'c1', name: 'Ann Lee' }]);
});

test('a name that was there before is no change', () => {
  assert.deepEqual(realChanges(assignedJob, { c1: 'Ann', c2: '' }), {});
  assert.deepEqual(realChanges(assignedJob, { c1: '', c2: 'Ann' }), { c1: '', c2: 'Ann' });
});

const jobOfPersons = jobOfNames({ c1: 'Ann', c2: 'ann', c3: 'José', c4: 'Ben', c5: 'Ben', c6: '', c7: 'c1' });
const meant = (...people: string[]) => clustersMeant(jobOfPersons, people, 'people');

test('an id goes before a name, a name means every cluster that has it, and each is meant once', () => {
  assert.deepEqual(meant('c1'), ['c1']);
  assert.deepEqual(meant('Ben', 'c4', ' Ben '), ['c4', 'c5']);
  assert.deepEqual(clustersNamed(jobOfPersons, 'c1', 'person_name'), ['c7']);
});

test('accents may be written in either way, and another case is enough where that is one name', () => {
  assert.deepEqual(meant('Jose\u0301'), ['c3']);
  assert.deepEqual(meant('BEN', 'josÉ'), ['c4', 'c5', 'c3']);
  assert.deepEqual(meant('ann'), ['c2']);
  assert.throws(() => meant('ANN'), /people\[0\]: "Family" has no person named "ANN"; did you mean/);
});

test('who is to be removed is named exactly', () => {
  assert.throws(() => clustersNamed(jobOfPersons, 'BEN', 'person_name'), /did you mean Ben\?/);
});

test('a cluster without a name is nobody', () => {
  for (const text of ['', ' ', '__proto__', 'constructor'])
    assert.throws(() => meant(text), /has no person named/);
});

test('who is meant among very many clusters is not looked for through all of them each time', () => {
  const ids = Array.from({ length: 10_000 }, (_, i) => `c${i}`);
  let reads = 0;
  const cluster_ids = new Proxy(ids, {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
      return Reflect.get(target, key);
    },
  });
  const many = {
    ...jobOfNames(Object.fromEntries(ids.map((id, i) => [id, `Person ${i >> 1}`]))),
    cluster_ids,
  };
  for (let i = 0; i < 100; i++) {
    assert.deepEqual(clustersMeant(many, [`PERSON ${i}`], 'people'), [`c${2 * i}`, `c${2 * i + 1}`]);
    knownCluster(many, `c${9_999 - i}`, 'cluster_id');
  }
  assert.ok(reads <= 2 * ids.length, `${reads} reads`);
});

const named = { cache_dir: '/cache', cluster_job_name: 'Crowd' };
const never = { start: () => assert.fail('no task is started') };
/** In the middle of a buffer, as a view of a pack lies. */
const six = (entry: string) => new Uint8Array(Buffer.from(`##${entry.padEnd(6)}##`)).subarray(2, 8);

function crowd(clusters: number, faces: number, mostLetters: number) {
  const index = new FakeIndex({ picture: six });
  const ids = Array.from({ length: clusters }, (_, i) => `c${i}`);
  index.put('/cache', fakeJob('Crowd', Object.fromEntries(ids.map((id) => [id, faces]))));
  const parts = { index: index.ref, tasks: never, mostLetters };
  return { index, ids, parts, budget: new PictureBudget(parts) };
}

test('a picture is the bytes of its view and nothing around them', async () => {
  const { parts, budget } = crowd(1, 1, 100);
  const page = { cluster_ids: ['c0'], offset: 0, limit: 1 };
  const { clusters } = await picturesOf(parts, named, page, budget, undefined);
  assert.equal(Buffer.from(clusters[0]!.faces[0]!, 'base64').toString(), 'c0-0  ');
  assert.equal(budget.warning(), null);
});

test('what does not fit is left out from the last clusters on, is not even asked for, and is told', async () => {
  // Eight letters a picture: two clusters and a half.
  const { index, ids, parts, budget } = crowd(6, 1000, 2500 * 8);
  const page = { cluster_ids: ids, offset: 0, limit: 1000 };
  const { clusters } = await picturesOf(parts, named, page, budget, undefined);
  assert.deepEqual(
    clusters.map(({ faces, entry_ids, size }) => [faces.length, entry_ids.length, size]),
    [
      [1000, 1000, 1000],
      [1000, 1000, 1000],
      [500, 500, 1000],
      [0, 0, 1000],
      [0, 0, 1000],
      [0, 0, 1000],
    ],
  );
  assert.match(budget.warning()!, /^3500 pictures do not fit into one response, starting at cluster c2/);
  assert.deepEqual(
    index.asked.map(({ request }) => [(request['clusters'] as string[]).length, request['limit']]),
    [
      [1, 1000],
      [1, 1000],
      [1, 1000],
      [3, 0],
    ],
  );
});

test('small pages of many clusters go in few messages, and unknown ids of all of them are told', async () => {
  const { index, ids, parts, budget } = crowd(500, 3, 1e6);
  const page = { cluster_ids: ['x', ...ids, 'y'], offset: 1, limit: 12 };
  const { clusters, unknown } = await picturesOf(parts, named, page, budget, undefined);
  assert.deepEqual([clusters.length, unknown], [500, ['x', 'y']]);
  assert.equal(index.asked.length, Math.ceil((502 * 12) / FACES_AT_ONCE));
});

// Many questions for suggestions at the same time.

const steps = 3;
const request = {
  ...{ cache_dir: '/analysis', cluster_job_name: 'Cast', other_names: true },
  ...{ limit: 5, limit_per_cluster: 2 },
};

/** An index that keeps as many comparisons open as the real one, each of some steps. */
function world() {
  const open = new OpenLoads<{ left: number }>();
  const seen = { begun: 0, answered: 0 };
  const begin = () => {
    seen.begun++;
    return { left: steps };
  };
  const job = { name: 'Cast', model_key: 'a+b', eps: 0.5, face_storage_version: 2, clusters: [] };
  const ask = async (name: string, asked: { begun?: number }, { signal }: { signal?: AbortSignal }) => {
    if (signal?.aborted) throw engineErrors.CANCELLED();
    if (name === 'cluster_job') return { job };
    assert.equal(name, 'suggest_clusters');
    // One that never gets done is a failure, and not a test without an end.
    assert.ok(seen.answered++ < 2000, 'nobody gets an answer');
    const step = (load: { left: number }) => --load.left === 0;
    const { number: comparison, done } = open.step(asked.begun ?? null, () => true, begin, step);
    await new Promise((resolve) => setImmediate(resolve));
    return { done, comparison, pairs: [], left_out: 0 };
  };
  return { people: createPeople({ index: { ask }, tasks: {} } as never), seen };
}

test('however many ask for suggestions at once, each comparison is made once', async () => {
  const { people, seen } = world();
  const answers = await Promise.all(Array.from({ length: 40 }, () => people.suggest(request)));
  assert.ok(answers.every(({ suggestions }) => suggestions.length === 0));
  assert.equal(seen.begun, answers.length);
});

test('whoever leaves while others are answered waits no longer, and begins nothing', async () => {
  const { people, seen } = world();
  const leaving = new AbortController();
  const others = Array.from({ length: 8 }, () => people.suggest(request));
  const left = people.suggest(request, leaving.signal);
  const rejected = assert.rejects(left, engineErrors.CANCELLED.is);
  leaving.abort();
  await rejected;
  await Promise.all(others);
  assert.equal(seen.begun, others.length);
});
