import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { clip } from '../../../../actors/decoder/clips/clip.ts';
import { clipModes } from '../../../../actors/decoder/clips/contract.ts';
import { expectReadable } from '../../../../actors/decoder/clips/sound-packets.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { sampled, sharedPath, skipWithout } from '../../../shared.ts';
import { askProbe, askSound, turnFor } from '../ask-decoder.ts';
import { type Clip, stamped } from '../footage/clip.ts';
import { clips, someClips } from '../footage/clips.ts';
import { ntsc, pyramid } from '../footage/codec-options.ts';
import { fullDecode, meanDifference } from '../footage/full-decode.ts';
import { drawStamp } from '../footage/stamp.ts';
import { expectSilence, expectTone, measureTone, pitches, tones } from '../footage/tones.ts';
import { cut, folder, newOutput, packetTimes, stampsOf, wanted } from './cut.ts';

/** A stretch in the middle, whose cuts fall between pictures. */
function stretch({ facts }: Clip): [number, number] {
  return facts.duration > 4 ? [2.31, 3.59] : [facts.duration * 0.4, facts.duration * 0.8];
}

describe('a precise clip has each picture from the first to the last, and no other', () => {
  for (const film of someClips) {
    test(film.name, async () => {
      const span = stretch(film);
      const made = await cut(await film.make(), span);
      const stamps = await stampsOf(made.path);
      const numbers = wanted(film, span);
      assert.deepEqual(
        stamps.map(({ stamp }) => stamp),
        numbers,
      );
      assert.equal(made.frames, numbers.length);
      const secondsOf = new Map(film.facts.frames.map(({ stamp, seconds }) => [stamp, seconds]));
      for (const { stamp, seconds } of stamps) {
        const own = Math.max(0, secondsOf.get(stamp!)! - made.start_seconds);
        assert.ok(Math.abs(seconds - own) < 0.0015, `${stamp} at ${seconds}, not ${own}`);
      }
    });
  }
});

describe('a copied clip begins at the random access point before, and says so', () => {
  const untimed = /no times|program stream/;
  for (const film of someClips.filter(({ name }) => !untimed.test(name))) {
    test(film.name, async () => {
      const [start, end] = stretch(film);
      const made = await cut(await film.make(), [start, end], 'copy');
      const stamps = await stampsOf(made.path);
      const numbers = stamps.map(({ stamp }) => stamp!);
      assert.ok(made.start_seconds <= start + 0.001 && made.end_seconds >= end - 0.05);
      const { frames } = film.facts;
      const at = frames.findIndex(({ seconds }) => Math.abs(seconds - made.start_seconds) < 0.0015);
      assert.deepEqual(
        numbers,
        frames.slice(at, at + numbers.length).map(({ stamp }) => stamp),
      );
      const needed = wanted(film, [start, end]);
      assert.ok(numbers[0]! <= needed[0]! && numbers.at(-1)! >= needed.at(-1)!, `${numbers}`);
    });
  }

  test('at the start of a film whose edit list begins between keyframes, all that is shown is there', async () => {
    const film = clips.find(({ name }) => name === 'an edit list that hides the first 40 frames')!;
    const path = await film.make();
    for (const span of [
      [0, 1],
      [0.3, 1],
    ] as const) {
      const made = await cut(path, span, 'copy');
      const stamps = (await stampsOf(made.path)).map(({ stamp }) => stamp);
      assert.deepEqual(
        stamps,
        film.facts.frames.slice(0, stamps.length).map(({ stamp }) => stamp),
      );
      assert.deepEqual([made.start_seconds, made.frames], [0, stamps.length]);
      assert.ok(made.end_seconds >= 1);
    }
  });

  test('where two parts overlap in time, packets stay in order', async () => {
    const [part] = clips.filter(({ name }) => name === 'H.264, open GOP in a transport stream');
    const bytes = readFileSync(await part!.make());
    const joined = join(folder, 'joined.ts');
    writeFileSync(joined, Buffer.concat([bytes, bytes]));
    const { path } = await cut(joined, [0, 100], 'copy');
    for (const { dts } of packetTimes(path)) {
      for (let i = 1; i < dts.length; i++) assert.ok(dts[i]! > dts[i - 1]!, `${dts[i]}`);
    }
  });

  test('where packets have no times, it is refused', async () => {
    const film = clips.find(({ name }) => name.startsWith('MPEG-4 with B-frames in AVI'))!;
    const path = await film.make();
    await assert.rejects(cut(path, [1, 2], 'copy'), { code: 'CLIP_UNTIMED' });
  });
});

