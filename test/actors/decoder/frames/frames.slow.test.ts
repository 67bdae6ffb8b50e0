import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gridLength } from '../../../../actors/decoder/grid.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { writeStill } from '../../../../bench/samples/writer/still.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { sampled, sharedPath, skipWithout, untilRelease } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import {
  askFrames,
  askPicture,
  askProbe,
  frameItems,
  stampShape,
  TestTurn,
  turnFor,
  walkCounts,
} from '../ask-decoder.ts';
import { clips, someClips } from '../footage/clips.ts';
import { fullDecode, meanDifference, shownAt } from '../footage/full-decode.ts';
import { readStamp } from '../footage/stamp.ts';

const { width, height } = stampShape;

const longGop = clips.find(({ name }) => name === 'H.264, GOP 250')!;

const folder = temporaryFolder();

for (const clip of someClips) {
  describe(clip.name, () => {
    const { facts } = clip;
    const shown = (second: number) => facts.frames.filter(({ seconds }) => seconds <= second + 0.0005).at(-1);

    test('every grid second has the picture that a full decode shows then', async () => {
      const path = await clip.make();
      const turn = turnFor();
      const got = await askFrames({ path }, turn);
      const full = await fullDecode(path, stampShape);
      assert.deepEqual(
        got.map(({ second }) => second),
        Array.from({ length: gridLength(facts.duration) }, (_, second) => second),
      );
      for (const { second, rgb } of got) {
        assert.equal(readStamp(rgb, width, height), shown(second)?.stamp, `second ${second}`);
        assert.deepEqual(rgb, shownAt(full, second)?.rgb, `second ${second}`);
      }
      assert.ok(walkCounts(turn).decoded <= facts.frames.length + 41);
    });

    test('frames can start in the middle of the grid', async () => {
      const path = await clip.make();
      const from = Math.floor(gridLength(facts.duration) / 2);
      const got = await askFrames({ path, from });
      assert.deepEqual(
        got.map(({ second, rgb }) => [second, readStamp(rgb, width, height)]),
        Array.from({ length: gridLength(facts.duration) - from }, (_, i) => [
          from + i,
          shown(from + i)?.stamp,
        ]),
      );
    });

    test('a single moment shows the same picture', async () => {
      const path = await clip.make();
      for (const moment of [0, facts.duration * 0.61, facts.duration + 10]) {
        const { rgb, preview } = await askPicture(path, moment);
        assert.equal(readStamp(rgb, width, height), shown(moment)?.stamp, `moment ${moment}`);
        assert.ok(preview && preview[0] === 0xff && preview[1] === 0xd8);
      }
    });

    test('the probe says what a player shows', async () => {
      const probe = await askProbe(await clip.make());
      assert.equal(probe.kind, 'video');
      assert.equal(probe.grid_frames, gridLength(facts.duration));
      assert.ok(Math.abs(probe.duration_seconds - facts.duration) < 0.1);
      assert.deepEqual([probe.width, probe.height], [facts.width, facts.height]);
      assert.equal(probe.audio.length, facts.soundTracks);
      assert.equal(probe.subtitles.length, facts.captionTracks);
      if (facts.frameRate) {
        const rate = probe.video!.frame_rate;
        assert.ok(Math.abs(rate.num / rate.den - facts.frameRate.num / facts.frameRate.den) < 1e-4);
      }
    });
  });
}

for (const name of sampled(['car-detection.mp4', 'bottle-detection.mp4'], 2)) {
  const film = `media/video/${name}`;
  const path = sharedPath(film);
  test(`${name} gives the pictures of a full decode`, {
    skip: skipWithout(film),
  }, async () => {
    const shape = { width: 64, height: 64, fit: 'cover', resample: 'area' } as const;
    const full = await fullDecode(path, shape);
    const got = await askFrames({ path, shape });
    const { grid_frames } = await askProbe(path);
    assert.equal(got.length, grid_frames);
    for (const { second, rgb } of got) assert.equal(meanDifference(rgb, shownAt(full, second)!.rgb), 0);
  });
}

