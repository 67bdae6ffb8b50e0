import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { writeStill } from '../../../../bench/samples/writer/still.ts';
import { sampled, sharedPath, skipWithout } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askMoments, askProbe, turnFor, walkCounts } from '../ask-decoder.ts';
import type { Clip } from '../footage/clip.ts';
import { clips, longFilm, someClips } from '../footage/clips.ts';
import { fullDecode, meanDifference, shownAt } from '../footage/full-decode.ts';
import { readStamp } from '../footage/stamp.ts';

const folder = temporaryFolder();

async function pixels(jpeg: Uint8Array) {
  const { data, info } = await sharp(jpeg).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { rgb: data, width: info.width, height: info.height };
}

async function stampOf(jpeg: Uint8Array): Promise<number | null> {
  const { rgb, width, height } = await pixels(jpeg);
  return readStamp(rgb, width, height);
}

function shownStamp({ facts }: Clip, moment: number): number | undefined {
  return facts.frames.filter(({ seconds }) => seconds <= moment + 0.0005).at(-1)?.stamp;
}

for (const clip of someClips) {
  test(`${clip.name}: each moment has the picture that a player shows then`, async () => {
    const path = await clip.make();
    const { duration } = clip.facts;
    // Close to each other, and so far apart that a seek may pay.
    for (const parts of [
      [0, 0, 0.4, 0.61, 0.95],
      [0.02, 0.97],
    ]) {
      const moments = parts.map((part) => part * duration);
      const got = await askMoments(path, [...moments, duration + 1, duration + 50]);
      assert.deepEqual([...got.keys()], [...moments.keys()]);
      for (const [place, { jpeg }] of got) {
        assert.equal(await stampOf(jpeg), shownStamp(clip, moments[place]!), `moment ${moments[place]}`);
      }
    }
  });
}

test('a hundred moments within one GOP decode it once', async () => {
  const clip = clips.find(({ name }) => name === 'H.264, GOP 250')!;
  const moments = Array.from({ length: 100 }, (_, i) => i * 0.08);
  const turn = turnFor();
  const got = await askMoments(await clip.make(), moments, turn);
  assert.equal(got.size, 100);
  const { read, decoded } = walkCounts(turn);
  assert.ok(read <= clip.facts.frames.length, `${read} packets read`);
  assert.ok(decoded <= 250, `${decoded} packets decoded`);
});

test('moments far apart in one long GOP do not decode it again from its beginning', async () => {
  const path = await longFilm.make();
  const turn = turnFor();
  const moments = [60, 70, 80, 90, 100, 110, 119];
  const got = await askMoments(path, moments, turn);
  assert.deepEqual(
    [...got.values()].map(({ seconds }) => seconds),
    moments,
  );
  assert.ok(walkCounts(turn).decoded <= 61, `${walkCounts(turn).decoded} packets decoded`);
});

test('three moments of a long film are reached by seeks', async () => {
  const turn = turnFor();
  const last = longFilm.facts.duration - 1;
  const got = await askMoments(await longFilm.make(), [1, 5000.5, last], turn);
  assert.deepEqual(
    [...got.values()].map(({ seconds }) => seconds),
    [1, 5000, last],
  );
  const { read, decoded } = walkCounts(turn);
  assert.ok(read < 250, `${read} packets read`);
  assert.ok(decoded < 200, `${decoded} packets decoded`);
});

for (const name of sampled(['car-detection.mp4', 'bottle-detection.mp4'], 2)) {
  const film = `media/video/${name}`;
  const path = sharedPath(film);
  test(`${name}: the JPEG of a moment shows the picture of a full decode`, {
    skip: skipWithout(film),
  }, async () => {
    const { duration_seconds, width, height } = await askProbe(path);
    const moments = [0, 1.3, 5, duration_seconds / 2, duration_seconds - 0.2];
    const got = await askMoments(path, moments, turnFor(), { max_side: 4096, quality: 100 });
    assert.equal(got.size, moments.length);
    const shape = { width: 96, height: 54, fit: 'stretch', resample: 'area' } as const;
    const full = await fullDecode(path, shape);
    for (const [place, { jpeg }] of got) {
      const picture = await pixels(jpeg);
      assert.deepEqual([picture.width, picture.height], [width, height]);
      const small = await sharp(jpeg).resize(96, 54, { fit: 'fill', kernel: 'linear' }).raw().toBuffer();
      const shown = shownAt(full, moments[place]!)!;
      assert.ok(meanDifference(small, shown.rgb) < 4, `moment ${moments[place]}`);
    }
  });
}

test('a still is the same at every moment, upright', async () => {
  const path = join(folder, 'turned.jpg');
  const rgb = new Uint8Array(64 * 32 * 3).fill(200);
  await writeStill({ path, width: 64, height: 32, rgb, orientation: 6 });
  const got = await askMoments(path, [0, 5, 900]);
  assert.equal(got.size, 3);
  for (const { jpeg } of got.values()) {
    const { width, height } = await pixels(jpeg);
    assert.deepEqual([width, height], [32, 64]);
  }
});

test('a cancelled turn ends before the next moment', async () => {
  const clip = clips.find(({ name }) => name === 'H.264, GOP 250')!;
  const turn = turnFor();
  const path = await clip.make();
  turn.cancel();
  await assert.rejects(askMoments(path, [0, 1], turn), { code: 'CANCELLED' });
});

test('moments out of order and files that are no media are refused', async () => {
  const clip = clips.find(({ name }) => name === 'H.264, GOP 12')!;
  await assert.rejects(askMoments(await clip.make(), [1, 0]), { code: 'INVALID_MESSAGE' });
  const path = join(folder, 'text.mp4');
  await writeFile(path, 'no film');
  await assert.rejects(askMoments(path, [0]), { code: 'NOT_MEDIA' });
  await assert.rejects(askMoments(join(folder, 'none.mp4'), [0]), { code: 'FILE_NOT_FOUND' });
});
