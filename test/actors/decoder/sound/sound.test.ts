import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import {
  chooseChannels,
  defaultTrack,
  downmix,
  mixedTracks,
  pick,
} from '../../../../actors/decoder/sound/choice.ts';
import { SoundClock } from '../../../../actors/decoder/sound/clock.ts';
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

const tracks = [2, 6, 1].map((channels, stream) => ({
  stream: stream + 1,
  channels,
  preferred: stream === 1,
  decodable: true,
  codec: 'pcm_s24le',
  sampleRate: 48_000,
  language: null,
  isBeside: false,
}));

describe('the channels', () => {
  test('are counted over all tracks, each track decoded once', () => {
    assert.deepEqual(chooseChannels(tracks, [3, 9, 1, 3, 8]), [
      { stream: 2, channels: [0, 5], positions: [[0, 3], [4]] },
      { stream: 3, channels: [0], positions: [[1]] },
      { stream: 1, channels: [0], positions: [[2]] },
    ]);
    assert.deepEqual(chooseChannels(tracks, [1, 10, 11]), { missing: 10 });
  });

  test('every position of the request is filled once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (asked) => {
        const chosen = chooseChannels(tracks, asked);
        assert.ok(!('missing' in chosen));
        const places = chosen.flatMap((choice) => choice.positions.flat()).sort((a, b) => a - b);
        assert.deepEqual(places, [...asked.keys()]);
      }),
    );
  });

  test('of a request without a list are those of the default track', () => {
    assert.equal(defaultTrack(tracks)!.stream, 2);
    assert.equal(
      defaultTrack(tracks.map((track) => ({ ...track, decodable: track.stream === 3 })))!.stream,
      3,
    );
    assert.equal(defaultTrack([]), null);
  });
});

describe('without a list of channels', () => {
  const recorded = [0, 1, 2, 3].map((stream) => ({
    ...tracks[0]!,
    stream,
    channels: 1,
    preferred: stream === 0,
  }));
  const mixed = (change: object) =>
    mixedTracks(recorded.map((track) => (track.stream === 2 ? { ...track, ...change } : track))).map(
      ({ stream }) => stream,
    );

  test('the tracks of one recording are mixed', () => {
    assert.deepEqual(mixed({}), [0, 1, 2, 3]);
    assert.deepEqual(mixedTracks([]), []);
  });

  test('a commentary, another language or another kind of track is left out', () => {
    for (const change of [
      { isBeside: true },
      { language: 'deu' },
      { codec: 'aac' },
      { sampleRate: 44_100 },
      { channels: 2 },
      { decodable: false },
    ])
      assert.deepEqual(mixed(change), [0, 1, 3], JSON.stringify(change));
  });

  test('a track that is a mix already stays alone', () => {
    const surround = [0, 1].map((stream) => ({ ...tracks[1]!, stream, preferred: stream === 0 }));
    assert.deepEqual(
      mixedTracks(surround).map(({ stream }) => stream),
      [0],
    );
  });
});

describe('gains', () => {
  test('of a mix add up to 1 and are not negative', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 2n ** 40n - 1n }),
        fc.integer({ min: 0, max: 3 }),
        (mask, order) => {
          const nbChannels = mask.toString(2).replaceAll('0', '').length;
          const weights = downmix({ order, nbChannels, mask });
          assert.equal(weights.length, nbChannels);
          assert.ok(weights.every((weight) => weight >= 0));
          assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-9);
        },
      ),
    );
  });

  test('of 5.1 are highest for the centre and 0 for LFE', () => {
    const [left, right, centre, low, back] = downmix({ order: 1, nbChannels: 6, mask: 0x3fn });
    assert.equal(left, right);
    assert.equal(low, 0);
    assert.ok(centre! > left! && left! > back! && back! > 0);
    assert.deepEqual(downmix({ order: 1, nbChannels: 2, mask: 3n }), [0.5, 0.5]);
    assert.deepEqual(downmix({ order: 3, nbChannels: 4, mask: 0n }), [1, 0, 0, 0]);
  });

  test('of a channel that a frame does not have are 0', () => {
    assert.deepEqual(pick([1, 3], 2), [0, 1, 0, 0]);
  });
});

const rate = 48000;
const frame = 1024;

/** Places frames one after another; answers the clock and what was done to each. */
function placed(positions: readonly (number | null)[], end = Number.POSITIVE_INFINITY, lost: number[] = []) {
  const clock = new SoundClock(rate, end, null);
  const placings = positions.map((at, i) => clock.place(at, frame, lost.includes(i)));
  return { clock, placings };
}

const steady = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i * frame);
const whole = { silence: 0, skip: 0 };

describe('frames are placed', () => {
  test('one after another by their timestamps, or without any', () => {
    const { clock, placings } = placed([...steady(5), null, null, 7 * frame]);
    assert.deepEqual(placings, Array(8).fill(whole));
    assert.equal(clock.at, 8 * frame);
  });

  test('the first exactly, after silence or cut', () => {
    assert.deepEqual(placed([7]).placings, [{ silence: 7, skip: 0 }]);
    assert.deepEqual(placed([-7]).placings, [{ silence: 0, skip: 7 }]);
    assert.deepEqual(placed([-rate * 20, -100]).placings, [
      { silence: 0, skip: frame },
      { silence: 0, skip: 100 },
    ]);
  });

  test('after a lost one exactly', () => {
    assert.deepEqual(placed([0, frame + 9, frame * 2 + 9], Infinity, [1]).placings[1], {
      silence: 9,
      skip: 0,
    });
  });

  test('with a gap where one is missing', () => {
    assert.deepEqual(placed([...steady(50), ...steady(5, 51 * frame)]).placings[50], {
      silence: frame,
      skip: 0,
    });
  });

  test('without gaps where timestamps jitter, but for the first', () => {
    const shaken = steady(400).map((at, i) => at + (i % 2 ? 900 : 0));
    const moved = placed(shaken).placings.filter(({ silence, skip }) => silence + skip > 0);
    assert.ok(moved.length <= 1, `${moved.length} frames moved`);
  });

  test('corrected for slow drift before it reaches 60 ms', () => {
    const { clock } = placed(steady(20_000).map((at) => at * 1.0005));
    assert.ok(Math.abs(clock.at - 20_000 * frame * 1.0005) < 0.06 * rate + frame);
  });

  test('continuously across clock resets, beyond the end of the file or far back', () => {
    const wild = placed([...steady(5), 3600 * rate, 3600 * rate + frame], 10 * rate);
    assert.deepEqual(wild.placings, Array(7).fill(whole));
    const anew = placed([...steady(1000), ...steady(5)]);
    assert.deepEqual(anew.placings, Array(1005).fill(whole));
  });

  test('whatever the timestamps are, without going back or repeating samples', () => {
    const time = fc.option(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(time, fc.integer({ min: 1, max: 5000 }), fc.boolean())), (frames) => {
        const clock = new SoundClock(rate, 100 * rate, null);
        for (const [at, count, lost] of frames) {
          const before = clock.at;
          const { silence, skip } = clock.place(at, count, lost);
          assert.ok(silence >= 0 && skip >= 0 && skip <= count);
          assert.equal(clock.at, before + silence + count - skip);
        }
        assert.ok(clock.at <= 111 * rate + frames.length * 5000);
      }),
    );
  });
});
