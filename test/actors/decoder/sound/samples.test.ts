import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import type { FilmSound } from '../../../../bench/samples/writer/sound.ts';
import { sharedPath, skipWithout } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askProbe, askSound } from '../ask-decoder.ts';
import { expectSilence, expectTone, level, pitches, tones } from '../footage/tones.ts';

const speech = sharedPath('media/speech');
const skip = skipWithout('media/speech');

const folder = temporaryFolder();

async function written(name: string, sound: FilmSound): Promise<string> {
  const path = join(folder, name);
  await writeFilm({ path, sound });
  return path;
}

const range = (samples: Float32Array) => [
  samples.reduce((least, value) => Math.min(least, value), 1),
  samples.reduce((most, value) => Math.max(most, value), -1),
];

test('NaN and infinite samples become 0 and do not affect their neighbours', async () => {
  for (const sampleRate of [16000, 48000]) {
    const path = await written('nan.wav', tones({ encoder: 'pcm_f32le', sampleRate, seconds: 1 }));
    const bytes = await readFile(path);
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const [i, value] of odd.entries()) {
      bytes.writeFloatLE(value, bytes.length - 4 * (sampleRate / 2) + (4 * sampleRate * i) / 100);
    }
    await writeFile(path, bytes);
    const [samples] = await askSound(path);
    assert.equal(samples!.length, 16000);
    expectTone(samples!, pitches[0]!, { from: 0.1, to: 0.9 });
    for (const at of odd.keys()) {
      // One sample of three is missing where three become one; next to it the tone goes on.
      const near = samples!.subarray(8000 + at * 160 - 40, 8000 + at * 160 + 40);
      assert.ok(near.every((value) => Math.abs(value) <= 1));
      assert.ok(Math.abs(near[20]! - level * Math.cos((2 * Math.PI * 300 * (8000 - 20)) / 16000)) < 0.02);
    }
  }
});

test('a studio file of 16 channels, 96 kHz and 24 bits gives the one channel asked for', async () => {
  const channels = 16;
  const path = await written('studio.wav', {
    sampleRate: 96000,
    channels,
    seconds: 1,
    encoder: 'pcm_s24le',
    fill: (start, samples) => {
      for (let i = 10; i < samples.length; i += channels) {
        samples[i] = level * Math.cos((2 * Math.PI * 500 * (start + (i - 10) / channels)) / 96000);
      }
    },
  });
  const [audio] = (await askProbe(path)).audio;
  assert.deepEqual([audio!.codec, audio!.sample_rate, audio!.channels], ['pcm_s24le', 96000, 16]);
  const [eleventh, tenth] = await askSound(path, [11, 10]);
  expectTone(eleventh!, 500);
  expectSilence(tenth!, 0, 1);
});

test('clipped sound stays within full scale and a DC offset is kept', async () => {
  const clipped = await written('clipped.wav', {
    ...tones({ encoder: 'pcm_s16le', sampleRate: 44100 }),
    fill: (start, samples) => {
      for (let i = 0; i < samples.length; i++) samples[i] = 4 * Math.sin((start + i) * 0.05);
    },
  });
  const [loud] = await askSound(clipped);
  const [least, most] = range(loud!);
  assert.ok(least! >= -1 && least! < -0.99 && most! <= 1 && most! > 0.99);
  const offset = await written('offset.wav', {
    ...tones({ encoder: 'pcm_s16le', sampleRate: 8000 }),
    fill: (_start, samples) => samples.fill(0.5),
  });
  const [steady] = await askSound(offset);
  assert.ok(range(steady!.subarray(100, 31_900)).every((value) => Math.abs(value - 0.5) < 0.001));
});

test('the probe describes sound, even without samples', async () => {
  const telephone = await written('telephone.wav', tones({ encoder: 'pcm_s16le', sampleRate: 8000 }));
  const known = await askProbe(telephone);
  assert.deepEqual([known.kind, known.duration_seconds, known.audio[0]!.sample_rate], ['audio', 2, 8000]);
  const empty = await askProbe(await written('empty.wav', tones({ encoder: 'pcm_s16le', seconds: 0 })));
  assert.deepEqual([empty.kind, empty.duration_seconds, empty.grid_frames], ['audio', 0, 0]);
  const text = join(folder, 'text.wav');
  await writeFile(text, 'Dear reader, this is a letter and no sound at all.\n'.repeat(20));
  for (const ask of [askProbe, askSound]) {
    await assert.rejects(ask(text), { code: 'NOT_MEDIA', message: /text\.wav/ });
  }
});

test('recorded speech keeps its length and is not silent', { skip }, async () => {
  for (const [name, seconds] of [
    ['jfk.flac', 11],
    ['beckett.wav', 9.963375],
    ['two_cities_16k.wav', 44.374125],
  ] as const) {
    const [samples] = await askSound(join(speech, name));
    assert.equal(samples!.length, Math.ceil(seconds * 16000));
    const power = samples!.reduce((sum, value) => sum + value * value, 0) / samples!.length;
    assert.ok(power > 1e-4, `${name}: ${power}`);
  }
});
