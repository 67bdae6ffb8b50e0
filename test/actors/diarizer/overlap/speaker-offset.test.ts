import assert from 'node:assert/strict';
import test from 'node:test';
import { lessSpeakerOffset } from '../../../../actors/diarizer/overlap/speaker-offset.ts';

const turn = (start: number, end: number, label: number) => ({ start, end, label });

/** Probabilities for every 20 ms: so many frames of each value, 0 to 255. */
const frames = (...parts: readonly [count: number, value: number][]) =>
  Uint8Array.from(parts.flatMap(([count, value]) => new Array<number>(count).fill(value)));

test("what is usual for a voice is taken out of its turns and of nobody else's", () => {
  // Two seconds each: a clear voice with overlap in it, and one that always sounds a little like two.
  const heard = frames([60, 1], [40, 250], [60, 160], [40, 254]);
  const found = lessSpeakerOffset(heard, 0, [turn(0, 2, 0), turn(2, 4, 1)]);
  assert.deepEqual(found.subarray(0, 99), heard.subarray(0, 99));
  assert.ok(found.subarray(101, 159).every((value) => value < 40));
  assert.ok(found.subarray(161).every((value) => value < 254 && value > 200));
  // Not changed in place.
  assert.equal(heard[120], 160);
});

test('the turns of one speaker are judged together, and frames of nobody are left', () => {
  const heard = frames([100, 200], [50, 200], [300, 1]);
  const found = lessSpeakerOffset(heard, 0, [turn(0, 2, 0), turn(3, 9, 0)]);
  assert.deepEqual(found, heard);
  const alone = lessSpeakerOffset(heard, 0, [turn(0, 2, 0), turn(3, 9, 1)]);
  assert.ok(alone.subarray(0, 99).every((value) => value < 80));
  assert.deepEqual(alone.subarray(101), heard.subarray(101));
});

test('turns that reach beyond the sound, a late start and no turns at all are taken', () => {
  const heard = frames([50, 200]);
  const late = lessSpeakerOffset(heard, 480_000, [turn(29, 40, 0)]);
  assert.ok(late.every((value) => value < 80));
  assert.deepEqual(lessSpeakerOffset(heard, 480_000, [turn(0, 2, 0)]), heard);
  assert.deepEqual(lessSpeakerOffset(heard, 0, []), heard);
  assert.deepEqual(lessSpeakerOffset(new Uint8Array(0), 0, [turn(0, 2, 0)]), new Uint8Array(0));
});