test('a film of a camera that codes fields gives the pictures of a full decode', {
  skip: skipWithout('media/odd/avchd-fields.mts'),
}, async () => {
  const path = sharedPath('media/odd/avchd-fields.mts');
  const full = await fullDecode(path, stampShape);
  assert.equal(full.length, 13);
  for (const moment of [0, 0.13, 0.25, 0.37, 0.42]) {
    const { seconds, rgb } = await askPicture(path, moment);
    assert.equal(seconds, shownAt(full, moment)?.seconds);
    assert.deepEqual(rgb, shownAt(full, moment)?.rgb, `moment ${moment}`);
  }
});

test('keyframes of a film coded as fields have both fields', async () => {
  const coded = clips.filter(({ name }) => name.startsWith('H.264 coded as fields'));
  for (const clip of sampled(coded, 2)) {
    const path = await clip.make();
    const full = await fullDecode(path, stampShape);
    const got = await askFrames({ path, mode: 'keyframes' });
    assert.deepEqual(
      got.map(({ seconds }) => seconds),
      [0, 0.96, 1.92],
    );
    for (const { seconds, rgb } of got) assert.deepEqual(rgb, shownAt(full, seconds)?.rgb, clip.name);
  }
});

for (const [a, b, c, d] of [
  [1, 0, 0, 1],
  [-1, 0, 0, 1],
  [1, 0, 0, -1],
  [-1, 0, 0, -1],
  [0, 1, 1, 0],
  [0, -1, -1, 0],
  [0, 1, -1, 0],
  [0, -1, 1, 0],
] as const) {
  test(`a film with the display matrix ${a} ${b} ${c} ${d} is turned and mirrored as a player does`, async () => {
    const made = await clips.find(({ name }) => name === 'one frame')!.make();
    const mp4 = await readFile(made);
    const matrix = mp4.indexOf('tkhd', 0, 'latin1') + 44;
    for (const [at, value] of [a, b, 0, c, d].entries()) mp4.writeInt32BE(value * 65536, matrix + 4 * at);
    const path = join(folder, `matrix ${a} ${b} ${c} ${d}.mp4`);
    await writeFile(path, mp4);
    const shape = a === 0 ? { ...stampShape, width: height, height: width } : stampShape;
    const [plain, turned] = [await askPicture(made, 0), await askPicture(path, 0, shape)];
    const expected = new Uint8Array(plain.rgb.length);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const shownX = a * x + c * y + (a + c < 0 ? shape.width - 1 : 0);
        const shownY = b * x + d * y + (b + d < 0 ? shape.height - 1 : 0);
        const from = (y * width + x) * 3;
        expected.set(plain.rgb.subarray(from, from + 3), (shownY * shape.width + shownX) * 3);
      }
    }
    // The difference of two whole pictures takes minutes to print.
    assert.ok(Buffer.from(turned.rgb).equals(expected));
  });
}

test('a picture whose header claims 68 years is shown for as long as such a file may be', async () => {
  const path = join(folder, 'centuries.mp4');
  const made = await clips.find(({ name }) => name === 'one frame')!.make();
  await writeFile(path, claimingSeconds(await readFile(made), 2 ** 31 - 1));
  const { duration_seconds, grid_frames } = await askProbe(path);
  assert.deepEqual([duration_seconds, grid_frames], [21_600, 21_600]);
  const shape = { width: 8, height: 8, fit: 'stretch', resample: 'area' } as const;
  const from = untilRelease ? grid_frames - 900 : 0;
  let next = from;
  for await (const { frame_index } of frameItems({ path, shape, from }, new TestTurn(8 * 8 * 3))) {
    assert.equal(frame_index, next++);
  }
  assert.equal(next, grid_frames);
  assert.equal((await askPicture(path, 2 ** 30)).seconds, 0);
});

