import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import { copyTurned, placeShape, placeWhole } from '../../../../actors/decoder/pixels/geometry.ts';
import { encode, hlgLinear, pqLinear, toneMap } from '../../../../actors/decoder/pixels/hdr.ts';
import { askFrames, askShrink, turnFor } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';

test('each preview has a buffer of exactly its size', async () => {
  const got = await askFrames({ path: await clips[0]!.make(), preview: { max_side: 64, quality: 60 } });
  const buffers = new Set(got.map(({ preview }) => preview!.buffer));
  assert.equal(buffers.size, got.length);
  for (const { preview } of got) assert.equal(preview!.byteLength, preview!.buffer.byteLength);
});

test('a picture rotated four times by 90 degrees is unchanged', () => {
  const size = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(size, size, fc.constantFrom(90, 270), (width, height, rotation) => {
      let picture = { data: new Uint8Array(width * height * 3), width, height, stride: width * 3, depth: 3 };
      const first = picture.data.map((_, i) => (i * 7) & 255);
      picture.data.set(first);
      for (let i = 0; i < 4; i++) {
        const turned = {
          data: new Uint8Array(first.length),
          width: picture.height,
          height: picture.width,
          stride: picture.height * 3,
          depth: 3,
        };
        copyTurned(picture, { rotation, mirrored: false }, 0, 0, turned);
        picture = turned;
      }
      assert.deepEqual(picture.data, first);
    }),
  );
});

const coded = { width: 720, height: 576, pixelAspect: { num: 16, den: 15 }, rotation: 90, mirrored: false };

test('cover keeps the centre of the picture as shown, stretch all of it', () => {
  const shape = { width: 224, height: 224, resample: 'area' } as const;
  assert.deepEqual(placeShape(coded, { ...shape, fit: 'cover' }), {
    scaled: { width: 299, height: 224 },
    rotation: 90,
    mirrored: false,
    left: 0,
    top: 37,
    crop: { width: 224, height: 224 },
  });
  assert.deepEqual(placeShape(coded, { ...shape, fit: 'stretch' }).scaled, { width: 224, height: 224 });
});

test('without its bars a picture is scaled so that they lie outside the crop, however it is turned', () => {
  const share = fc.double({ min: 0, max: 0.35, noNaN: true });
  const turns = fc.constantFrom(0, 90, 180, 270);
  const fits = fc.constantFrom('stretch' as const, 'cover' as const);
  fc.assert(
    fc.property(share, share, share, share, turns, fits, (left, top, right, bottom, rotation, fit) => {
      const shape = { width: 224, height: 160, fit, resample: 'area' } as const;
      const place = placeShape({ ...coded, rotation }, shape, { left, top, right, bottom });
      const isTurned = rotation % 180 === 90;
      const full = isTurned ? { width: place.scaled.height, height: place.scaled.width } : place.scaled;
      assert.deepEqual(place.crop, { width: 224, height: 160 });
      assert.ok(place.left >= left * full.width - 1 && place.top >= top * full.height - 1);
      assert.ok(place.left + 224 <= (1 - right) * full.width + 1);
      assert.ok(place.top + 160 <= (1 - bottom) * full.height + 1);
      if (fit === 'stretch') {
        assert.ok(Math.abs(full.width * (1 - left - right) - 224) <= 1);
        assert.ok(Math.abs(full.height * (1 - top - bottom) - 160) <= 1);
      }
    }),
  );
});

test('a preview is never scaled up and never empty', () => {
  assert.deepEqual(placeWhole({ ...coded, width: 1, height: 1 }, 640).crop, { width: 1, height: 1 });
  const wide = { width: 16384, height: 2, pixelAspect: { num: 1, den: 1 }, rotation: 0, mirrored: false };
  assert.deepEqual(placeWhole(wide, 640).crop, { width: 640, height: 1 });
});

test('PQ and HLG signals have the luminance of their standards', () => {
  // ITU-R BT.2408, table 1: reference white of 203 cd/m² is a signal of 58 % PQ and 75 % HLG.
  assert.ok(Math.abs(pqLinear(0.58) - 1) < 0.02);
  assert.ok(Math.abs(hlgLinear(0.75) - 1) < 0.02);
  assert.equal(pqLinear(0), 0);
  assert.ok(Math.abs(pqLinear(1) - 10000 / 203) < 1e-6);
});

test('brighter light never gets darker, and grey stays grey', () => {
  for (let light = 0; light < 20; light += 0.01) assert.ok(encode(light) <= encode(light + 0.01));
  for (const transfer of [16, 18]) {
    const ramp = Uint8Array.from({ length: 256 * 3 }, (_, i) => Math.floor(i / 3));
    toneMap(transfer)!(ramp);
    for (let at = 0; at < ramp.length; at += 3) {
      assert.ok(Math.abs(ramp[at]! - ramp[at + 1]!) <= 2 && Math.abs(ramp[at]! - ramp[at + 2]!) <= 2);
      if (at > 0) assert.ok(ramp[at]! >= ramp[at - 3]!);
    }
    assert.deepEqual([ramp[0], ramp.at(-1)], [0, 255]);
  }
});

test('other transfer functions are not tone mapped', () => {
  for (const transfer of [1, 2, 6, 13]) assert.equal(toneMap(transfer), null);
});

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
