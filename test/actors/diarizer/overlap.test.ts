import assert from 'node:assert/strict';
import test from 'node:test';
import { wespeakerFbank } from '../../../actors/acoustics/fbank.ts';
import { LocalChannel, type LocalWindow } from '../../../actors/diarizer/locals.ts';
import { turnsOfWindows } from '../../../actors/diarizer/overlay.ts';
import { readPowerset, segmentationFrames } from '../../../actors/diarizer/segmentation.ts';
import { ended } from './ended.ts';

test('the seven classes are nobody, three alone and three pairs', () => {
  const logits = new Float32Array(8 * 7).fill(-5);
  for (let at = 0; at < 7; at++) logits[at * 7 + at] = 1;
  logits.fill(Number.NaN, 49);
  assert.deepEqual([...readPowerset(logits)], [0, 1, 2, 4, 3, 5, 6, 0]);
});

/** Voices as bits between fractions of the window. */
function windowOf(start: number, said: readonly [number, number, number][], rows: number[]): LocalWindow {
  const voices = new Uint8Array(segmentationFrames);
  for (const [from, to, bits] of said) {
    for (let frame = Math.round(from * 589); frame < Math.round(to * 589); frame++) voices[frame]! |= bits;
  }
  return { start, voices, rows };
}

const rounded = (turns: readonly { start: number; end: number; voice: number }[]) =>
  turns.map(({ start, end, voice }) => [Math.round(start * 10) / 10, Math.round(end * 10) / 10, voice]);

test('one window: turns as it says, two at once', () => {
  const window = windowOf(
    16_000,
    [
      [0.1, 0.5, 1],
      [0.4, 0.8, 2],
    ],
    [0, 1, -1],
  );
  assert.deepEqual(rounded(ended(turnsOfWindows([window], [4, 2], 5))), [
    [2, 6, 4],
    [5, 9, 2],
  ]);
});

test('windows name their voices differently; the names of the clusters hold', () => {
  const first = windowOf(0, [[0.2, 1, 1]], [0, -1, -1]);
  const second = windowOf(16_000, [[0.1, 0.95, 4]], [-1, -1, 1]);
  assert.deepEqual(rounded(ended(turnsOfWindows([first, second], [0, 0], 1))), [[2, 10.5, 0]]);
});

test('what most windows do not hear is not there', () => {
  const silent = windowOf(0, [[0.9, 0.95, 1]], [0, -1, -1]);
  const others = [1, 2].map((at) => windowOf(at * 16_000, [[0, 0.01, 2]], [-1, -1, -1]));
  assert.deepEqual(ended(turnsOfWindows([silent, ...others], [0], 1)), []);
});

test('two voices of a window that turn out to be one speaker speak once', () => {
  const window = windowOf(0, [[0.2, 0.6, 3]], [0, 1, -1]);
  assert.deepEqual(rounded(ended(turnsOfWindows([window], [0, 0], 1))), [[2, 6, 0]]);
});

test('a pause between far windows ends a turn', () => {
  const early = windowOf(0, [[0.5, 1, 1]], [0, -1, -1]);
  const late = windowOf(800_000, [[0, 0.5, 1]], [1, -1, -1]);
  assert.deepEqual(rounded(ended(turnsOfWindows([early, late], [0, 0], 1))), [
    [5, 10, 0],
    [50, 55, 0],
  ]);
});

test('windows without speech are not looked at, and the end of a channel is', async () => {
  const looked: number[] = [];
  const channel = new LocalChannel(wespeakerFbank);
  const segmentation = {
    voices: async (samples: Float32Array) => {
      looked.push(samples[0]!);
      return new Uint8Array(segmentationFrames).fill(1);
    },
  };
  const take = async (voices: readonly unknown[]) => voices.map((_, at) => at);
  // The value of a sample is the second it lies in.
  const samples = Float32Array.from({ length: 30.5 * 16_000 }, (_, at) => Math.floor(at / 16_000));
  const hear = (from: number, to: number, speech: [number, number][], settled: number) =>
    channel.hear(
      from * 16_000,
      samples.subarray(from * 16_000, to * 16_000),
      speech,
      settled * 16_000,
      segmentation,
      take,
    );
  await hear(0, 12, [], 11);
  assert.deepEqual(looked, []);
  await hear(12, 30.5, [[15 * 16_000, 17 * 16_000]], 30);
  assert.deepEqual(looked, [6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  await channel.end([[30 * 16_000, 30.4 * 16_000]], segmentation, take);
  assert.deepEqual(looked.slice(11), [21]);
  assert.equal(channel.windows.length, 12);
  assert.equal(channel.next, 30.5 * 16_000);
});