test('packets of a clip are in order, and those of pictures and sound begin together', async () => {
  const film = clips.find(({ name }) => name === 'subtitles in mp4')!;
  for (const mode of ['precise', 'copy'] as const) {
    const { path } = await cut(await film.make(), [1.25, 3.5], mode);
    const streams = packetTimes(path);
    assert.deepEqual(
      streams.map(({ isSound }) => isSound),
      [false, true],
    );
    for (const { dts, pts } of streams) {
      assert.ok(dts.length > 10);
      for (let i = 1; i < dts.length; i++) assert.ok(dts[i]! > dts[i - 1]!, `${mode}: ${dts[i]}`);
      assert.ok(Math.abs(Math.min(...pts)) < 0.03, `${mode}: begins at ${Math.min(...pts)}`);
    }
  }
});

test('what a picture looks like and how it is shown is kept', async () => {
  const kept = [
    'rotated by 90 degrees',
    'rotated by 270 degrees',
    'pixels wider than high',
    'HEVC, 10 bit with PQ',
  ];
  for (const film of clips.filter(({ name }) => kept.includes(name) || /drop/.test(name))) {
    const path = await film.make();
    const before = await askProbe(path);
    const after = await askProbe((await cut(path, stretch(film))).path);
    assert.equal(after.video!.codec, 'h264');
    for (const key of [
      'coded_width',
      'coded_height',
      'pixel_aspect',
      'rotation',
      'pixel_format',
      'bit_depth',
      'color_space',
      'color_transfer',
      'color_primaries',
      'frame_rate',
    ] as const) {
      assert.deepEqual(after.video![key], before.video![key], `${film.name}: ${key}`);
    }
  }
});

test('fields are told in their order from the first picture on', async () => {
  const film = stamped('MPEG-2 of fields, the bottom one first', {
    file: 'fields.m2v.ts',
    encoder: 'mpeg2video',
    frameRate: { num: 25, den: 1 },
    frames: 50,
    options: { g: '12', bf: '2', qmin: '2', flags: '+ildct+ilme' },
  });
  const { path } = await cut(await film.make(), [0.5, 1]);
  // x264 writes down what it was told at the start.
  assert.match(readFileSync(path, 'latin1'), /interlaced=bff/);
});

/** A film with one tone a channel, whose phase tells where the sound is; written once for all tests. */
function tonesFilm(name: string, sound: Parameters<typeof tones>[0]): Promise<string> {
  const path = join(folder, name);
  const writing = tonesFilms.get(path) ?? writeTonesFilm(path, sound);
  tonesFilms.set(path, writing);
  return writing;
}

const tonesFilms = new Map<string, Promise<string>>();

async function writeTonesFilm(path: string, sound: Parameters<typeof tones>[0]): Promise<string> {
  const [width, height] = [192, 108];
  await writeFilm({
    path,
    picture: {
      width,
      height,
      frames: 120,
      frameRate: ntsc(30),
      encoder: 'libx264',
      options: { ...pyramid, g: '20' },
      draw: (n, rgb) => drawStamp(n, rgb, width, height),
    },
    sound: tones({ seconds: 4, channels: 2, ...sound }),
  });
  return path;
}

const heard: readonly (readonly [string, Parameters<typeof tones>[0], within: number])[] = [
  ['aac.mp4', { encoder: 'aac' }, 2],
  ['aac-44100.mov', { encoder: 'aac', sampleRate: 44_100 }, 2],
  ['opus.mkv', { encoder: 'libopus' }, 16],
  ['mp3.mkv', { encoder: 'libmp3lame' }, 16],
  ['pcm-96000.mov', { encoder: 'pcm_s16le', sampleRate: 96_000 }, 2],
  ['aac.ts', { encoder: 'aac' }, 16],
  ['six-channels.mkv', { encoder: 'flac', channels: 6 }, 16],
];

