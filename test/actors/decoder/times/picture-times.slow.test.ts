import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import sharp from 'sharp';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { pictureTimes } from '../../../../actors/decoder/times/picture-times.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { sharedPath, skipWithout } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { TestTurn, turnFor } from '../ask-decoder.ts';
import type { Clip } from '../footage/clip.ts';
import { clips, longFilm, someClipsAndUneven } from '../footage/clips.ts';
import { containerClips } from '../footage/container-clips.ts';

const folder = temporaryFolder();

const timesOf = (path: string, from: number, to: number) => pictureTimes({ path, from, to }, turnFor());

/** Of containers in which not every picture has a time. */
const untimed = /holds no times$|program stream$/;

/** What a player shows between two moments, and until when. */
function shownIn({ facts: { frames, duration } }: Clip, from: number, to: number) {
  const first = frames.findLastIndex(({ seconds }) => seconds <= from + 0.0005);
  const next = frames.findIndex(({ seconds }) => seconds >= to + 0.0005);
  const shown = frames.slice(Math.max(0, first), next < 0 ? undefined : next);
  return { starts: shown.map(({ seconds }) => seconds), end: frames[next]?.seconds ?? duration };
}

for (const clip of someClipsAndUneven) {
  test(`${clip.name}: the times of a part are those at which a player shows its pictures`, async () => {
    const path = await clip.make();
    const { duration, frameRate } = clip.facts;
    for (const [a, b] of [
      [0, 1],
      [0.31, 0.47],
      [0.62, 0.64],
      [0.9, 1.5],
    ] as const) {
      const [from, to] = [a * duration, b * duration];
      const got = await timesOf(path, from, to);
      if (untimed.test(clip.name)) {
        assert.deepEqual(got, { varies: false, starts: [], end: null });
        continue;
      }
      const { starts, end } = shownIn(clip, from, to);
      const about = `${clip.name}, ${from} to ${to}`;
      assert.equal(got.starts.length, starts.length, about);
      for (const [i, at] of starts.entries())
        assert.ok(Math.abs(got.starts[i]! - at) < 0.002, `${about}: ${i}`);
      assert.ok(got.end !== null && Math.abs(got.end - end) < 0.07, `${about}: ends ${got.end}, not ${end}`);
      assert.equal(got.varies, frameRate === null, about);
    }
    assert.deepEqual((await timesOf(path, duration + 5, duration + 6)).starts, []);
  });
}

test('a part of a long film is found without reading up to it', async () => {
  const path = await longFilm.make();
  const at = longFilm.facts.duration / 2;
  const turn = turnFor();
  const { starts } = await pictureTimes({ path, from: at, to: at + 1 }, turn);
  const expected = shownIn(longFilm, at, at + 1).starts;
  assert.deepEqual([starts.length, starts[0]! <= at], [expected.length, true]);
});

test('pictures after the end that a header claims are told', async () => {
  const clip = containerClips.find(({ name }) => name === 'FFV1')!;
  const whole = readFileSync(await clip.make(), 'latin1');
  const short = whole.replace(/\d\d:\d\d:\d\d\.\d{9}/g, '00:00:00.100000000');
  assert.notEqual(short, whole);
  const path = join(folder, 'short.mkv');
  writeFileSync(path, short, 'latin1');
  const { duration } = clip.facts;
  const { starts } = await timesOf(path, 0.2, duration + 1);
  assert.equal(starts.length, shownIn(clip, 0.2, duration + 1).starts.length);
  assert.deepEqual((await timesOf(path, duration + 5, duration + 6)).starts, []);
});

test('stills and sound have no pictures in time', {
  skip: skipWithout('media/speech/jfk.flac'),
}, async () => {
  const still = join(folder, 'still.png');
  await sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } }).toFile(still);
  for (const path of [still, sharedPath('media/speech/jfk.flac')])
    assert.deepEqual(await timesOf(path, 0, 1), { varies: false, starts: [], end: null });
});

test('a file that is not there and a request that is cancelled are told', async () => {
  await assert.rejects(timesOf(join(folder, 'none.mp4'), 0, 1), mediaErrors.FILE_NOT_FOUND.is);
  const turn = new TestTurn(0);
  turn.cancel();
  const path = await clips[0]!.make();
  await assert.rejects(pictureTimes({ path, from: 0, to: 1 }, turn), engineErrors.CANCELLED.is);
});
