// The camera of a film that is decoded as an analysis decodes it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import type { DecodeMode } from '../../../../actors/decoder/contract.ts';
import type { CameraMotion } from '../../../../actors/decoder/frames/contract.ts';
import { startBench } from '../../../../bench/actors.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const [width, height, fps, seconds] = [320, 180, 5, 5];
/** Of the width, in a second. */
const speed = 0.1;

function draw(n: number, rgb: Uint8Array): void {
  const moved = (speed * width * n) / fps;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 3) {
      const u = (x + moved) / 9;
      const light = 128 + 50 * Math.sin(u) * Math.cos(y / 7) + 40 * Math.sin(u / 2.7 + y / 15);
      rgb.fill(light, at, at + 3);
    }
  }
}

test('the motion of each grid frame is told with it where it is asked for, and the pictures stay the same', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'pan.mp4');
  const picture = { width, height, frames: fps * seconds, frameRate: { num: fps, den: 1 }, draw };
  await writeFilm({ path, picture: { ...picture, encoder: 'libx264', options: { threads: '1' } } });
  const bench = startBench(8, 64 * 64 * 3);
  t.after(() => bench.stop());
  const [decoder] = await bench.decoders(1);
  const frames = async (motion: boolean, mode: DecodeMode = 'exact') => {
    const shape = { width: 64, height: 64, fit: 'stretch', resample: 'area' } as const;
    const request = { path, shape, preview: null, mode, from_frame: 0, ...(motion && { motion }) };
    const all: { motion: CameraMotion | null | undefined; pixels: Uint8Array }[] = [];
    for await (const frame of decoder!.feed('frames', request, { credit: 1 }))
      all.push({ motion: frame.motion, pixels: bench.pool.view(frame.picture).slice(0, 64 * 64 * 3) });
    return all;
  };
  const [followed, plain] = [await frames(true), await frames(false)];
  assert.deepEqual(
    followed.map(({ pixels }) => pixels),
    plain.map(({ pixels }) => pixels),
  );
  assert.ok(plain.every(({ motion }) => motion === undefined));
  const [first, ...others] = followed.map(({ motion }) => motion);
  assert.equal(first, null);
  for (const one of others)
    assert.ok(one && Math.abs(one.dx + speed) < 0.01 && Math.abs(one.dy) < 0.01, `${one?.dx}`);
  assert.ok((await frames(true, 'keyframes')).every(({ motion }) => motion === undefined));
});
