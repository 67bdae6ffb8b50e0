import assert from 'node:assert/strict';
import test from 'node:test';
import { type FileState, FileTable, stateSeen } from '../../../actors/watcher/ledger.ts';

const states: readonly FileState[] = [
  ...(['unsettled', 'ready', 'taken', 'unreadable', 'empty'] as const),
  ...(['analyzed', 'failed', 'filtered'] as const),
];
const known = { mark: '1-1', since: 1000 };
const same = { mark: '1-1', isEmpty: false, now: 5000, settleMs: 4000 };

test('a file that stands still for long enough is ready, and an empty one is not', () => {
  const unsettled = { ...known, state: 'unsettled' as const };
  assert.equal(stateSeen(unsettled, same), 'ready');
  assert.equal(stateSeen(unsettled, { ...same, now: 4999 }), 'unsettled');
  assert.equal(stateSeen(unsettled, { ...same, isEmpty: true }), 'empty');
});

test('a file that changed begins anew, whatever became of it; one that is the same stays what it is', () => {
  for (const state of states) {
    assert.equal(stateSeen({ ...known, state }, { ...same, mark: '1-2' }), 'unsettled', state);
    if (state !== 'unsettled') assert.equal(stateSeen({ ...known, state }, same), state);
  }
});

test('counts sum up to the files, whatever becomes of them', () => {
  const table = new FileTable();
  for (const [i, state] of states.entries()) {
    for (let copy = 0; copy <= i; copy++) table.add(`${state} ${copy}`, '', state, 0);
  }
  assert.deepEqual(table.counts, { files: 36, pending: 15, analyzed: 6, failed: 7, filtered: 8 });
  table.setState(table.get('ready 0')!, 'failed');
  table.delete('analyzed 0', table.get('analyzed 0')!);
  assert.deepEqual(table.counts, { files: 35, pending: 14, analyzed: 5, failed: 8, filtered: 8 });
  assert.deepEqual([table.count('ready'), table.get('analyzed 0')], [1, undefined]);
});
