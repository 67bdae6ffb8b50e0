import assert from 'node:assert/strict';
import test from 'node:test';
import { partAround, placeIn } from '../../../../../../http/page/app/views/player/takes.ts';

test('of a long shot the minute that is shown is looked for, of a short one all of it', () => {
  const short = { start_seconds: 10, end_seconds: 25 };
  assert.deepEqual(partAround(short, 12), short);
  const long = { start_seconds: 10, end_seconds: 200 };
  assert.deepEqual(partAround(long, 10), { start_seconds: 10, end_seconds: 70 });
  assert.deepEqual(partAround(long, 131), { start_seconds: 130, end_seconds: 190 });
  assert.deepEqual(partAround(long, 195), { start_seconds: 190, end_seconds: 200 });
  // Before the first frame of the shot, and a part without a length.
  assert.deepEqual(partAround({ start_seconds: 5, end_seconds: 5 }, 3), { start_seconds: 5, end_seconds: 6 });
});

test('a link leads to what the part begins with, as far as the other file has it', () => {
  const found = { hash_str: 'bb', media_path: '/b.mp4', start_seconds: 20, end_seconds: 40 };
  assert.equal(placeIn({ found, offset_seconds: 15 }, { start_seconds: 10, end_seconds: 20 }), 25);
  assert.equal(placeIn({ found, offset_seconds: 15 }, { start_seconds: 1, end_seconds: 20 }), 20);
});
