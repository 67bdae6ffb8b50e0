import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { writeFilm } from '../../../../../bench/samples/writer/film.ts';
import { sampled, untilRelease } from '../../../../shared.ts';
import { askProbe, turnFor } from '../../ask-decoder.ts';
import { stamped } from '../../footage/clip.ts';
import { clips } from '../../footage/clips.ts';
import { x264 } from '../../footage/codec-options.ts';
import { fullDecode, meanDifference } from '../../footage/full-decode.ts';
import { tones } from '../../footage/tones.ts';
import { cut, folder, packetTimes, stampsOf, wanted } from '../cut.ts';
import { type GroupFilm, groupFilms } from './films.ts';

const shape = { width: 192, height: 108, fit: 'stretch', resample: 'area' } as const;

/**
 * Levels in the mean; precise clips of these drawings differ as much, and two pictures that follow each other
 * by 20.
 */
const mostDifference = 4;

/** Cuts between pictures and on keyframes; `at` says when a picture is shown. */
function spansOf({ group, facts }: GroupFilm): (readonly [number, number])[] {
  const { frames, duration, frameRate } = facts;
  const at = (n: number) => frames[Math.max(0, n)]?.seconds ?? duration;
  // Nearer to the end of a picture: the middle is not the same in files that round times. Of uneven times at
  // the start.
  const between = (n: number) => (frameRate ? at(n) + 0.6 * (at(n + 1) - at(n)) : at(n));
  return [
    [at(group), at(3 * group)],
    [at(group), between(3 * group + 4)],
    [between(group - 3), at(3 * group)],
    [between(group - 1), between(3 * group - 1)],
    [between(group + 3), between(4 * group + 5)],
    [0, between(2 * group)],
    [between(2 * group + 1), duration + 9],
  ];
}

/** Where the whole groups of a clip begin and end, counted in its pictures. */
function copiedOf({ group, facts: { frames } }: GroupFilm, stamps: readonly number[]): [number, number] {
  const [first, last] = [stamps[0]!, stamps.at(-1)!];
  const from = Math.ceil(first / group) * group;
  const to = last === frames.length - 1 ? frames.length : Math.floor((last + 1) / group) * group;
  return [from - first, to - first];
}

type Pictures = Awaited<ReturnType<typeof fullDecode>>;

/** `source`: all pictures of the film. */
async function expectExact(film: GroupFilm, path: string, span: readonly [number, number], source: Pictures) {
  const made = await cut(path, span, 'smart');
  const numbers = wanted(film, span);
  const said = `${span}: ${made.mode_reason}`;
  assert.deepEqual([made.mode_used, made.mode_reason, made.frames], ['smart', null, numbers.length], said);
  const { frames } = film.facts;
  const clip = await fullDecode(made.path, shape);
  assert.equal(clip.length, numbers.length, said);
  const [from, to] = copiedOf(film, numbers);
  for (const [i, { seconds, rgb }] of clip.entries()) {
    const n = numbers[i]!;
    const own = Math.max(0, frames[n]!.seconds - made.start_seconds);
    assert.ok(Math.abs(seconds - own) < 0.0015, `${said} ${n} at ${seconds}, not ${own}`);
    const difference = meanDifference(rgb, source[n]!.rgb);
    const isCopied = i >= from && i < to;
    assert.ok(
      isCopied ? difference === 0 : difference < mostDifference,
      `${said} ${n} differs by ${difference}`,
    );
  }
  return { made, copied: to - from };
}

describe('a smart clip has the pictures of a precise one, those of whole groups as they are', () => {
  for (const [at, film] of sampled(groupFilms, 4).entries()) {
    test(film.name, async () => {
      const path = await film.make();
      const source = await fullDecode(path, shape);
      // Each of the films begins with another span: a share of them has all.
      for (const span of sampled(spansOf(film).slice(untilRelease ? at : 0), 3)) {
        const { made, copied } = await expectExact(film, path, span, source);
        assert.ok(copied >= film.group, `${span}`);
        for (const { dts, pts } of packetTimes(made.path)) {
          for (const [i, time] of dts.entries()) {
            assert.ok(time > (dts[i - 1] ?? -1) && time <= pts[i]! + 1e-6, `${span}: ${time}`);
          }
        }
      }
    });
  }
});

test('what a picture looks like and how it is shown is kept', async () => {
  const film = groupFilms.find(({ name }) => name.startsWith('rotated'))!;
  const path = await film.make();
  const before = await askProbe(path);
  const after = await askProbe((await cut(path, [0.5, 3.1], 'smart')).path);
  const keys = ['codec', 'coded_width', 'coded_height', 'pixel_aspect', 'rotation', 'pixel_format'] as const;
  for (const key of [...keys, 'color_space', 'frame_rate'] as const) {
    assert.deepEqual(after.video![key], before.video![key], key);
  }
});