describe('the sound of a clip belongs to its pictures', () => {
  for (const [name, sound, within] of sampled(heard, 3)) {
    for (const mode of clipModes) {
      test(`${name}, ${mode}`, async () => {
        const source = await tonesFilm(name, sound);
        const made = await cut(source, [1.234, 3.1], mode);
        assert.equal(made.mode_used, mode);
        const channels = Array.from({ length: sound.channels ?? 2 }, (_, i) => i + 1);
        const before = await askSound(source, channels);
        for (const [i, samples] of (await askSound(made.path, channels)).entries()) {
          // AAC keeps only the lowest tones of the channel for effects.
          if (mode !== 'copy' && channels.length === 6 && i === 3) continue;
          const loud = measureTone(before[i]!, pitches[i]!).level;
          // 16 samples are 1 ms.
          expectTone(samples, pitches[i]!, { to: 1.5, zero: -made.start_seconds, within, loud });
        }
      });
    }
  }

  test('sound that begins later, or ends before the pictures, is silent there', async () => {
    const late = await tonesFilm('late.mov', {
      encoder: 'pcm_s16le',
      seconds: 2,
      ptsOf: (sample) => sample + 48_000,
    });
    const made = await cut(late, [0.5, 3.5]);
    const [samples] = await askSound(made.path, [1]);
    const shown = made.end_seconds - made.start_seconds;
    assert.ok(Math.abs(samples!.length / 16_000 - shown) < 0.005, `${samples!.length} samples`);
    expectSilence(samples!, 0.01, 1 - made.start_seconds - 0.01);
    expectTone(samples!, pitches[0]!, { from: 0.7, to: 2.3, zero: 1 - made.start_seconds, within: 2 });
    expectSilence(samples!, 3.05 - made.start_seconds, shown - 0.05);
  });

  test('a file of sound alone becomes sound', async () => {
    const path = join(folder, 'tone.flac');
    await writeFilm({ path, sound: tones({ encoder: 'flac', seconds: 3 }) });
    const made = await cut(path, [0.7, 2.2]);
    assert.deepEqual([made.extension, made.frames, made.start_seconds], ['m4a', 0, 0.7]);
    const [samples] = await askSound(made.path, [1]);
    assert.ok(Math.abs(samples!.length - 1.5 * 16_000) < 16);
    expectTone(samples!, pitches[0]!, { to: 1.3, zero: -0.7, within: 2 });
    await assert.rejects(cut(path, [1, 1.000001]), { code: 'CLIP_RANGE' });
    const copied = await cut(path, [0.7, 2.2], 'copy');
    assert.equal(copied.extension, 'flac');
    assert.ok(Math.abs(copied.start_seconds - 0.7) < 0.1);
  });
});

test('copied sound begins where it is said to, and is never shorter than one packet', async () => {
  for (const [file, encoder, within] of [
    ['copied.mp3', 'libmp3lame', 14],
    ['copied.m4a', 'aac', 2],
    ['copied.wav', 'pcm_s16le', 2],
  ] as const) {
    const path = join(folder, file);
    await writeFilm({ path, sound: tones({ encoder, seconds: 3 }) });
    const loud = measureTone((await askSound(path, [1]))[0]!, pitches[0]!).level;
    for (const span of [
      [0, 100],
      [0.7, 2.2],
    ] as const) {
      const { path: output, start_seconds, end_seconds } = await cut(path, span, 'copy');
      const [samples] = await askSound(output, [1]);
      const shown = end_seconds - start_seconds;
      assert.ok(
        Math.abs(samples!.length / 16_000 - shown) < 0.06,
        `${file}: ${samples!.length} for ${shown}`,
      );
      // 16 samples are 1 ms; an MP3 says in its header that the first 11 ms are not heard.
      const late = encoder === 'libmp3lame' ? 529 / 48_000 : 0;
      expectTone(samples!, pitches[0]!, { from: 0.1, to: 1.2, zero: -start_seconds - late, within, loud });
    }
    const { start_seconds, end_seconds } = await cut(path, [1, 1.0001], 'copy');
    assert.ok(start_seconds <= 1 && end_seconds >= 1.0001 && end_seconds - start_seconds < 0.1, file);
  }
});

describe('recorded footage', () => {
  for (const name of sampled(['car-detection.mp4', 'bottle-detection.mp4'], 2)) {
    const film = `media/video/${name}`;
    test(`${name}: first and last picture are those of the source`, { skip: skipWithout(film) }, async () => {
      const path = sharedPath(film);
      const shape = { width: 320, height: 180, fit: 'stretch', resample: 'area' } as const;
      const made = await cut(path, [3.3, 5.1]);
      const [source, clip] = [await fullDecode(path, shape), await fullDecode(made.path, shape)];
      const first = source.findIndex(({ seconds }) => Math.abs(seconds - made.start_seconds) < 0.001);
      assert.ok(first > 0 && clip.length === made.frames);
      for (const [i, { rgb }] of [...clip.entries()].filter(([i]) => i === 0 || i === clip.length - 1)) {
        const difference = meanDifference(rgb, source[first + i]!.rgb);
        assert.ok(difference < 2, `picture ${i} differs by ${difference}`);
      }
      const half = (source[first + 1]!.seconds - source[first]!.seconds) / 2 + 0.001;
      for (const [at, asked] of [
        [first, 3.3],
        [first + clip.length, 5.1],
      ] as const)
        assert.ok(Math.abs(source[at]!.seconds - asked) <= half);
    });
  }
});

