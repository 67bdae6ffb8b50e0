import assert from 'node:assert/strict';
import test from 'node:test';
import { checkedAssignments, realChanges } from '../../../actors/people/assignments.ts';
import { mostNameLetters } from '../../../actors/people/contract.ts';
import type { EngineError } from '../../../runtime/errors.ts';
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

test('a name may have 200 letters, whatever a letter takes', () => {
  for (const letter of ['a', 'é', '字', '😀', '𝒜']) {
    assert.equal(refused('c1', letter.repeat(mostNameLetters)), null, letter);
    assert.equal(refused('c1', ` ${letter.repeat(mostNameLetters)} `), null, letter);
    const tooLong = letter.repeat(mostNameLetters + 1);
    assert.deepEqual(refused('c1', tooLong), ['BAD_NAME', 'assignments[1].name'], letter);
  }
});

test('a name that cannot be shown in one line is refused', () => {
  for (const name of [
    'A\nnn',
    'A\0nn',
    '\u001b[31mAnn',
    'Ann\u0085',
    'A\u2028nn',
    'Ann\ud800',
    '\n',
    '   ',
    '\u3000',
  ])
    assert.deepEqual(refused('c1', name), ['BAD_NAME', 'assignments[1].name'], JSON.stringify(name));
  for (const name of ['', null, "O'Hara <b>", '👩‍👩‍👧', 'עברית', '__proto__'])
    assert.equal(refused('c1', name), null);
});

test('an id that is no cluster is named, and so is a cluster with two names', () => {
  assert.deepEqual(refused('c9', 'Ann'), ['UNKNOWN_CLUSTER', 'assignments[1].cluster_id']);
  assert.deepEqual(refused('c2', 'Ann'), ['NAMED_TWICE', 'assignments[1]']);
  assert.equal(refused('c2', ''), null);
});

test('a name that was there before is no change', () => {
  assert.deepEqual(realChanges(job, { c1: 'Ann', c2: '' }), {});
  assert.deepEqual(realChanges(job, { c1: '', c2: 'Ann' }), { c1: '', c2: 'Ann' });
});
