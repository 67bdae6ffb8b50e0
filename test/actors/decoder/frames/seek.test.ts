import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askPicture, askProbe } from '../ask-decoder.ts';
import { tenHours } from '../footage/clips.ts';

test('a moment late in a long film is reached by a seek', async () => {
  const path = await tenHours.make();
  const { seconds, rgb } = await askPicture(path, 30_000.5);
  assert.equal(seconds, 30_000);
  assert.ok(rgb.some((level) => level > 0));
  assert.equal((await askProbe(path)).grid_frames, 36_000);
});
