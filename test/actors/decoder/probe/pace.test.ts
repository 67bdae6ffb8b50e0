import assert from 'node:assert/strict';
import test from 'node:test';
import { timesVary } from '../../../../actors/decoder/probe/pace.ts';

const millisecond = 0.001;
const at = (fps: number, count: number) =>
  Array.from({ length: count }, (_, i) => Math.round((1000 * i) / fps));

test('milliseconds are not taken for uneven times, at any rate', () => {
  for (const fps of [12.5, 23.976, 24, 25, 29.97, 50, 59.94, 119.88, 240])
    assert.equal(timesVary(at(fps, 64), millisecond, false), false, `${fps}`);
});

test('times in the order of the file are put in order, and those that were not read yet are not missed', () => {
  const shown = at(25, 64);
  // Each second one comes eight places early; the last ones of the even ones are not there.
  const stored = shown.filter((_, i) => i % 2 === 0).concat(shown.filter((_, i) => i % 2 === 1 && i < 52));
  assert.equal(timesVary(stored, millisecond, false), false);
  assert.equal(timesVary(stored, millisecond, true), true);
});

test('a first picture that is shown longer is none, two are uneven times; too little says nothing', () => {
  const long = at(25, 60).map((time, i) => (i === 0 ? time : time + 100));
  assert.equal(timesVary(long, millisecond, true), false);
  assert.equal(
    timesVary(
      long.map((time, i) => (i < 30 ? time : time + 40)),
      millisecond,
      true,
    ),
    true,
  );
  assert.equal(timesVary([0, 10, 90, 100], millisecond, true), false);
  assert.equal(timesVary([...at(25, 40), null], millisecond, true), false);
});