describe('nothing is left of a clip that cannot be cut', () => {
  const refused = async (path: string, span: [number, number], code: string) => {
    const output = newOutput();
    const [start_seconds, end_seconds] = span;
    for (const mode of clipModes) {
      await assert.rejects(clip({ path, output, start_seconds, end_seconds, mode }, turnFor()), { code });
      assert.equal(existsSync(output), false);
    }
  };
  const film = clips.find(({ name }) => name === 'H.264, GOP 12')!;

  test('after the end, no media, a still, nothing there', async () => {
    const text = join(folder, 'words.mp4');
    writeFileSync(text, 'these are words');
    await refused(await film.make(), [5.1, 6], 'CLIP_OUTSIDE');
    await refused(text, [0, 1], 'NOT_MEDIA');
    await refused(join(folder, 'nowhere.mp4'), [0, 1], 'FILE_NOT_FOUND');
    const still = join(folder, 'still.bmp');
    writeFileSync(still, whiteBmp());
    await refused(still, [0, 1], 'CLIP_OF_STILL');
  });

  test('a source that cannot be read to its end', () => {
    const source = { path: '/away/film.mp4', ended: 'broken' } as const;
    assert.throws(() => expectReadable(source), { code: 'DECODE_FAILED' });
    for (const ended of ['clean', null] as const) expectReadable({ ...source, ended });
  });

  test('a source that changes, and one that goes, while it is cut', async () => {
    for (const meddle of [(path: string) => appendFileSync(path, 'more'), (path: string) => rmSync(path)]) {
      for (const mode of clipModes) {
        const path = join(folder, 'meddled.mp4');
        copyFileSync(await film.make(), path);
        const output = newOutput();
        const turn = turnFor();
        let meddled = false;
        turn.throwIfCancelled = () => {
          if (meddled || !existsSync(output)) return;
          meddled = true;
          meddle(path);
        };
        const request = { path, output, start_seconds: 1, end_seconds: 4, mode };
        await assert.rejects(clip(request, turn), { code: 'FILE_CHANGED' });
        assert.deepEqual([meddled, existsSync(output)], [true, false]);
      }
    }
  });

  test('a folder that is not there', async () => {
    const path = await film.make();
    const output = join(folder, 'no', 'folder', 'clip.part');
    const request = { path, output, start_seconds: 1, end_seconds: 2 };
    await assert.rejects(clip({ ...request, mode: 'precise' }, turnFor()), { code: 'CLIP_UNWRITABLE' });
  });

  test('a turn that is cancelled in the middle', async () => {
    const path = await film.make();
    for (const mode of clipModes) {
      const turn = turnFor();
      const output = newOutput();
      let asked = 0;
      turn.throwIfCancelled = () => {
        if (existsSync(output) && ++asked > 5) throw engineErrors.CANCELLED();
      };
      const request = { path, output, start_seconds: 1, end_seconds: 4, mode };
      await assert.rejects(clip(request, turn), { code: 'CANCELLED' });
      assert.ok(asked > 5);
      assert.equal(existsSync(output), false);
    }
  });
});

/** One pixel. */
function whiteBmp(): Buffer {
  const bytes = Buffer.alloc(58, 0xff);
  bytes.write('BM');
  bytes.writeUInt32LE(58, 2);
  bytes.writeUInt32LE(0, 6);
  bytes.writeUInt32LE(54, 10);
  for (const [i, value] of [40, 1, 1, 1 | (24 << 16), 0, 4, 0, 0, 0, 0].entries())
    bytes.writeUInt32LE(value, 14 + 4 * i);
  return bytes;
}

test('an end after the end of the film is that of the film', async () => {
  const film = clips.find(({ name }) => name === 'H.264, GOP 12')!;
  const made = await cut(await film.make(), [4.5, 100]);
  assert.deepEqual([made.frames, made.start_seconds, made.end_seconds], [15, 4.5, 5]);
});
