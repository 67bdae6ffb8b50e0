import assert from 'node:assert/strict';
import test from 'node:test';
import {
  countsOf,
  fileState as is,
  isEnd,
  stateAfter,
  stateSeen,
} from '../../../actors/watcher/file-state.ts';

const same = { same: true, empty: false, apart: true };

test('a file that stands still for long enough is ready, and an empty one is not', () => {
  assert.equal(stateSeen(is.unsettled, same), is.ready);
  assert.equal(stateSeen(is.unsettled, { ...same, apart: false }), is.unsettled);
  assert.equal(stateSeen(is.unsettled, { ...same, empty: true }), is.empty);
});

test('a file that changed begins anew, whatever became of it', () => {
  for (const state of Object.values(is))
    assert.equal(stateSeen(state, { ...same, same: false }), is.unsettled, String(state));
});

test('a file that is the same stays what it is', () => {
  for (const state of Object.values(is).filter((state) => state !== is.unsettled))
    assert.equal(stateSeen(state, same), state);
});

test('what is returned is ready again, the other ends stay', () => {
  assert.equal(stateAfter('returned'), is.ready);
  for (const end of ['analyzed', 'failed', 'filtered'] as const) {
    assert.equal(stateAfter(end), is[end]);
    assert.ok(isEnd(stateAfter(end)));
  }
  assert.deepEqual(Object.values(is).filter(isEnd), [is.analyzed, is.failed, is.filtered]);
});

test('counts sum up to the files', () => {
  const counts = countsOf(36, (state) => state);
  assert.deepEqual(counts, { files: 36, pending: 15, analyzed: 6, failed: 7, filtered: 8 });
});
