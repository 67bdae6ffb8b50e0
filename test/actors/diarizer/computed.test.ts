import assert from 'node:assert/strict';
import test from 'node:test';
import { ComputedAnswers, packedActivity, unpackedActivity } from '../../../actors/diarizer/computed.ts';

const asked = [1, 2, 3].map((value) => new Float32Array(5).fill(value));

test('answers of an interrupted run are not computed again, and others are', async () => {
  let computed = 0;
  const negative = (of: readonly Float32Array[]) => async () => {
    computed += of.length;
    return of.map((values) => values.map((value) => -value));
  };
  const before = new ComputedAnswers(new Float32Array(0));
  const first = await before.of(asked.slice(0, 2), negative(asked.slice(0, 2)));
  const kept = before.taken();
  assert.deepEqual([computed, before.taken().length], [2, 0]);
  const after = new ComputedAnswers(kept);
  assert.deepEqual(await after.of(asked.slice(0, 2), negative(asked.slice(0, 2))), first);
  assert.equal(computed, 2);
  assert.equal(after.taken().length, 0);
  assert.deepEqual((await after.of(asked.slice(1), negative(asked.slice(1)))).length, 2);
  assert.equal(computed, 4);
  assert.ok(after.taken().length > 0);
});

test('where nobody keeps answers, each is computed', async () => {
  const answers = new ComputedAnswers(null);
  let computed = 0;
  const same = async () => {
    computed += 1;
    return asked;
  };
  await answers.of(asked, same);
  await answers.of(asked, same);
  assert.deepEqual([computed, answers.taken().length], [2, 0]);
});

test('the activity of a window is the same after it was packed', () => {
  const activity = Uint8Array.from({ length: 589 }, (_, at) => (at * 5) % 8);
  const packed = packedActivity(activity);
  assert.equal(packed.length, 74);
  assert.deepEqual(unpackedActivity(packed, activity.length), activity);
});
