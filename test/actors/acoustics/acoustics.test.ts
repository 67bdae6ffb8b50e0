import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  campplusFbank,
  Fbank,
  fbankBands,
  fbankFrames,
  removeMean,
  wespeakerFbank,
} from '../../../actors/acoustics/fbank.ts';
import { RealFft } from '../../../actors/acoustics/fft.ts';
import { LogMel, whisperSamples } from '../../../actors/acoustics/mel.ts';

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

/** 1 s of sin(i/100). */
const wave = Float32Array.from({ length: 16_000 }, (_, i) => Math.sin(i / 100));

test('features of a wave are the golden ones of WeSpeaker to 1e-4', () => {
  const features = new Fbank(wespeakerFbank).whole(wave);
  assert.equal(features.length, 98 * 80);
  removeMean(features, fbankBands);
  const golden: [number, number][] = [
    [0, -0.193003],
    [1, -0.05825],
    [78, 0.26834],
    [79, 0.2625],
    [80, 0.19062],
    [-2, -0.43694],
    [-1, -0.42662],
  ];
  for (const [at, value] of golden) {
    assert.ok(Math.abs(features.at(at)! - value) < 1e-4, `[${at}] is ${features.at(at)}, not ${value}`);
  }
});

/** One band of one frame by the definition: Kaldi's steps one after another, a transform term by term. */
function slowBand(frame: Float32Array, band: number): number {
  const mean = frame.reduce((sum, value) => sum + value, 0) / 400;
  const level = Array.from(frame, (value) => value - mean);
  const raised = level.map((value, i) => value - 0.97 * level[Math.max(0, i - 1)]!);
  const windowed = raised.map((value, i) => value * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / 399)) ** 0.85);
  const mel = (hertz: number) => 1127 * Math.log(1 + hertz / 700);
  const step = (mel(8000) - mel(20)) / 81;
  let sum = 0;
  for (let bin = 0; bin < 256; bin++) {
    const distance = Math.abs(mel((bin * 16_000) / 512) - (mel(20) + (band + 1) * step));
    if (distance >= step) continue;
    let re = 0;
    let im = 0;
    for (const [n, value] of windowed.entries()) {
      re += value * Math.cos((2 * Math.PI * bin * n) / 512);
      im += value * Math.sin((2 * Math.PI * bin * n) / 512);
    }
    sum += (1 - distance / step) * (re * re + im * im);
  }
  return Math.log(Math.max(sum, 1.1920928955078125e-7));
}

test('features for CAM++ have Povey’s window and samples as they are', () => {
  const sound = Float32Array.from(
    { length: 720 },
    (_, i) => 0.4 * Math.sin(i / 3) + 0.1 * Math.cos(i * i) + 0.05,
  );
  const features = new Fbank(campplusFbank).whole(sound);
  assert.equal(features.length, 3 * 80);
  for (const frame of [0, 2]) {
    for (const band of [0, 1, 17, 40, 79]) {
      const slow = slowBand(sound.subarray(frame * 160, frame * 160 + 400), band);
      assert.ok(Math.abs(features[frame * 80 + band]! - slow) < 1e-4);
    }
  }
});

test('blocks of any size give the frames of the whole sound', () => {
  const whole = new Fbank(wespeakerFbank).whole(wave.subarray(0, 4000));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 30 }), (sizes) => {
      const fbank = new Fbank(wespeakerFbank);
      const parts: number[] = [];
      let first = 0;
      for (const size of [...sizes, 4000]) {
        parts.push(...fbank.push(wave.subarray(first, Math.min(4000, first + size))));
        first = Math.min(4000, first + size);
      }
      assert.deepEqual(Float32Array.from(parts), whole);
    }),
  );
});

test('after a reset nothing is carried over', () => {
  const fbank = new Fbank(wespeakerFbank);
  fbank.push(wave.subarray(0, 500));
  fbank.reset();
  assert.deepEqual(fbank.push(wave.subarray(0, 800)), new Fbank(wespeakerFbank).whole(wave.subarray(0, 800)));
});

test('a frame needs 400 samples and every further one 160', () => {
  for (const [samples, frames] of [
    [0, 0],
    [399, 0],
    [400, 1],
    [559, 1],
    [560, 2],
    [16_000, 98],
  ] as const) {
    assert.equal(fbankFrames(samples), frames);
    assert.equal(new Fbank(wespeakerFbank).whole(new Float32Array(samples)).length, frames * 80);
  }
});

test('with the mean removed every band sums to zero, and gain does not matter', () => {
  const fbank = new Fbank(wespeakerFbank);
  const loud = fbank.whole(wave);
  const soft = fbank.whole(wave.map((value) => value / 16));
  removeMean(loud, 80);
  removeMean(soft, 80);
  for (let band = 0; band < 80; band++) {
    let sum = 0;
    for (let at = band; at < loud.length; at += 80) sum += loud[at]!;
    assert.ok(Math.abs(sum) < 1e-3);
  }
  assert.ok(loud.every((value, at) => Math.abs(value - soft[at]!) < 0.02));
});

/** 5 s of sin(i/100). */
const longWave = Float32Array.from({ length: 80_000 }, (_, i) => Math.sin(i / 100));
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
    const { data, frames } = new LogMel(bands).padded(longWave);
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
  const { data, frames } = mel.spectrogram(longWave);
  assert.equal(frames, 500);
  const padded = mel.padded(longWave).data;
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
  const before = mel.spectrogram(longWave.subarray(0, 1600)).data;
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
  assert.deepEqual(mel.spectrogram(longWave.subarray(0, 1600)).data, before);
});
