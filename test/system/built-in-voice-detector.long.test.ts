import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSession } from '../../actors/models/session.ts';
import type { SpeechRegion } from '../../actors/transcriber/contract.ts';
import { builtInDetectors } from '../../actors/transcriber/voice/built-in.ts';
import type { VoiceDetectors } from '../../actors/transcriber/voice/detector.ts';
import { openSilero } from '../../actors/transcriber/voice/selection.ts';
import { seeded } from '../../bench/diarization/random.ts';
import { clipped } from '../../bench/voice/degrade.ts';
import { agreement, f1, summed } from '../../bench/voice/score.ts';
import {
  brown,
  claps,
  hum,
  levelOf,
  mixed,
  music,
  type NoiseGenerator,
  pink,
  randomOf,
  solo,
  telephone,
  white,
} from '../../bench/voice/sounds.ts';
import { drawSession, heardIn, type Line } from '../../bench/voices/session.ts';
import { createLog } from '../../runtime/log.ts';
import { readWav } from '../actors/transcriber/voice/speech-media.ts';
import { sharedPath, skipWithout } from '../shared.ts';

const own = builtInDetectors();
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

test('speech is hardly ever found in music, a solo or applause', async () => {
  for (const [name, make] of Object.entries({ music, solo, claps })) {
    let speech = 0;
    for (let seed = 0; seed < 6; seed++) {
      const sound = make(10 * 16_000, randomOf(500 + seed));
      const gain = 0.2 / levelOf(sound);
      const found = await detectAll(
        own,
        sound.map((value) => value * gain),
      );
      speech += found.reduce((sum, [start, end]) => sum + end - start, 0) / 16_000;
    }
    assert.ok(speech < 6, `${name}: ${speech} of 60 s`);
  }
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

const inRoom = (line: Line) => (speech: Float32Array) => {
  const session = { ...drawSession(seeded(5)), line };
  return heardIn(session, speech, seeded(6), { noise: session.noise });
};
const hard = {
  'a room': inRoom({ kind: 'direct' }),
  'a room, by telephone': inRoom({ kind: 'telephone' }),
  'white noise at 0 dB': (speech: Float32Array) => mixed(speech, white(speech.length, randomOf(3)), 0),
  'pink noise at 0 dB': (speech: Float32Array) => mixed(speech, pink(speech.length, randomOf(3)), 0),
  'music at 5 dB': (speech: Float32Array) => mixed(speech, music(speech.length, randomOf(3)), 5),
  'a solo at 5 dB': (speech: Float32Array) => mixed(speech, solo(speech.length, randomOf(3)), 5),
};
for (const [name, degrade] of Object.entries(hard)) {
  test(`${name}: most of the talk stays speech`, { skip }, async () => {
    const found = [];
    for (const path of readings) {
      const samples = readWav(path);
      const truth = await detectAll(silero, samples);
      found.push(agreement(await detectAll(own, degrade(samples)), truth, samples.length));
    }
    const score = f1(summed(found));
    assert.ok(score >= 0.8, `F1 ${score}`);
  });
}

for (const [name, degrade] of Object.entries({
  telephone,
  clipped: (speech: Float32Array) => clipped(speech, 1),
})) {
  test(`${name}: the first phrase of a file is kept`, { skip }, async () => {
    for (const path of readings) {
      const samples = readWav(path);
      const [phrase] = await detectAll(silero, samples);
      // A file may begin in the middle of a word as well.
      for (const from of [0, phrase![0] + 4000]) {
        const found = await detectAll(own, degrade(samples.subarray(from)));
        const start = Math.max(0, phrase![0] - from);
        const end = Math.min(phrase![1] - from, start + 24_000);
        const kept = found.reduce(
          (sum, [a, b]) => sum + Math.max(0, Math.min(b, end) - Math.max(a, start)),
          0,
        );
        assert.ok(kept >= 0.9 * (end - start), `${path} from ${from}: ${kept} of ${end - start}`);
      }
    }
  });
}

test('what was heard for minutes does not change what is heard then', { skip }, async () => {
  const samples = readWav(readings[0]!).subarray(0, 20 * 16_000);
  const before = 180 * 16_000;
  const sound = new Float32Array(before + samples.length);
  const played = music(before / 2, randomOf(9));
  const gain = 0.1 / levelOf(played);
  for (let at = 0; at < before; at++) sound[at] = gain * played[at % played.length]!;
  sound.set(samples, before);
  const later = await detectAll(own, sound);
  const found = later.map(
    ([start, end]) => [Math.max(0, start - before), Math.max(0, end - before)] as const,
  );
  const score = f1(agreement(found, await detectAll(own, samples), samples.length));
  assert.ok(score >= 0.95, `F1 ${score}`);
});

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
