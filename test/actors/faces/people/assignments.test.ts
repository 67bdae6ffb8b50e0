import assert from 'node:assert/strict';
import test from 'node:test';
import { checkedAssignments, realChanges } from '../../../../actors/faces/people/people.ts';
import type { EngineError } from '../../../../runtime/errors.ts';
import { jobOfNames } from './jobs.ts';

const job = jobOfNames({ c1: 'Ann', c2: '' });
const refused = (cluster_id: string, name: string | null) => {
  try {
    checkedAssignments(job, [
      { cluster_id: 'c2', name: null },
      { cluster_id, name },
    ]);
  } catch (error) {
    const { code, details } = error as EngineError;
    return [code, details['field']];
  }
  return null;
};

test('a name that nobody can be given is refused with its place', () => {
  assert.deepEqual(refused('c1', 'A\nnn'), ['BAD_NAME', 'assignments[1].name']);
  for (const name of ['', null, 'Ann']) assert.equal(refused('c1', name), null);
});

test('an id that is no cluster is named, and so is a cluster with two names', () => {
  assert.deepEqual(refused('c9', 'Ann'), ['UNKNOWN_CLUSTER', 'assignments[1].cluster_id']);
  assert.deepEqual(refused('c2', 'Ann'), ['NAMED_TWICE', 'assignments[1]']);
  assert.equal(refused('c2', ''), null);
  const twice = ['Ann  Lee', ' Ann Lee'].map((name) => ({ cluster_id: 'c1', name }));
  assert.deepEqual(checkedAssignments(job, twice), [{ cluster_id: 'c1', name: 'Ann Lee' }]);
});

test('a name that was there before is no change', () => {
  assert.deepEqual(realChanges(job, { c1: 'Ann', c2: '' }), {});
  assert.deepEqual(realChanges(job, { c1: '', c2: 'Ann' }), { c1: '', c2: 'Ann' });
});
