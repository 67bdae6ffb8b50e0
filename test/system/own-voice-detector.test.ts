import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSession } from '../../actors/models/session.ts';
import type { SpeechRegion } from '../../actors/transcriber/contract.ts';
import type { VoiceDetectors } from '../../actors/transcriber/voice/detector.ts';
import { frameValues } from '../../actors/transcriber/voice/features.ts';
import { gatherContext, inputValues } from '../../actors/transcriber/voice/network.ts';
import { ownDetectors } from '../../actors/transcriber/voice/own.ts';
import { openSilero } from '../../actors/transcriber/voice/silero.ts';
import { agreement, f1 } from '../../bench/voice/score.ts';
import {
  brown,
  hum,
  levelOf,
  mixed,
  music,
  type NoiseGenerator,
  pink,
  randomOf,
  telephone,
  white,
} from '../../bench/voice/sounds.ts';
import { createLog } from '../../runtime/log.ts';
import { readWav } from '../actors/transcriber/voice/speech-media.ts';
import { sharedPath, skipWithout } from '../shared.ts';

const own = ownDetectors();
const weights = 'weights/silero_vad.onnx';
const names = ['media/speech/two_cities_16k.wav', 'media/speech/beckett.wav'];
const readings = names.map(sharedPath);
const skip = skipWithout(weights, ...names);

async function detectAll(detectors: VoiceDetectors, samples: Float32Array, block = 128_000, first = 0) {
  const detector = detectors.open();
  const found: SpeechRegion[] = [];
  let settled = first;
  for (let at = 0; at < samples.length; at += block) {
    const part = samples.subarray(at, at + block);
    const detected = await detector.push(part, first + at);
    const lag = first + at + part.length - detected.settled;
    assert.ok(lag >= 0 && lag <= 12_000, `${lag} samples behind`);
    for (const [start, end] of detected.speech) {
      assert.ok(settled <= start && start < end && end <= detected.settled);
      const last = found.at(-1);
      if (last?.[1] === start) last[1] = end;
      else found.push([start, end]);
    }
    settled = detected.settled;
  }
  const { speech, settled: end } = await detector.end();
  assert.equal(end, first + samples.length);
  const [next, ...others] = speech;
  if (next && found.at(-1)?.[1] === next[0]) found.at(-1)![1] = next[1];
  else if (next) found.push(next);
  return [...found, ...others];
}

test('no speech is found in silence, noise, tones and hum, at any level', async () => {
  const silence: NoiseGenerator = (count) => new Float32Array(count);
  const tone =
    (hertz: number): NoiseGenerator =>
    (count) =>
      Float32Array.from({ length: count }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / 16_000));
  const pure = { 'tone of 110 Hz': tone(110), 'tone of 440 Hz': tone(440), 'tone of 3 kHz': tone(3000) };
  for (const [name, make] of Object.entries({ silence, white, pink, brown, hum, ...pure })) {
    for (const [seed, level] of [0.3, 0.03, 0.003].entries()) {
      const sound = make(10 * 16_000, randomOf(seed));
      const gain = level / (levelOf(sound) || 1);
      const found = await detectAll(
        own,
        sound.map((value) => Math.max(-1, Math.min(1, value * gain))),
      );
      assert.deepEqual(found, [], `${name} at ${level}`);
    }
  }
});

test('speech is hardly ever found in music', async () => {
  let speech = 0;
  for (let seed = 0; seed < 6; seed++) {
    const sound = music(10 * 16_000, randomOf(500 + seed));
    const gain = 0.2 / levelOf(sound);
    const found = await detectAll(
      own,
      sound.map((value) => value * gain),
    );
    speech += found.reduce((sum, [start, end]) => sum + end - start, 0) / 16_000;
  }
  assert.ok(speech < 20, `${speech} of 60 s`);
});

let silero: VoiceDetectors;
before(async () => {
  if (skip) return;
  const log = createLog('test', () => {});
  silero = await openSilero('silero-vad', sharedPath(weights), (source) =>
    openSession(source, { device: 'cpu', threads: 1, log }),
  );
});
after(async () => silero?.close());

const noisy = (noise: NoiseGenerator) => (speech: Float32Array) =>
  mixed(speech, noise(speech.length, randomOf(3)), 10);
const clean = (speech: Float32Array) => speech;
const conditions = { clean, white: noisy(white), pink: noisy(pink), brown: noisy(brown), telephone };
for (const [name, degrade] of Object.entries(conditions)) {
  test(`${name}: speech of recordings is found where Silero finds it`, { skip }, async () => {
    for (const path of readings) {
      const samples = readWav(path);
      const sound = degrade(samples);
      const found = await detectAll(own, sound);
      for (const other of [samples, sound]) {
        const score = f1(agreement(found, await detectAll(silero, other), samples.length));
        assert.ok(score >= 0.9, `${path}: F1 ${score}`);
      }
    }
  });
}

test('regions are the same for blocks of any size and every place of the file', { skip }, async () => {
  const samples = readWav(readings[0]!).subarray(0, 15 * 16_000);
  const found = await detectAll(own, samples);
  assert.ok(found.length > 3);
  for (const block of [100, 333, 5000]) assert.deepEqual(await detectAll(own, samples, block), found);
  const shifted = found.map(([start, end]) => [start + 777, end + 777]);
  assert.deepEqual(await detectAll(own, samples, 16_000, 777), shifted);
});

test('a sample that is no number does not spoil what follows', { skip }, async () => {
  const samples = readWav(readings[0]!).slice(0, 10 * 16_000);
  const clean = samples.slice();
  samples[5] = Number.NaN;
  clean[5] = 0;
  samples[70_000] = Infinity;
  clean[70_000] = 0;
  assert.deepEqual(await detectAll(own, samples, 999), await detectAll(own, clean, 999));
});

test('a sound shorter than a frame, or none at all, has no speech', async () => {
  assert.deepEqual(await detectAll(own, new Float32Array(100)), []);
  assert.deepEqual(await own.open().end(), { speech: [], settled: 0 });
});

test('a gap between two blocks is refused', async () => {
  const detector = own.open();
  await detector.push(new Float32Array(100), 40);
  await assert.rejects(detector.push(new Float32Array(100), 141), RangeError);
});

test('beyond its ends a sound is as its first and its last frame', () => {
  const frames = new Float32Array(3 * frameValues);
  for (let frame = 0; frame < 3; frame++)
    frames.fill(frame + 1, frame * frameValues, (frame + 1) * frameValues);
  const seen = new Float32Array(inputValues);
  gatherContext(frames, 3, 1, seen);
  const groups = Array.from({ length: inputValues / frameValues }, (_, group) => seen[group * frameValues]!);
  assert.deepEqual(
    groups.map((value) => Math.round(value * 1000) / 1000),
    [1, 1, 1, 1, 1, 2, 3, 3, 3],
  );
});
