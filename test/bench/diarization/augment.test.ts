import assert from 'node:assert/strict';
import test from 'node:test';
import { augmented, resampled } from '../../../bench/diarization/augment.ts';
import { rate } from '../../../bench/diarization/compose.ts';

const tone = (hertz: number, seconds: number) =>
  Float32Array.from({ length: seconds * rate }, (_, at) => 0.1 * Math.sin((2 * Math.PI * hertz * at) / rate));
const crossings = (samples: Float32Array) =>
  samples.reduce((sum, x, at) => sum + (at > 0 && x >= 0 && samples[at - 1]! < 0 ? 1 : 0), 0);

test('resampled to a higher speed, a tone is shorter and higher', () => {
  const samples = tone(400, 2);
  const faster = resampled(samples, 1.25);
  assert.equal(faster.length, Math.floor((samples.length - 1) / 1.25));
  assert.ok(Math.abs(crossings(faster) / (faster.length / rate) - 500) < 2);
  assert.deepEqual(resampled(samples, 1), samples.subarray(0, -1));
  assert.equal(resampled(new Float32Array(0), 1.1).length, 0);
});

test('a voice is augmented to several recordings, the same for the same seed', () => {
  const voices = [{ name: 'one', pieces: [tone(300, 1)] }];
  const augmentation = { seed: 3, copies: 3, colour: 6, speed: 0.03 };
  const [made] = augmented(voices, augmentation);
  assert.equal(made!.name, 'one');
  assert.equal(made!.pieces.length, 3);
  assert.deepEqual(augmented(voices, augmentation), [made]);
  const [first, second] = made!.pieces;
  assert.notDeepEqual(first, second);
  for (const piece of made!.pieces) {
    const power = Math.sqrt(piece.reduce((sum, x) => sum + x * x, 0) / piece.length);
    const decibels = 20 * Math.log10(power / (0.1 / Math.SQRT2));
    // At most 6 of colour and 3 of loudness, and what the filter needs to begin.
    assert.ok(Math.abs(decibels) < 10, `${decibels}`);
    const pitch = crossings(piece.subarray(400, -400)) / ((piece.length - 800) / rate);
    assert.ok(pitch > 285 && pitch < 315, `${pitch}`);
  }
});
