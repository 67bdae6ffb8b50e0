// A film of ten hours at one frame a second: as many grid frames as a day of footage has at the usual rates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askPicture, askProbe, frameItems, turnFor } from '../actors/decoder/ask-decoder.ts';
import { longFilm } from '../actors/decoder/footage/clips.ts';
import { readStamp } from '../actors/decoder/footage/stamp.ts';

const shape = { width: 64, height: 36, fit: 'stretch', resample: 'area' } as const;

test('each of the 36,000 seconds of a ten-hour film has its own picture', async () => {
  const path = await longFilm.make();
  const turn = turnFor(shape);
  let second = 0;
  for await (const item of frameItems({ path, shape }, turn)) {
    assert.equal(item.frame_index, second);
    assert.equal(readStamp(turn.slot(item.picture), shape.width, shape.height), second);
    second++;
  }
  assert.equal(second, 36_000);
});

test('a picture late in a ten-hour film is found without reading the film', async () => {
  const path = await longFilm.make();
  assert.equal((await askProbe(path)).grid_frames, 36_000);
  const { rgb } = await askPicture(path, 35_123.4, shape);
  assert.equal(readStamp(rgb, shape.width, shape.height), 35_123);
});