describe('a smart clip that cannot be is precise, and says why', () => {
  const reasons: readonly (readonly [name: string, reason: RegExp])[] = [
    ['H.264, open GOP', /no complete closed group/],
    ['H.264 with periodic intra refresh', /no complete closed group/],
    ['HEVC, closed GOP', /hevc/],
    ['HEVC, 10 bit with PQ', /hevc/],
    ['an edit list that hides the first 40 frames', /no complete closed group|edit list/],
  ];
  for (const [name, reason] of reasons) {
    const film = clips.find((film) => film.name === name)!;
    test(name, async () => {
      const span = [0.31, 1.59] as const;
      await expectPrecise(await film.make(), span, reason, wanted(film, span));
    });
  }

  const odd = (name: string, options: Record<string, string>, pixelFormat = 'yuv420p') =>
    stamped(name, { file: `smart-odd-${name}.mp4`, pixelFormat, options: { ...x264, g: '12', ...options } });
  for (const [film, reason] of [
    [odd('422', {}, 'yuv422p'), /yuv422p/],
    [odd('deep', {}, 'yuv420p10le'), /yuv420p10le/],
    [odd('fields', { 'x264-params': 'tff=1', flags: '+ildct' }), /interlaced/],
  ] as const) {
    test(film.name, async () => {
      const span = [0.31, 1.59] as const;
      await expectPrecise(await film.make(), span, reason, wanted(film, span));
    });
  }

  test('a clip within one group', async () => {
    const [film] = groupFilms;
    const span = [0.9, 1.5] as const;
    await expectPrecise(await film!.make(), span, /no complete closed group/, wanted(film!, span));
  });

  test('parameters that change on the way', async () => {
    const part = (name: string, number: number) =>
      stamped(name, {
        file: `smart-${name}.ts`,
        options: { ...x264, g: '12', 'x264-params': `sps-id=${number}` },
      });
    const parts = [await part('part', 0).make(), await part('other-part', 2).make()];
    const path = join(folder, 'parts.ts');
    writeFileSync(path, Buffer.concat(parts.map((part) => readFileSync(part))));
    const made = await cut(path, [0.5, 100], 'smart');
    assert.deepEqual(
      [made.mode_used, made.mode_reason],
      ['precise', 'the parameters of the pictures change'],
    );
  });

  test('a raw stream, whose packets have no times', async () => {
    // FFmpeg takes any such stream for one of 25 pictures a second.
    const frameRate = { num: 25, den: 1 };
    const raw = stamped('raw', { file: 'smart-raw.h264', frameRate, options: { ...x264, g: '12' } });
    const made = await cut(await raw.make(), [0.5, 1.5], 'smart');
    assert.deepEqual([made.mode_used, made.mode_reason], ['precise', 'packets have no times']);
    const stamps = (await stampsOf(made.path)).map(({ stamp }) => stamp);
    assert.deepEqual(stamps, wanted(raw, [0.5, 1.5]));
  });

  test('sound alone', async () => {
    const path = join(folder, 'alone.flac');
    await writeFilm({ path, sound: tones({ encoder: 'flac', seconds: 3 }) });
    const made = await cut(path, [0.7, 2.2], 'smart');
    assert.deepEqual([made.extension, made.mode_used], ['m4a', 'precise']);
    assert.match(made.mode_reason!, /no picture/);
  });
});

describe('what is damaged is not joined', () => {
  const [film] = groupFilms;
  const span = [0.5, 3.9] as const;

  test('a picture near a cut', async () => {
    const path = join(folder, 'damaged.mp4');
    const bytes = readFileSync(await film!.make());
    const from = bytes.indexOf('mdat') + 4;
    const middle = from + Math.floor((bytes.length - from) * 0.12);
    bytes.fill(0x55, middle, middle + 3000);
    writeFileSync(path, bytes);
    const made = await cut(path, span, 'smart');
    assert.equal(made.mode_used, 'precise');
    assert.match(made.mode_reason!, /near a cut|order|damaged/);
  });

  test('a clip whose bytes are others when it is read again', async () => {
    const path = join(folder, 'whole.mp4');
    copyFileSync(await film!.make(), path);
    const turn = turnFor();
    const output = { spoilt: 0, path: '' };
    turn.throwIfCancelled = () => {
      if (output.spoilt > 0 || !existsSync(output.path)) return;
      const bytes = readFileSync(output.path);
      // The index comes last: the clip is complete.
      const index = bytes.indexOf('moov');
      if (index < 0) return;
      output.spoilt = bytes.fill(0x55, Math.floor(index / 50), Math.floor(index / 10)).length;
      writeFileSync(output.path, bytes);
    };
    const made = await cut(path, span, 'smart', turn, (path) => {
      output.path = path;
    });
    assert.ok(output.spoilt > 0);
    assert.equal(made.mode_used, 'precise');
    assert.match(made.mode_reason!, /the joined clip/);
    const stamps = await stampsOf(made.path);
    assert.deepEqual(
      stamps.map(({ stamp }) => stamp),
      wanted(film!, span),
    );
  });
});

async function expectPrecise(
  path: string,
  span: readonly [number, number],
  reason: RegExp,
  numbers: readonly number[],
) {
  const made = await cut(path, span, 'smart');
  assert.equal(made.mode_used, 'precise');
  assert.match(made.mode_reason ?? '', reason);
  const stamps = await stampsOf(made.path);
  assert.deepEqual(
    stamps.map(({ stamp }) => stamp),
    numbers,
  );
}
