import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wespeakerFbank } from '../../../actors/acoustics/fbank.ts';
import { distinctVoices } from '../../../actors/diarizer/local-speakers.ts';
import {
  readPowerset,
  SegmentationChannel,
  segmentationFrames,
} from '../../../actors/diarizer/segmentation-channel.ts';
import { type LabelledWindow, turnsOfWindows } from '../../../actors/diarizer/window-turns.ts';
import { resultOf } from './generator-result.ts';

/** Active local speakers, as bits, between fractions of the window. */
function windowOf(
  start: number,
  said: readonly [number, number, number][],
  labels: number[],
): LabelledWindow {
  const activity = new Uint8Array(segmentationFrames);
  for (const [from, to, bits] of said) {
    for (let frame = Math.round(from * 589); frame < Math.round(to * 589); frame++) activity[frame]! |= bits;
  }
  return { start, activity, labels };
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
    [4, 2, -1],
  );
  assert.deepEqual(rounded(resultOf(turnsOfWindows([window], 5))), [
    [2, 6, 4],
    [5, 9, 2],
  ]);
});

test('local speakers of two windows are one speaker where they have one label', () => {
  const first = windowOf(0, [[0.2, 1, 1]], [0, -1, -1]);
  const second = windowOf(16_000, [[0.1, 0.95, 4]], [-1, -1, 0]);
  assert.deepEqual(rounded(resultOf(turnsOfWindows([first, second], 1))), [[2, 10.5, 0]]);
});

test('a speaker whom most windows do not find has no turn', () => {
  const silent = windowOf(0, [[0.9, 0.95, 1]], [0, -1, -1]);
  const others = [1, 2].map((at) => windowOf(at * 16_000, [[0, 0.01, 2]], [-1, -1, -1]));
  assert.deepEqual(resultOf(turnsOfWindows([silent, ...others], 1)), []);
});

test('two local speakers with one label are one turn', () => {
  const window = windowOf(0, [[0.2, 0.6, 3]], [0, 0, -1]);
  assert.deepEqual(rounded(resultOf(turnsOfWindows([window], 1))), [[2, 6, 0]]);
});

test('a gap between windows ends a turn', () => {
  const early = windowOf(0, [[0.5, 1, 1]], [0, -1, -1]);
  const late = windowOf(800_000, [[0, 0.5, 1]], [0, -1, -1]);
  assert.deepEqual(rounded(resultOf(turnsOfWindows([early, late], 1))), [
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
    batch: 2,
    activity: async (windows: readonly Float32Array[]) => {
      segmented.push(...windows.map((samples) => samples[0]!));
      return windows.map(() => new Uint8Array(segmentationFrames).fill(1));
    },
  };
  // The value of a sample is the second it lies in.
  const samples = Float32Array.from({ length: 30.5 * 16_000 }, (_, at) => Math.floor(at / 16_000));
  const push = (from: number, to: number, speech: [number, number][], settled: number) =>
    channel.push(
      from * 16_000,
      samples.subarray(from * 16_000, to * 16_000),
      speech,
      settled * 16_000,
      segmentation,
    );
  await push(0, 12, [], 11);
  assert.deepEqual(segmented, []);
  const heard = [await push(12, 30.5, [[15 * 16_000, 17 * 16_000]], 30)];
  assert.deepEqual(segmented, [6, 8, 10, 12, 14, 16]);
  heard.push(await channel.end([[30 * 16_000, 30.4 * 16_000]], segmentation));
  assert.deepEqual(segmented.slice(6), [22]);
  assert.equal(channel.windows.length, 7);
  assert.equal(channel.next, 30.5 * 16_000);
  const pieces = heard.flatMap(({ subsegments }) => subsegments.map(({ subsegment }) => subsegment));
  const seconds = pieces.map(({ from, to }) => [from / 16_000, (to - from) / 16_000]);
  assert.ok(Math.abs(seconds[0]![0]! - 6) < 0.1 && Math.abs(seconds[1]![0]! - 6.5) < 0.1, `${seconds}`);
  assert.ok(seconds.every(([, length]) => length === 1.5));
  assert.ok(pieces.at(-1)!.to <= 30.5 * 16_000);
  assert.deepEqual(
    heard.flatMap(({ locals }) => locals),
    [],
  );
});

test('a local speaker of whom there is no piece is embedded by itself', async () => {
  const channel = new SegmentationChannel(wespeakerFbank);
  const activity = new Uint8Array(segmentationFrames);
  activity.fill(1, 100, 400);
  // .6 s: too short to be a piece.
  activity.fill(2, 450, 486);
  const segmentation = { batch: 1, activity: async () => [activity] };
  const silent = new Float32Array(10 * 16_000);
  const first = await channel.push(0, silent, [[0, 160_000]], 160_000, segmentation);
  const last = await channel.end([], { batch: 1, activity: async () => [new Uint8Array(589)] });
  const locals = [...first.locals, ...last.locals];
  assert.deepEqual(
    locals.map(({ speaker, features }) => [speaker, Math.round(features.length / 80 / 10)]),
    [[1, 6]],
  );
  assert.equal(channel.overlapShare, 0);
});

test('two local speakers of a window never get the same voice, unless there is no other', () => {
  const [near, far] = [Float64Array.of(0.9, 0.5), Float64Array.of(0.8, -0.2)];
  assert.deepEqual(distinctVoices([near, far]), [1, 0]);
  assert.deepEqual(distinctVoices([near, null, far]), [1, -1, 0]);
  assert.deepEqual(distinctVoices([Float64Array.of(0.9), Float64Array.of(0.3)]), [0, -1]);
});
