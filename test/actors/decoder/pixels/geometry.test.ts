import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { copyTurned, placeShape, placeWhole } from '../../../../actors/decoder/pixels/geometry.ts';

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
    kept: { width: 224, height: 224 },
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
      assert.deepEqual(place.kept, { width: 224, height: 160 });
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
  assert.deepEqual(placeWhole({ ...coded, width: 1, height: 1 }, 640).kept, { width: 1, height: 1 });
  const wide = { width: 16384, height: 2, pixelAspect: { num: 1, den: 1 }, rotation: 0, mirrored: false };
  assert.deepEqual(placeWhole(wide, 640).kept, { width: 640, height: 1 });
});
