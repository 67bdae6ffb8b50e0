import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RealFft } from '../../../../actors/acoustics/fft.ts';
import {
  FineStructure,
  fineValues,
  frameHop,
  frameSize,
  frameValues,
  NoiseFloor,
  type Pitch,
  PitchTracker,
  VoiceFeatures,
} from '../../../../actors/transcriber/voice/features.ts';
import { levelOf, randomOf, white } from '../../../../bench/voice/sounds.ts';

const rate = 16_000;

/** A sawtooth-like tone whose pitch moves by so many octaves a second. */
function tone(hertz: number, octaves: number, seconds = 1): Float32Array {
  let phase = 0;
  return Float32Array.from({ length: seconds * rate }, (_, n) => {
    phase += (hertz * 2 ** ((octaves * n) / rate)) / rate;
    let sum = 0;
    for (let h = 1; h <= 8; h++) sum += Math.sin(2 * Math.PI * h * phase) / h;
    return 0.1 * sum;
  });
}

function* framesOf(sound: Float32Array): Generator<Float32Array> {
  for (let at = 0; at + frameSize <= sound.length; at += frameHop) yield sound.subarray(at, at + frameSize);
}

function pitchesOf(sound: Float32Array): Pitch[] {
  const tracker = new PitchTracker();
  return [...framesOf(sound)].map((frame) => tracker.measure(frame)).slice(3);
}

test('a tone has its pitch, to the resolution of 4 kHz, and does not glide', () => {
  for (const hertz of [100, 160, 250]) {
    for (const { periodicity, height, glide } of pitchesOf(tone(hertz, 0))) {
      assert.ok(periodicity > 0.9, `${hertz} Hz: ${periodicity}`);
      assert.ok(
        Math.abs(height / periodicity - Math.log2((hertz * 24.5) / 4000)) < 0.07,
        `${hertz} Hz: ${height}`,
      );
      assert.ok(Math.abs(glide) < 0.02, `${hertz} Hz: ${glide}`);
    }
  }
});

test('a tone that rises glides upwards, one that falls downwards; noise has no pitch', () => {
  const glideOf = (sound: Float32Array) => pitchesOf(sound).reduce((sum, { glide }) => sum + glide, 0);
  assert.ok(glideOf(tone(100, 1)) > 5);
  assert.ok(glideOf(tone(300, -1)) < -5);
  const noise = pitchesOf(white(rate, randomOf(1)));
  assert.ok(noise.every(({ periodicity }) => periodicity < 0.75));
});

function likenessOf(sound: Float32Array): number[] {
  const fft = new RealFft(frameSize);
  const fine = new FineStructure();
  const power = new Float64Array(frameSize / 2 + 1);
  const found = new Float32Array(fineValues);
  const sums = new Float64Array(fineValues);
  let count = 0;
  for (const frame of framesOf(sound)) {
    const hann = Float64Array.from(
      frame,
      (x, i) => x * (0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / frameSize)),
    );
    fft.power(hann, power);
    fine.measure(power, 1e-6, found, 0);
    if (count++ < 10) continue;
    for (let i = 0; i < fineValues; i++) sums[i] = sums[i]! + found[i]!;
  }
  return [...sums].map((sum) => sum / (count - 10));
}

test('harmonics that are held stay like themselves, those that glide do not, noise has none', () => {
  const [strong, ...held] = likenessOf(tone(220, 0));
  assert.ok(strong! > 0.8 && held.every((likeness) => likeness > 0.95), `${strong} ${held}`);
  const [, , , gliding] = likenessOf(tone(220, 1));
  assert.ok(gliding! < 0.6, `${gliding}`);
  const noise = likenessOf(white(rate, randomOf(2)).map((value) => value / 10));
  assert.ok(
    noise.slice(1).every((likeness) => Math.abs(likeness) < 0.1),
    `${noise}`,
  );
});

test('the noise floor is the lowest level of the last seconds', () => {
  const floor = new NoiseFloor(2);
  const follow = (level: number, frames: number) => {
    let found: number[] = [];
    for (let at = 0; at < frames; at++) found = [...floor.follow(Float64Array.of(level, -level))];
    return found;
  };
  assert.deepEqual(follow(1, 1), [1, -1]);
  assert.ok(Math.abs(follow(5, 60)[0]! - 1) < 0.01, 'a rise is not followed at once');
  const later = follow(5, 120);
  assert.ok(Math.abs(later[0]! - 5) < 0.01 && Math.abs(later[1]! + 5) < 0.01, `${later}`);
  assert.ok(follow(0, 20)[0]! < 0.1, 'a fall is');
});

test('features are finite and bounded for silence, noise at any level and full scale', () => {
  for (const level of [0, 1e-5, 0.1, 1]) {
    const noise = white(2 * rate, randomOf(3));
    const gain = level / levelOf(noise);
    const features = new VoiceFeatures();
    const found = new Float32Array(frameValues);
    for (const frame of framesOf(noise.map((value) => Math.max(-1, Math.min(1, gain * value))))) {
      features.measure(frame, found, 0);
      assert.ok(
        found.every((value) => Number.isFinite(value) && Math.abs(value) <= 3),
        `level ${level}: ${found}`,
      );
    }
  }
});
