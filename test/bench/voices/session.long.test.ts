import assert from 'node:assert/strict';
import test from 'node:test';
import { rate } from '../../../bench/diarization/compose.ts';
import { seeded } from '../../../bench/diarization/random.ts';
import { muLaw, throughCodec, throughTelephone } from '../../../bench/voices/codec.ts';
import { convolved, throughFilter } from '../../../bench/voices/fourier.ts';
import { recordedPieces, sessionPieces } from '../../../bench/voices/pieces.ts';
import { medianPitch } from '../../../bench/voices/pitch.ts';
import { drawRoom, roomResponse } from '../../../bench/voices/room.ts';
import { drawSession, heardIn, usualLoudness } from '../../../bench/voices/session.ts';
import { atTempo } from '../../../bench/voices/tempo.ts';

const tone = (hertz: number, seconds: number) =>
  Float32Array.from({ length: seconds * rate }, (_, at) => 0.1 * Math.sin((2 * Math.PI * hertz * at) / rate));
const level = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
/** A buzz of many harmonics with a breath every second. */
const voice = (hertz: number, seconds: number) =>
  Float32Array.from({ length: seconds * rate }, (_, at) => {
    const phase = ((at * hertz) / rate) % 1;
    return at % rate > 0.85 * rate ? 0 : 0.2 * (Math.exp(-8 * phase) - 0.125);
  });

test('convolution block by block is the sum that defines it', () => {
  const random = seeded(3);
  const noise = (length: number) => Float32Array.from({ length }, () => random.between(-1, 1));
  for (const [many, few] of [
    [500, 7],
    [5, 40],
    [1, 1],
    [2000, 255],
  ] as const) {
    const [samples, response] = [noise(many), noise(few)];
    const made = convolved(samples, response);
    assert.equal(made.length, many + few - 1);
    for (let at = 0; at < made.length; at += 13) {
      let sum = 0;
      for (let i = 0; i < few; i++) sum += response[i]! * (samples[at - i] ?? 0);
      assert.ok(Math.abs(made[at]! - sum) < 1e-4, `${many}×${few} at ${at}: ${made[at]} for ${sum}`);
    }
  }
  assert.equal(convolved(new Float32Array(0), noise(4)).length, 0);
  const samples = noise(300);
  const same = throughFilter(samples, Float32Array.of(0, 1, 0));
  same.forEach((x, at) => {
    assert.ok(Math.abs(x - samples[at]!) < 1e-5);
  });
});

test('a room answers with the direct sound first and falls by 60 dB in its time', () => {
  for (const seed of [1, 2, 3, 4]) {
    const random = seeded(seed);
    const room = drawRoom(random);
    assert.ok(room.rt60 >= 0.15 && room.rt60 <= 0.7);
    const response = roomResponse(room, random);
    assert.deepEqual(roomResponse(room, seeded(9)), roomResponse(room, seeded(9)));
    assert.ok(Math.abs(response[0]! - 1) < 0.3, `${response[0]}`);
    const energy = (from: number, to: number) =>
      response.subarray(from * room.rt60 * rate, to * room.rt60 * rate).reduce((sum, x) => sum + x * x, 0);
    // From the start on, and from half the time on, when it has fallen by 30 dB or a little less.
    const fallen = 10 * Math.log10(energy(0.5, 1) / energy(0, 1));
    assert.ok(fallen < -15 && fallen > -60, `${fallen}`);
  }
});

test('a tempo changes the length and keeps the pitch', () => {
  const said = voice(150, 6);
  for (const factor of [0.92, 1.08]) {
    const made = atTempo(said, factor);
    assert.equal(made.length, Math.floor(said.length / factor));
    assert.ok(Math.abs(medianPitch({ pieces: [made] }) / medianPitch({ pieces: [said] }) - 1) < 0.02);
    assert.ok(Math.abs(level(made) / level(said) - 1) < 0.15);
  }
  assert.throws(() => atTempo(said, 0), RangeError);
});

test('the telephone keeps the middle of a voice and nothing beside it', () => {
  const kept = (hertz: number) => {
    const other = tone(hertz, 1);
    const both = tone(1000, 1).map((x, at) => x + other[at]!);
    const heard = throughTelephone(both);
    const part = (of: number) => {
      let [re, im] = [0, 0];
      for (let at = 1600; at < 14_400; at++) {
        re += heard[at]! * Math.cos((2 * Math.PI * of * at) / rate);
        im += heard[at]! * Math.sin((2 * Math.PI * of * at) / rate);
      }
      return Math.hypot(re, im);
    };
    return part(hertz) / part(1000);
  };
  assert.ok(kept(2000) > 0.8);
  assert.ok(kept(100) < 0.05);
  assert.ok(kept(5000) < 0.05);
  assert.equal(muLaw(0), 0);
  for (const x of [-1, -0.3, 0.01, 0.7]) assert.ok(Math.abs(muLaw(x) - x) < 0.03 * Math.abs(x) + 1e-4);
});

test('a codec without coarse steps changes nothing, and with them less the more it may say', () => {
  const said = voice(140, 2);
  const error = (ratio: number) => {
    const made = throughCodec(said, { topHertz: 8001, ratio });
    assert.equal(made.length, said.length);
    return level(made.map((x, at) => x - said[at]!)) / level(said);
  };
  assert.ok(error(90) < 1e-3, `${error(90)}`);
  assert.ok(error(6) > 0.1 && error(6) < 0.8, `${error(6)}`);
  assert.ok(error(14) < error(6));
});

test('sessions have the loudness they say, keep the pitch and the time, and share nothing else', () => {
  const said = voice(130, 3);
  const made = [1, 2, 3, 4, 5, 6].map((seed) => {
    const random = seeded(seed);
    const session = drawSession(random);
    assert.ok(Math.abs(session.level) <= 6 && Math.abs(session.tempo - 1) <= 0.08);
    const heard = heardIn(session, said, random, { noise: { ...session.noise, decibelsBelow: 30 } });
    assert.equal(heard.length, said.length);
    const decibels = 20 * Math.log10(level(heard) / usualLoudness);
    assert.ok(Math.abs(decibels - session.level) < 0.1, `${decibels} for ${session.level}`);
    const pitch = medianPitch({ pieces: [heard] });
    assert.ok(Math.abs(pitch / 130 - 1) < 0.03, `${pitch}`);
    return heard;
  });
  for (const [at, one] of made.entries()) {
    for (const other of made.slice(0, at)) {
      const likeness =
        one.reduce((sum, x, i) => sum + x * other[i]!, 0) / (level(one) * level(other) * one.length);
      assert.ok(likeness < 0.98, `${likeness}`);
    }
  }
});

test('pieces are disjoint, of one length, and the same for the same seed', () => {
  const voices = [{ name: 'low', pieces: [voice(110, 8)] }];
  assert.deepEqual(
    recordedPieces(voices, 3).map(({ words }) => words),
    ['0:0', '0:1'],
  );
  const made = sessionPieces(voices, 3, { seed: 5, copies: 2 });
  assert.deepEqual(
    made.map(({ words }) => words),
    ['0:0', '0:0', '0:1', '0:1'],
  );
  assert.ok(made.every(({ samples }) => samples.length === 3 * rate));
  assert.deepEqual(sessionPieces(voices, 3, { seed: 5, copies: 2 }), made);
  assert.notDeepEqual(sessionPieces(voices, 3, { seed: 6, copies: 2 })[0]!.samples, made[0]!.samples);
  assert.notDeepEqual(made[0]!.samples, made[1]!.samples);
});