/** An mp4 of one picture, changed so that every header says this duration, in a time base of seconds. */
function claimingSeconds(mp4: Buffer, seconds: number): Buffer {
  const put = (box: string, at: number, value: number) => {
    mp4.writeUInt32BE(value, mp4.indexOf(box, 0, 'latin1') + 4 + at);
  };
  for (const box of ['mvhd', 'mdhd']) {
    put(box, 12, 1);
    put(box, 16, seconds);
  }
  put('tkhd', 20, seconds);
  put('elst', 8, seconds);
  put('stts', 12, seconds);
  return mp4;
}

test('a cancelled turn ends with CANCELLED before the next frame', async () => {
  const turn = turnFor();
  const seen: number[] = [];
  const all = (async () => {
    for await (const { frame_index } of frameItems({ path: await longGop.make() }, turn)) {
      seen.push(frame_index);
      if (frame_index === 2) turn.cancel();
    }
  })();
  await assert.rejects(all, { code: 'CANCELLED' });
  assert.deepEqual(seen, [0, 1, 2]);
});

test('a still that is cancelled while it is decoded takes no slot', async () => {
  const still = join(folder, 'still.jpg');
  await writeStill({ path: still, width: 64, height: 48, rgb: new Uint8Array(64 * 48 * 3) });
  const turn = turnFor();
  let asked = 0;
  // Asked first before the decoding, then after it.
  turn.throwIfCancelled = () => {
    if (++asked === 2) throw engineErrors.CANCELLED();
  };
  turn.freeSlot = () => assert.fail('a slot was taken');
  await assert.rejects(askFrames({ path: still, preview: { max_side: 64, quality: 80 } }, turn), {
    code: 'CANCELLED',
  });
});

test('a consumer that stops early stops the decoding', async () => {
  const turn = turnFor();
  for await (const { frame_index } of frameItems({ path: await longGop.make() }, turn)) {
    if (frame_index === 1) break;
  }
  const { read, decoded } = walkCounts(turn);
  assert.ok(read < 150, `${read} packets read`);
  assert.ok(decoded < 60, `${decoded} packets decoded`);
});

test('the event loop turns at least once a frame', async () => {
  let turns = 0;
  let running = true;
  const count = () => {
    turns++;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  const got = await askFrames({ path: await longGop.make() });
  running = false;
  assert.ok(turns >= got.length, `${turns} turns for ${got.length} frames`);
});

test('native objects of films left half-read are freed', async () => {
  const path = await longGop.make();
  const round = async (times: number) => {
    for (let i = 0; i < times; i++) {
      for await (const _ of frameItems({ path, preview: { max_side: 640, quality: 80 } }, turnFor())) break;
      await askProbe(path);
    }
    return process.memoryUsage().rss;
  };
  const early = await round(30);
  const late = await round(60);
  assert.ok(late - early < 64 * 1024 * 1024, `${((late - early) / 2 ** 20).toFixed(0)} MiB more`);
});

test('of a group of large pictures only those are held that the decoder is late by', async () => {
  const path = join(folder, 'large.mp4');
  const picture = {
    width: 6144,
    height: 6144,
    frames: 12,
    frameRate: { num: 1, den: 1 },
    encoder: 'libx264',
    options: { preset: 'ultrafast', g: '250' },
    draw: (n: number, rgb: Uint8Array) => rgb.fill(n * 20),
  };
  await writeFilm({ path, picture });
  const before = process.memoryUsage.rss();
  let [most, count] = [0, 0];
  for await (const { frame_index } of frameItems({ path }, turnFor())) {
    assert.equal(frame_index, count++);
    most = Math.max(most, process.memoryUsage.rss() - before);
  }
  assert.equal(count, 12);
  // One takes 57 MB.
  assert.ok(most < 400e6, `${most} bytes`);
});
