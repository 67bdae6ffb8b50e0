import assert from 'node:assert/strict';
import test from 'node:test';
import { checkedCorrections } from '../../../../actors/faces/people/people.ts';
import type { ModifyRequest } from '../../../../actors/faces/people/requests/contract.ts';
import type { EngineError } from '../../../../runtime/errors.ts';
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
  assert.deepEqual(at({ to_cluster_id: 'a' }), ['WRONG_CORRECTION', 'moves[1].to_cluster_id']);
  assert.deepEqual(at({ entry_ids: [] }), ['WRONG_CORRECTION', 'moves[1].entry_ids']);
});
