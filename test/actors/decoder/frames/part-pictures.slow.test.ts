import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { partPictures } from '../../../../actors/decoder/frames/part-pictures.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { turnFor } from '../ask-decoder.ts';
import { someClips } from '../footage/clips.ts';
import { pyramid } from '../footage/codec-options.ts';
import { readStamp } from '../footage/stamp.ts';

const size = { width: 320, height: 180 };

async function ask(path: string, asked: { from: number; needed?: number; to: number }[]) {
  const parts = asked.map((part) => ({ ...part, needed: part.needed ?? part.from }));
  const found: { part: number; seconds: number[]; stamps: (number | null)[] }[] = [];
  for await (const { value } of partPictures({ path, parts, ...size }, turnFor())) {
    const bytes = size.width * size.height * 3;
    const stamps = value.seconds.map((_, i) =>
      readStamp(value.pictures.subarray(i * bytes, (i + 1) * bytes), size.width, size.height),
    );
    found.push({ part: value.part, seconds: value.seconds, stamps });
  }
  return found;
}

for (const clip of someClips) {
  test(`${clip.name}: a part has all of its pictures, once, in order`, async () => {
    const path = await clip.make();
    const { duration, frames } = clip.facts;
    const parts = [
      { from: 0, to: 0.1 * duration },
      { from: 0.3 * duration, to: 0.4 * duration },
      // Two that have pictures in common.
      { from: 0.35 * duration, to: 0.5 * duration },
      { from: 0.9 * duration, to: duration + 5 },
      { from: duration + 10, to: duration + 11 },
    ];
    const found = await ask(path, parts);
    if (clip.name.includes('holds no times')) {
      assert.deepEqual(found, []);
      return;
    }
    for (const [i, { from, to }] of parts.entries()) {
      const shown = frames.filter(({ seconds }) => seconds >= from && seconds <= to);
      assert.equal(found[i]!.part, i);
      assert.deepEqual(
        found[i]!.stamps,
        shown.map(({ stamp }) => stamp),
        `${from} to ${to}`,
      );
      for (const [at, seconds] of found[i]!.seconds.entries())
        assert.ok(Math.abs(seconds - shown[at]!.seconds) < 0.001, `${seconds}`);
    }
  });
}

test('the last pictures of a part do not depend on where it ends', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'part-pictures-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'moving.mp4');
  const { width, height } = size;
  await writeFilm({
    path,
    picture: {
      ...{ width, height, frames: 50, frameRate: { num: 25, den: 1 } },
      encoder: 'libx264',
      options: { ...pyramid, g: '250' },
      // A wave that moves to the side over ground that turns.
      draw: (n, rgb) => {
        for (let i = 0; i < rgb.length; i++) {
          const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)];
          rgb[i] = 128 + 70 * Math.sin((x + 5 * n) / 9) + 50 * Math.sin((x * n + y * (50 - n)) / 300);
        }
      },
    },
  });
  const pictures = async (to: number) => {
    for await (const { value } of partPictures(
      { path, parts: [{ from: 0, needed: 0, to }], ...size },
      turnFor(),
    ))
      return value.pictures;
    throw new Error('no part');
  };
  const whole = await pictures(2);
  for (let n = 1; n < 49; n++) {
    const part = await pictures(n / 25);
    assert.equal(part.length, (n + 1) * width * height * 3);
    assert.equal(Buffer.compare(part, whole.subarray(0, part.length)), 0, `a part to picture ${n}`);
  }
});

test('pictures that are not needed are there where decoding comes by them', async () => {
  const clip = someClips.find(({ name }) => name === 'H.264, 3 B-frames with pyramid, GOP 60')!;
  const { frames } = clip.facts;
  const at = (frame: number) => frames[frame]!.seconds;
  const stamps = (from: number, to: number) => frames.slice(from, to + 1).map(({ stamp }) => stamp);
  const part = (from: number, needed: number, to: number) => ({
    from: at(from) - 0.001,
    needed: at(needed),
    to: at(to) + 0.001,
  });
  const path = await clip.make();
  // Picture 60 is a random access point: none before it comes along; 70 is decoded from there.
  assert.deepEqual((await ask(path, [part(56, 60, 66)]))[0]!.stamps, stamps(60, 66));
  assert.deepEqual((await ask(path, [part(66, 70, 76)]))[0]!.stamps, stamps(66, 76));
});

test('a file that is not there and parts that are not ascending are refused', async () => {
  await assert.rejects(ask('/nowhere/film.mp4', [{ from: 0, to: 1 }]), { code: 'FILE_NOT_FOUND' });
  const path = await someClips[0]!.make();
  await assert.rejects(
    ask(path, [
      { from: 2, to: 3 },
      { from: 0, to: 1 },
    ]),
    /ascending/,
  );
});
