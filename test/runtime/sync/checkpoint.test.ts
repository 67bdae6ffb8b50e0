import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineErrors } from '../../../runtime/errors.ts';
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';

function turn() {
  const seen = { alive: 0, cancelled: false };
  return {
    seen,
    alive: () => {
      seen.alive++;
    },
    throwIfCancelled: () => {
      if (seen.cancelled) throw engineErrors.CANCELLED();
    },
  };
}

test('every step lets the event loop turn and tells a sign of life', async () => {
  const one = turn();
  const checkpoint = createCheckpoint(one);
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  await checkpoint();
  assert.deepEqual([turned, one.seen.alive], [true, 1]);
});

test('of several steps only the last lets the event loop turn, and each looks whether the turn is cancelled', async () => {
  const one = turn();
  const checkpoint = createCheckpoint(one, { every: 3 });
  for (let step = 0; step < 7; step++) await checkpoint();
  assert.equal(one.seen.alive, 2);
  one.seen.cancelled = true;
  await assert.rejects(checkpoint(), engineErrors.CANCELLED.is);
});

test('a turn that is cancelled while the event loop turns, and an actor that stops, end the work', async () => {
  const one = turn();
  const waiting = createCheckpoint(one)();
  one.seen.cancelled = true;
  await assert.rejects(waiting, engineErrors.CANCELLED.is);
  const stopping = AbortSignal.abort();
  await assert.rejects(createCheckpoint(undefined, { stopping })(), engineErrors.CANCELLED.is);
});
