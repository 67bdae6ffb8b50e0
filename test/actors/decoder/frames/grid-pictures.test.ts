import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askFrames, turnFor, walkCounts } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';

test('in keyframe mode every second shows the latest keyframe', async () => {
  const open = clips.find(({ name }) => name === 'H.264, 3 B-frames with pyramid, GOP 60')!;
  const turn = turnFor();
  const got = await askFrames({ path: await open.make(), mode: 'keyframes' }, turn);
  assert.deepEqual(
    got.map(({ second }) => second),
    [0, 1, 2, 3, 4],
  );
  const times = got.map(({ seconds }) => seconds);
  assert.ok(got.every(({ second, seconds }) => seconds <= second));
  assert.deepEqual([new Set(times).size, times[1], times[3]], [3, times[0], times[2]]);
  assert.equal(walkCounts(turn).decoded, 3);
});
