import assert from 'node:assert/strict';
import test from 'node:test';
import sharp from 'sharp';
import { sharpness } from '../../../../actors/faces/quality/quality.ts';

const stripes = (period: number, contrast: number) =>
  Uint8Array.from({ length: 112 * 112 * 3 }, (_, at) => {
    const x = Math.floor(at / 3) % 112;
    return 128 + contrast * Math.sin((2 * Math.PI * x) / period);
  });

test('a flat face has no sharpness, whatever its brightness', () => {
  for (const value of [0, 90, 255]) assert.equal(sharpness(new Uint8Array(112 * 112 * 3).fill(value)), 0);
});

test('finer and stronger detail is sharper, below 1', () => {
  const found = [stripes(40, 40), stripes(12, 40), stripes(5, 40), stripes(5, 100)].map(sharpness);
  assert.deepEqual(
    found,
    [...found].sort((a, b) => a - b),
  );
  assert(found[0]! < 0.1 && found[3]! > 0.9 && found[3]! < 1, String(found));
});

test('blur makes a face less sharp, step by step', async () => {
  const face = stripes(6, 90);
  let before = sharpness(face);
  for (const sigma of [0.8, 1.6, 3]) {
    const raw = { width: 112, height: 112, channels: 3 } as const;
    const blurred = sharpness(new Uint8Array(await sharp(face, { raw }).blur(sigma).raw().toBuffer()));
    assert(blurred < before, `${blurred} after ${before}`);
    before = blurred;
  }
});
