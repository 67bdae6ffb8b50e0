import assert from 'node:assert/strict';
import test from 'node:test';
import { clustersMeant, clustersNamed, knownCluster } from '../../../../actors/faces/people/remove.ts';
import { jobOfNames } from './jobs.ts';

const job = jobOfNames({ c1: 'Ann', c2: 'ann', c3: 'José', c4: 'Ben', c5: 'Ben', c6: '', c7: 'c1' });
const meant = (...people: string[]) => clustersMeant(job, people, 'people');

test('an id goes before a name, a name means every cluster that has it, and each is meant once', () => {
  assert.deepEqual(meant('c1'), ['c1']);
  assert.deepEqual(meant('Ben', 'c4', ' Ben '), ['c4', 'c5']);
  assert.deepEqual(clustersNamed(job, 'c1', 'person_name'), ['c7']);
});

test('accents may be written in either way, and another case is enough where that is one name', () => {
  assert.deepEqual(meant('Jose\u0301'), ['c3']);
  assert.deepEqual(meant('BEN', 'josÉ'), ['c4', 'c5', 'c3']);
  assert.deepEqual(meant('ann'), ['c2']);
  assert.throws(() => meant('ANN'), /people\[0\]: "Family" has no person named "ANN"; did you mean/);
});

test('who is to be removed is named exactly', () => {
  assert.throws(() => clustersNamed(job, 'BEN', 'person_name'), /did you mean Ben\?/);
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
