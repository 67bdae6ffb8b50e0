import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  campplusFbank,
  Fbank,
  fbankBands,
  fbankFrames,
  removeMean,
  wespeakerFbank,
} from '../../../actors/acoustics/fbank.ts';

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
