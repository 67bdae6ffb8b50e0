import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { RealFft } from '../../../actors/acoustics/fft.ts';

/** The definition, term by term. */
function slowPower(frame: Float64Array): number[] {
  return Array.from({ length: frame.length / 2 + 1 }, (_, k) => {
    let re = 0;
    let im = 0;
    for (const [n, value] of frame.entries()) {
      const angle = (-2 * Math.PI * k * n) / frame.length;
      re += value * Math.cos(angle);
      im += value * Math.sin(angle);
    }
    return re * re + im * im;
  });
}

/** The same samples for the same seed, −1 to 1. */
function noise(length: number, seed: number): Float64Array {
  let state = seed >>> 0;
  return Float64Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

test('the spectrum is that of the naive transform, for every size made of 2, 3 and 5', () => {
  for (const size of [
    4, 6, 8, 10, 12, 16, 18, 20, 30, 32, 50, 64, 90, 120, 250, 320, 400, 480, 512, 640, 1024,
  ]) {
    const fft = new RealFft(size);
    const frame = noise(size, size);
    const power = new Float64Array(fft.bins);
    fft.power(frame, power);
    for (const [bin, value] of slowPower(frame).entries()) {
      assert.ok(
        Math.abs(power[bin]! - value) < 1e-8 * size,
        `${size}: bin ${bin} is ${power[bin]}, not ${value}`,
      );
    }
  }
});

test('Parseval: a frame has the energy of its spectrum, also the second one', () => {
  const fft = new RealFft(400);
  fc.assert(
    fc.property(
      fc.float64Array({ minLength: 400, maxLength: 400, min: -1, max: 1, noNaN: true }),
      (frame) => {
        const power = new Float64Array(fft.bins);
        fft.power(frame, power);
        const spectrum =
          power.reduce((sum, value, bin) => sum + value * (bin === 0 || bin === 200 ? 1 : 2), 0) / 400;
        const energy = frame.reduce((sum, value) => sum + value * value, 0);
        assert.ok(Math.abs(spectrum - energy) <= 1e-9 * (1 + energy));
      },
    ),
  );
});

test('the peak of a tone is in its bin', () => {
  const fft = new RealFft(512);
  const power = new Float64Array(fft.bins);
  for (const bin of [1, 37, 128, 255]) {
    fft.power(
      Float64Array.from({ length: 512 }, (_, n) => Math.cos((2 * Math.PI * bin * n) / 512)),
      power,
    );
    assert.ok(Math.abs(power[bin]! - 256 ** 2) < 1e-6);
    assert.ok(power.every((value, at) => at === bin || value < 1e-15 * 256 ** 2));
  }
});

test('a size that cannot be split is refused', () => {
  for (const size of [0, 1, 2, 5, 14, 401, 2 * 7 * 4]) assert.throws(() => new RealFft(size), RangeError);
});
