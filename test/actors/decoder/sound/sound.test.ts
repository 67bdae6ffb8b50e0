import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askSound } from '../ask-decoder.ts';
import { stamped } from '../footage/clip.ts';
import { expectTone, level, measureTone, pitches, type Tones, tones } from '../footage/tones.ts';

const folder = temporaryFolder();

async function made({ name, ...sound }: Tones & { readonly name: string }): Promise<string> {
  const path = join(folder, name);
  await writeFilm({ path, sound: tones(sound) });
  return path;
}

for (const kind of [
  { name: 'telephone.wav', encoder: 'pcm_s16le', sampleRate: 8000 },
  { name: 'same.wav', encoder: 'pcm_s16le', sampleRate: 16000 },
  { name: 'cd.wav', encoder: 'pcm_s16le', sampleRate: 44100 },
  { name: 'studio.wav', encoder: 'pcm_s32le', sampleRate: 96000 },
  { name: 'float.wav', encoder: 'pcm_f32le', sampleRate: 48000 },
  { name: 'lossless.flac', encoder: 'flac', sampleRate: 44100 },
  { name: 'apple.m4a', encoder: 'alac', sampleRate: 48000 },
  { name: 'coded.m4a', encoder: 'aac', sampleRate: 48000 },
  { name: 'coded.mp3', encoder: 'libmp3lame', sampleRate: 44100 },
  { name: 'coded.mka', encoder: 'libopus', sampleRate: 48000 },
]) {
  test(`${kind.name}: a tone keeps its level and its phase to the sample`, async () => {
    const [samples] = await askSound(await made(kind));
    // AAC ends with a whole frame.
    const more = kind.encoder === 'aac' ? 400 : 1;
    assert.ok(Math.abs(samples!.length - 32000) <= more, `${samples!.length} samples`);
    // LAME makes everything quieter by 5 %.
    expectTone(samples!, pitches[0]!, { loud: kind.encoder === 'libmp3lame' ? level * 0.95 : level });
  });
}

test('channels are those asked for, in the order of the request', async () => {
  const path = await made({ name: 'six.flac', encoder: 'flac', channels: 6 });
  const asked = [3, 1, 6, 3];
  const got = await askSound(path, asked);
  for (const [i, channel] of asked.entries()) expectTone(got[i]!, pitches[channel - 1]!);
});

test('a downmix cannot clip and has the centre loudest', async () => {
  const [mix] = await askSound(await made({ name: 'mix.flac', encoder: 'flac', channels: 6 }));
  const whole = 1 + 2 * Math.SQRT1_2 + 2 * 0.5;
  expectTone(mix!, pitches[0]!, { loud: (level * Math.SQRT1_2) / whole });
  expectTone(mix!, pitches[2]!, { loud: level / whole });
  expectTone(mix!, pitches[4]!, { loud: (level * 0.5) / whole });
  assert.ok(measureTone(mix!, pitches[3]!).level < 0.001, 'LFE is left out');
});

test('a channel that is not there is named with the file and how many there are', async () => {
  const path = await made({ name: 'two.wav', encoder: 'pcm_s16le', channels: 2 });
  const missing = askSound(path, [1, 3]);
  await assert.rejects(missing, (error: Error) => {
    assert.ok(mediaErrors.NO_CHANNEL.is(error));
    assert.match(error.message, /two\.wav: has no audio channel 3; it has 2 channels$/);
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

test('sound without samples is a feed without blocks', async () => {
  const [samples] = await askSound(await made({ name: 'empty.wav', encoder: 'pcm_s16le', seconds: 0 }));
  assert.equal(samples!.length, 0);
});
