import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  exactRate,
  frameAt,
  lastFrame,
  neighbour,
  partOf,
  rangeAt,
  shuttled,
  timecodeOf,
} from '../../../../../../http/page/app/views/player/frames.ts';

const rates = fc.constantFrom(23.976023976, 24, 25, 29.97002997, 30, 50, 59.94005994, 60, 120);

test('the start of a frame in whole microseconds, as players tell it, belongs to that frame', () => {
  const property = fc.property(rates, fc.integer({ min: 0, max: 1_000_000 }), (rate, frame) => {
    assert.equal(frameAt(Math.floor((frame / rate) * 1e6) / 1e6, rate), frame);
  });
  fc.assert(property);
});

test('a rounded rate is the one it stands for', () => {
  assert.equal(exactRate(23.976), 24_000 / 1001);
  assert.equal(exactRate(29.97), 30_000 / 1001);
  assert.equal(exactRate(59.94), 60_000 / 1001);
  for (const rate of [12.5, 24, 25, 30, 50, 60, 120]) assert.equal(exactRate(rate), rate);
});

test('the last frame is the one before the end', () => {
  assert.equal(lastFrame(2, 25), 49);
  assert.equal(lastFrame(2.01, 25), 50);
  assert.equal(lastFrame(0, 25), 0);
  assert.equal(lastFrame(60 / 23.976023976, 23.976023976), 59);
});

test('timecode counts frames at the nearest whole rate', () => {
  assert.equal(timecodeOf(0, 25), '00:00:00:00');
  assert.equal(timecodeOf(25 * 3661 + 13, 25), '01:01:01:13');
  assert.equal(timecodeOf(24, 23.976), '00:00:01:00');
  assert.equal(timecodeOf(12, 12.5), '00:00:00:12');
  assert.equal(timecodeOf(13, 12.5), '00:00:01:00');
  assert.equal(timecodeOf(153, 12.5), '00:00:12:03');
});

test('J and L double the speed of their direction, up to eight, and turn around', () => {
  assert.equal(shuttled(0, 1), 1);
  assert.equal(shuttled(1, 1), 2);
  assert.equal(shuttled(8, 1), 8);
  assert.equal(shuttled(4, -1), -1);
  assert.equal(shuttled(-2, -1), -4);
  assert.equal(shuttled(-4, 1), 1);
});

const shots = [
  { start_seconds: 0, end_seconds: 4 },
  { start_seconds: 4, end_seconds: 9 },
  { start_seconds: 9, end_seconds: 12 },
];

test('from shot to shot: the next start, and the start of this one before that of the one before', () => {
  assert.equal(neighbour(shots, 4, 1), 9);
  assert.equal(neighbour(shots, 10, 1), null);
  assert.equal(neighbour(shots, 6, -1), 4);
  assert.equal(neighbour(shots, 4.1, -1), 0);
  assert.equal(neighbour([], 5, -1), null);
});

test('the shot at a time', () => {
  assert.deepEqual(rangeAt(shots, 4), shots[1]);
  assert.deepEqual(rangeAt(shots, 11.9), shots[2]);
  assert.equal(rangeAt(shots, 12), null);
});

test('a part without marks is the shot; one mark keeps the other end of the shot; both are the part', () => {
  const none = { in: null, out: null };
  assert.deepEqual(partOf(none, shots[1]!, 12), shots[1]);
  assert.deepEqual(partOf({ in: 5, out: null }, shots[1]!, 12), { start_seconds: 5, end_seconds: 9 });
  assert.deepEqual(partOf({ in: null, out: 8 }, shots[1]!, 12), { start_seconds: 4, end_seconds: 8 });
  assert.deepEqual(partOf({ in: 2, out: 11 }, shots[1]!, 12), { start_seconds: 2, end_seconds: 11 });
  assert.deepEqual(partOf(none, null, 12), { start_seconds: 0, end_seconds: 12 });
});

test('whatever is marked, a part lies within the film and does not end before it begins', () => {
  const mark = fc.option(fc.double({ min: 0, max: 20, noNaN: true }));
  const property = fc.property(mark, mark, fc.constantFrom(null, ...shots), (start, stop, shot) => {
    const { start_seconds, end_seconds } = partOf({ in: start, out: stop }, shot, 12);
    assert.ok(start_seconds >= 0 && end_seconds <= 12, `${start_seconds} ${end_seconds}`);
  });
  fc.assert(property);
});
