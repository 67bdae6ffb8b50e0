import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { askShrink, turnFor } from '../ask-decoder.ts';

async function sizeOf(jpeg: Uint8Array) {
  const { width, height } = await sharp(jpeg).metadata();
  return [width, height];
}

test('JPEG pictures are scaled down, never up, and other bytes give null', async () => {
  const big = await sharp({ create: { width: 640, height: 360, channels: 3, background: '#884422' } })
    .jpeg()
    .toBuffer();
  const small = await sharp({ create: { width: 100, height: 200, channels: 3, background: '#884422' } })
    .jpeg()
    .toBuffer();
  const got = await askShrink([big, small, Uint8Array.of(1, 2, 3)], { max_side: 480, quality: 80 });
  const sizes = await Promise.all(got.slice(0, 2).map((jpeg) => sizeOf(jpeg!)));
  assert.deepEqual(sizes, [
    [480, 270],
    [100, 200],
  ]);
  assert.equal(got[2], null);
});

test('a cancelled turn scales nothing', async () => {
  const turn = turnFor();
  turn.cancel();
  await assert.rejects(askShrink([Uint8Array.of(1)], { max_side: 64, quality: 80 }, turn), {
    code: 'CANCELLED',
  });
});
