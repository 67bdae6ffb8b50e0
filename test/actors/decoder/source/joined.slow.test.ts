// Films that were joined byte by byte, so that their clock restarts in the middle.
import assert from 'node:assert/strict';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../../temporary-folder.ts';
import {
  askFrames,
  askMoments,
  askPicture,
  askProbe,
  askSections,
  askSound,
  type Got,
} from '../ask-decoder.ts';
import { cut, stampsOf } from '../clips/cut.ts';
import { type StampedFilm, stamped } from '../footage/clip.ts';
import { pyramid } from '../footage/codec-options.ts';
import { readStamp } from '../footage/stamp.ts';
import { expectTone, pitches, tones } from '../footage/tones.ts';

const folder = temporaryFolder();
const seconds = 10;
const stampOf = ({ rgb }: Pick<Got, 'rgb'>) => readStamp(rgb, 192, 108);

/** Pictures of `first` behind `pictures`, at 30 a second. */
const from = (first: number) => ({
  base: { num: 1, den: 30 },
  ticks: Array.from({ length: 30 * seconds }, (_, i) => first * 30 + i),
});

const h264 = { frames: 30 * seconds, options: { ...pyramid, g: '30' } };
const films: readonly [what: string, first: StampedFilm, second: StampedFilm | null][] = [
  [
    'two transport streams',
    { ...h264, file: 'joined.ts', sound: tones({ encoder: 'aac', seconds, sampleRate: 48000 }) },
    null,
  ],
  [
    'two program streams',
    { frames: 30 * seconds, file: 'joined.mpg', encoder: 'mpeg2video', options: { g: '30', qmax: '4' } },
    null,
  ],
  [
    'a transport stream whose clock jumps ahead by an hour',
    { ...h264, file: 'joined-first.ts' },
    { ...h264, file: 'joined-hour.ts', times: from(3600) },
  ],
  [
    'a transport stream whose clock jumps back, which looks as if it wrapped',
    { ...h264, file: 'joined-late.ts', times: from(1000) },
    { ...h264, file: 'joined-again.ts' },
  ],
];

for (const [what, first, second] of films) {
  describe(what, () => {
    async function joined(): Promise<string> {
      const parts = [await stamped(what, first).make(), await stamped(what, second ?? first).make()];
      const path = join(folder, first.file);
      writeFileSync(path, Buffer.concat(parts.map((part) => readFileSync(part))));
      return path;
    }

    test('lasts as long as both, and says where they meet', async () => {
      const { duration_seconds, grid_frames, warning } = await askProbe(await joined());
      assert.ok(Math.abs(duration_seconds - 2 * seconds) < 0.1, `${duration_seconds} s`);
      assert.equal(grid_frames, Math.ceil(duration_seconds - 0.002));
      assert.equal(warning, 'its clock restarts at 00:00:10; times go on from there');
    });

    test('shows each second of both', async () => {
      const path = await joined();
      const got = await askFrames({ path });
      const wanted = (second: number) => 30 * (second % seconds);
      assert.deepEqual(
        got.slice(0, 2 * seconds).map(stampOf),
        Array.from({ length: 2 * seconds }, (_, second) => wanted(second)),
      );
      assert.equal(stampOf(await askPicture(path, seconds + 4.5)), 30 * 4.5);
      const moments = await askMoments(path, [1, seconds + 1, seconds + 8]);
      assert.deepEqual(
        [...moments.values()].map((moment) => Math.round(moment.seconds)),
        [1, seconds + 1, seconds + 8],
      );
    });

    test('has sections on both sides, that follow one another', async () => {
      const sections = await askSections(await joined(), 3);
      assert.ok(
        sections.some(({ frame }) => frame < seconds) && sections.some(({ frame }) => frame > seconds),
      );
    });

    test('is cut across the place where they meet', async () => {
      const path = await joined();
      for (const mode of ['precise', 'copy'] as const) {
        const made = await cut(path, [seconds - 0.5, seconds + 0.5], mode);
        const stamps = (await stampsOf(made.path)).map(({ stamp }) => stamp);
        for (const stamp of [285, 299, 0, 14]) assert.ok(stamps.includes(stamp), `${mode}: no ${stamp}`);
        if (mode === 'precise') assert.equal(stamps.length, 30);
      }
    });
  });
}

test('the sound of both is heard where it belongs', async () => {
  const [a, b] = [0, 1].map((which) =>
    stamped('tone', {
      ...h264,
      file: `joined-tone-${which}.ts`,
      sound: tones({ encoder: 'aac', seconds, from: which }),
    }),
  );
  const path = join(folder, 'tones.ts');
  writeFileSync(path, Buffer.concat([readFileSync(await a!.make()), readFileSync(await b!.make())]));
  const [samples] = await askSound(path);
  assert.ok(Math.abs(samples!.length / 16000 - 2 * seconds) < 0.1);
  expectTone(samples!, pitches[0]!, { from: 1, to: 9, within: 2 });
  expectTone(samples!, pitches[1]!, { from: 11, to: 19, zero: 10, within: 20 });
});

test('a film that is replaced by another of its size and time is read again', async () => {
  const [a, b] = [0, 1].map((which) => stamped('replaced', { ...h264, file: `replaced-${which}.ts` }));
  const [joined, alone] = [join(folder, 'replaced.ts'), readFileSync(await a!.make())];
  writeFileSync(joined, Buffer.concat([alone, readFileSync(await b!.make())]));
  utimesSync(joined, 1e9, 1e9);
  assert.ok((await askProbe(joined)).warning !== undefined);
  // Packets that no stream uses fill it up.
  const rest = Buffer.alloc(statSync(joined).size - alone.length, 0xff);
  for (let at = 0; at < rest.length; at += 188) rest.set([0x47, 0x1f, 0xff, 0x10], at);
  writeFileSync(joined, Buffer.concat([alone, rest]));
  utimesSync(joined, 1e9, 1e9);
  const { duration_seconds, warning } = await askProbe(joined);
  assert.ok(Math.abs(duration_seconds - seconds) < 0.1, `${duration_seconds} s`);
  assert.equal(warning, undefined);
});
