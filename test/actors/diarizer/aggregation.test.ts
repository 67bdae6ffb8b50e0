import assert from 'node:assert/strict';
import test from 'node:test';
import { turnsOfWindows } from '../../../actors/diarizer/diarize.ts';
import {
  type SegmentationWindow,
  segmentationFrames,
} from '../../../actors/diarizer/segmentation-channel.ts';
import { resultOf } from './generator-result.ts';

/** Active local speakers, as bits, between fractions of the window. */
function windowOf(
  start: number,
  said: readonly [number, number, number][],
  rows: number[],
): SegmentationWindow {
  const activity = new Uint8Array(segmentationFrames);
  for (const [from, to, bits] of said) {
    for (let frame = Math.round(from * 589); frame < Math.round(to * 589); frame++) activity[frame]! |= bits;
  }
  return { start, activity, rows };
}

const rounded = (turns: readonly { start: number; end: number; label: number }[]) =>
  turns.map(({ start, end, label }) => [Math.round(start * 10) / 10, Math.round(end * 10) / 10, label]);

test('the turns of one window, two of which overlap', () => {
  const window = windowOf(
    16_000,
    [
      [0.1, 0.5, 1],
      [0.4, 0.8, 2],
    ],
    [0, 1, -1],
  );
  assert.deepEqual(rounded(resultOf(turnsOfWindows([window], [4, 2], 5))), [
    [2, 6, 4],
    [5, 9, 2],
  ]);
});

test('local speakers of two windows are one speaker where their embeddings have one label', () => {
  const first = windowOf(0, [[0.2, 1, 1]], [0, -1, -1]);
  const second = windowOf(16_000, [[0.1, 0.95, 4]], [-1, -1, 1]);
  assert.deepEqual(rounded(resultOf(turnsOfWindows([first, second], [0, 0], 1))), [[2, 10.5, 0]]);
});

test('a speaker whom most windows do not find has no turn', () => {
  const silent = windowOf(0, [[0.9, 0.95, 1]], [0, -1, -1]);
  const others = [1, 2].map((at) => windowOf(at * 16_000, [[0, 0.01, 2]], [-1, -1, -1]));
  assert.deepEqual(resultOf(turnsOfWindows([silent, ...others], [0], 1)), []);
});

test('two local speakers with one label are one turn', () => {
  const window = windowOf(0, [[0.2, 0.6, 3]], [0, 1, -1]);
  assert.deepEqual(rounded(resultOf(turnsOfWindows([window], [0, 0], 1))), [[2, 6, 0]]);
});

test('a gap between windows ends a turn', () => {
  const early = windowOf(0, [[0.5, 1, 1]], [0, -1, -1]);
  const late = windowOf(800_000, [[0, 0.5, 1]], [1, -1, -1]);
  assert.deepEqual(rounded(resultOf(turnsOfWindows([early, late], [0, 0], 1))), [
    [5, 10, 0],
    [50, 55, 0],
  ]);
});
