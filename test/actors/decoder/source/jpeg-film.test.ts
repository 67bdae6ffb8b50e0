import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { holdsJpegFilm } from '../../../../actors/decoder/source/file.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askFrames, askPicture, askProbe, stampShape } from '../ask-decoder.ts';
import { drawStamp, readStamp } from '../footage/stamp.ts';

const { width, height } = stampShape;
const folder = temporaryFolder();

function jpeg(stamp: number, wide = width, high = height): Promise<Buffer> {
  const rgb = new Uint8Array(wide * high * 3);
  drawStamp(stamp, rgb, wide, high);
  return sharp(rgb, { raw: { width: wide, height: high, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

const film = async () => Buffer.concat(await Promise.all(Array.from({ length: 60 }, (_, n) => jpeg(n))));

for (const name of ['film.mjpeg', 'film.jpg']) {
  test(`consecutive JPEG pictures are a film, also as ${name}`, async () => {
    const path = join(folder, name);
    await writeFile(path, await film());
    const probe = await askProbe(path);
    // Without a rate of its own, such a film is shown at 25 pictures a second.
    assert.deepEqual([probe.kind, probe.container, probe.grid_frames], ['video', 'mjpeg', 3]);
    const got = await askFrames({ path });
    assert.deepEqual(
      got.map(({ rgb }) => readStamp(rgb, width, height)),
      [0, 25, 50],
    );
    assert.equal(readStamp((await askPicture(path, 1)).rgb, width, height), 25);
  });
}

test('a still that contains further pictures is a still', async () => {
  const [large, small] = await Promise.all([jpeg(1), jpeg(2, 96, 54)]);
  assert.equal(holdsJpegFilm(Buffer.concat([large, small, small, small])), false);
  assert.equal(holdsJpegFilm(Buffer.concat([large, large])), false);
  assert.equal(holdsJpegFilm(Buffer.concat([large, Buffer.alloc(100), large, large])), false);
  assert.equal(holdsJpegFilm(Buffer.concat([large, large, large])), true);
  for (const cut of [0, 1, 2, 3, 20, 200, large.length - 1]) {
    assert.equal(holdsJpegFilm(large.subarray(0, cut)), false);
  }
  const path = join(folder, 'both-eyes.jpg');
  await writeFile(path, Buffer.concat([large, large]));
  assert.equal((await askProbe(path)).kind, 'image');
});
