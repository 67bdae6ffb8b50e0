import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { mediaErrors } from '../../../actors/decoder/contract.ts';
import { writeFilm } from '../../../actors/decoder/film.ts';
import { askSound } from './ask-decoder.ts';
import { stamped } from './clip.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'framehound-sound-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Hz of the tone in each channel, from the first on. */
const pitches = [300, 500, 700, 1100, 1300, 1700];
const level = 0.5;

interface Made {
  readonly name: string;
  readonly encoder: string;
  readonly rate?: number;
  readonly channels?: number;
  readonly seconds?: number;
}

/** A file in which each channel is a tone of its own that begins at its highest. */
async function tones({ name, encoder, rate = 48000, channels = 1, seconds = 2 }: Made): Promise<string> {
  const path = join(folder, name);
  const fill = (start: number, samples: Float32Array) => {
    for (let i = 0; i < samples.length; i++) {
      const at = (start + Math.floor(i / channels)) / rate;
      samples[i] = level * Math.cos(2 * Math.PI * pitches[i % channels]! * at);
    }
  };
  await writeFilm({ path, sound: { sampleRate: rate, channels, seconds, encoder, fill } });
  return path;
}

/** Level and phase (-0.5 to 0.5 turns) of a tone within samples of 16 kHz, counted from sample 0. */
function heard(samples: Float32Array, pitch: number, from = 2000, to = samples.length - 2000) {
  let [re, im] = [0, 0];
  // Whole periods only: every pitch is a multiple of 100 Hz.
  const count = Math.floor((to - from) / 160) * 160;
  for (let i = from; i < from + count; i++) {
    const turn = (2 * Math.PI * pitch * i) / 16000;
    re += samples[i]! * Math.cos(turn);
    im -= samples[i]! * Math.sin(turn);
  }
  return { level: (2 * Math.hypot(re, im)) / count, phase: Math.atan2(im, re) / (2 * Math.PI) };
}

function expectTone(samples: Float32Array, pitch: number, loud = level) {
  const tone = heard(samples, pitch);
  assert.ok(Math.abs(tone.level - loud) < 0.02 * loud, `${pitch} Hz at ${tone.level}`);
  // An eighth of a sample of 16 kHz.
  assert.ok(Math.abs(tone.phase) * (16000 / pitch) < 0.125, `${pitch} Hz off by ${tone.phase} turns`);
}

for (const made of [
  { name: 'telephone.wav', encoder: 'pcm_s16le', rate: 8000 },
  { name: 'same.wav', encoder: 'pcm_s16le', rate: 16000 },
  { name: 'cd.wav', encoder: 'pcm_s16le', rate: 44100 },
  { name: 'studio.wav', encoder: 'pcm_s32le', rate: 96000 },
  { name: 'float.wav', encoder: 'pcm_f32le', rate: 48000 },
  { name: 'lossless.flac', encoder: 'flac', rate: 44100 },
  { name: 'apple.m4a', encoder: 'alac', rate: 48000 },
  { name: 'coded.m4a', encoder: 'aac', rate: 48000 },
  { name: 'coded.mp3', encoder: 'libmp3lame', rate: 44100 },
  { name: 'coded.mka', encoder: 'libopus', rate: 48000 },
]) {
  test(`${made.name}: a tone keeps its level and its phase to the sample`, async () => {
    const [samples] = await askSound(await tones(made));
    assert.ok(
      Math.abs(samples!.length - 32000) <= (made.encoder === 'aac' ? 400 : 1),
      `${samples!.length} samples`,
    );
    // LAME makes everything quieter by 5 %.
    expectTone(samples!, pitches[0]!, made.encoder === 'libmp3lame' ? level * 0.95 : level);
  });
}

test('channels are those asked for, in the order of the request', async () => {
  const path = await tones({ name: 'six.flac', encoder: 'flac', channels: 6 });
  const asked = [3, 1, 6, 3];
  const got = await askSound(path, asked);
  for (const [i, channel] of asked.entries()) expectTone(got[i]!, pitches[channel - 1]!);
});

test('a mix is never louder than full scale and holds the centre loudest', async () => {
  const [mix] = await askSound(await tones({ name: 'mix.flac', encoder: 'flac', channels: 6 }));
  const whole = 1 + 2 * Math.SQRT1_2 + 2 * 0.5;
  expectTone(mix!, pitches[0]!, (level * Math.SQRT1_2) / whole);
  expectTone(mix!, pitches[2]!, level / whole);
  expectTone(mix!, pitches[4]!, (level * 0.5) / whole);
  assert.ok(heard(mix!, pitches[3]!).level < 0.001, 'low effects are left out');
});

test('a channel that is not there is named with the file and how many there are', async () => {
  const path = await tones({ name: 'two.wav', encoder: 'pcm_s16le', channels: 2 });
  const missing = askSound(path, [1, 3]);
  await assert.rejects(missing, (error: Error) => {
    assert.ok(mediaErrors.NO_CHANNEL.is(error));
    assert.match(error.message, /two\.wav: has no audio channel 3; it has 2$/);
    return true;
  });
});

test('a file without sound is NO_SOUND', async () => {
  const silent = await stamped('silent', { file: 'sound-silent.mp4', frames: 10 }).make();
  await assert.rejects(askSound(silent), mediaErrors.NO_SOUND.is);
  const text = join(folder, 'text.wav');
  await writeFile(text, 'RIFF is only the beginning');
  await assert.rejects(askSound(text), mediaErrors.NOT_MEDIA.is);
});

test('sound of no length is a feed without blocks', async () => {
  const [samples] = await askSound(await tones({ name: 'empty.wav', encoder: 'pcm_s16le', seconds: 0 }));
  assert.equal(samples!.length, 0);
});
