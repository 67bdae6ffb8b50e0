import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { LogMel, whisperSamples } from '../../../actors/acoustics/mel.ts';

/** 5 s of sin(i/100). */
const wave = Float32Array.from({ length: 80_000 }, (_, i) => Math.sin(i / 100));
const mean = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of the published feature extractor, for the wave padded to 30 s. */
const golden = {
  80: {
    mean: -0.37315288,
    at: {
      0: 1.280074,
      1: 1.60330033,
      81: 1.5821141,
      499: 1.56467807,
      500: 1.5403626,
      3000: 1.37887907,
      3001: 1.37927353,
      30100: -0.02746987,
    },
  },
  128: {
    mean: -0.35237488,
    at: {
      0: 1.20431471,
      1: 1.52754116,
      81: 1.50635493,
      3000: 1.30187917,
      3001: 1.62510562,
      30100: 0.24760854,
    },
  },
} as const;

for (const bands of [80, 128] as const) {
  test(`${bands} bands of a padded wave are the golden ones to 1e-4`, () => {
    const { data, frames } = new LogMel(bands).padded(wave);
    assert.equal(frames, 3000);
    assert.equal(data.length, bands * 3000);
    assert.ok(Math.abs(mean(data) - golden[bands].mean) < 1e-4);
    for (const [at, value] of Object.entries(golden[bands].at)) {
      assert.ok(Math.abs(data[Number(at)]! - value) < 1e-4, `[${at}] is ${data[Number(at)]}, not ${value}`);
    }
  });
}

test('without padding there is a frame for every whole 10 ms, equal to the padded ones up to the end of the sound', () => {
  const mel = new LogMel(128);
  const { data, frames } = mel.spectrogram(wave);
  assert.equal(frames, 500);
  const padded = mel.padded(wave).data;
  for (let band = 0; band < 128; band++) {
    // The last two frames look beyond the end: mirrored sound here, silence there.
    for (let frame = 0; frame < 498; frame++) {
      assert.ok(Math.abs(data[band * 500 + frame]! - padded[band * 3000 + frame]!) < 1e-6);
    }
  }
});

test('30 s are accepted, one sample more is refused', () => {
  const mel = new LogMel(80);
  const full = new Float32Array(whisperSamples).fill(0.25);
  assert.deepEqual(mel.padded(full).data, mel.spectrogram(full).data);
  assert.throws(() => mel.padded(new Float32Array(whisperSamples + 1)), RangeError);
});

test('silence has one value everywhere, and less than a hop of sound has no frame', () => {
  const mel = new LogMel(80);
  assert.ok(mel.padded(new Float32Array(0)).data.every((value) => value === -1.5));
  assert.ok(mel.spectrogram(new Float32Array(800)).data.every((value) => value === -1.5));
  assert.deepEqual(mel.spectrogram(new Float32Array(159)).frames, 0);
});

test('values lie within 2 of each other, and one spectrogram does not change the next', () => {
  const mel = new LogMel(80);
  const before = mel.spectrogram(wave.subarray(0, 1600)).data;
  fc.assert(
    fc.property(
      fc.float32Array({ minLength: 1, maxLength: 2000, min: -1, max: 1, noNaN: true }),
      (samples) => {
        const { data, frames } = mel.spectrogram(samples);
        assert.equal(frames, Math.floor(samples.length / 160));
        if (frames === 0) return;
        const most = data.reduce((a, b) => Math.max(a, b));
        const least = data.reduce((a, b) => Math.min(a, b));
        assert.ok(most - least <= 2 + 1e-5 && Number.isFinite(most));
      },
    ),
  );
  assert.deepEqual(mel.spectrogram(wave.subarray(0, 1600)).data, before);
});
