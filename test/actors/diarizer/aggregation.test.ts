import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wespeakerFbank } from '../../../actors/acoustics/fbank.ts';
import { turnsOfWindows } from '../../../actors/diarizer/diarize.ts';
import {
  readPowerset,
  SegmentationChannel,
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

test('the seven classes are silence, each of three speakers, and each pair', () => {
  const logits = new Float32Array(8 * 7).fill(-5);
  for (let at = 0; at < 7; at++) logits[at * 7 + at] = 1;
  logits.fill(Number.NaN, 49);
  assert.deepEqual([...readPowerset(logits)], [0, 1, 2, 4, 3, 5, 6, 0]);
});

test('windows without speech are skipped, and the last one of a channel is padded', async () => {
  const segmented: number[] = [];
  const channel = new SegmentationChannel(wespeakerFbank);
  const segmentation = {
    activity: async (samples: Float32Array) => {
      segmented.push(samples[0]!);
      return new Uint8Array(segmentationFrames).fill(1);
    },
  };
  const embed = async (speakers: readonly unknown[]) => speakers.map((_, at) => at);
  // The value of a sample is the second it lies in.
  const samples = Float32Array.from({ length: 30.5 * 16_000 }, (_, at) => Math.floor(at / 16_000));
  const push = (from: number, to: number, speech: [number, number][], settled: number) =>
    channel.push(
      from * 16_000,
      samples.subarray(from * 16_000, to * 16_000),
      speech,
      settled * 16_000,
      segmentation,
      embed,
    );
  await push(0, 12, [], 11);
  assert.deepEqual(segmented, []);
  await push(12, 30.5, [[15 * 16_000, 17 * 16_000]], 30);
  assert.deepEqual(segmented, [6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  await channel.end([[30 * 16_000, 30.4 * 16_000]], segmentation, embed);
  assert.deepEqual(segmented.slice(11), [21]);
  assert.equal(channel.windows.length, 12);
  assert.equal(channel.next, 30.5 * 16_000);
});
