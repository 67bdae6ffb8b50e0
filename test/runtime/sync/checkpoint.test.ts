import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineErrors } from '../../../runtime/errors.ts';
import { atOnce, createCheckpoint, inSteps, runFor, type Steps } from '../../../runtime/sync/checkpoint.ts';

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

function* counted(seen: number[], steps: number): Steps<string> {
  for (let i = 0; i < steps; i++) {
    seen.push(i);
    yield;
  }
  return 'done';
}

test('the result is the same at once and in steps, with a checkpoint after each of these', async () => {
  const seen: number[] = [];
  assert.equal(atOnce(counted(seen, 3)), 'done');
  let checkpoints = 0;
  const checkpoint = async () => {
    checkpoints++;
  };
  assert.equal(await inSteps(counted(seen, 4), checkpoint), 'done');
  assert.deepEqual([seen, checkpoints], [[0, 1, 2, 0, 1, 2, 3], 4]);
});

test('what a checkpoint throws ends the work', async () => {
  const seen: number[] = [];
  const checkpoint = async () => {
    if (seen.length === 2) throw new Error('enough');
  };
  await assert.rejects(inSteps(counted(seen, 9), checkpoint), /enough/);
  assert.deepEqual(seen, [0, 1]);
});

test('what takes longer than it may goes on with the next call', (t) => {
  const seen: number[] = [];
  let clock = 0;
  t.mock.method(performance, 'now', () => clock++);
  const steps = counted(seen, 5);
  assert.deepEqual([runFor(3, steps), seen.length], [null, 3]);
  assert.deepEqual([runFor(9, steps), seen.length], ['done', 5]);
});
