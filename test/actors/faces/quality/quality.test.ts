import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { template } from '../../../../actors/faces/alignment/align.ts';
import {
  covering,
  isCut,
  isUnreliable,
  isWeak,
  limits,
  pose,
  sharpness,
} from '../../../../actors/faces/quality/quality.ts';

test('a face of a good size and sharp is not weak, one that is tiny or blurred is', () => {
  const good = { size_px: 80, sharpness: 0.6 };
  assert.equal(isWeak(good), false);
  assert.equal(isWeak({ ...good, size_px: limits.size - 0.1 }), true);
  assert.equal(isWeak({ ...good, sharpness: limits.sharpness - 0.01 }), true);
});

test('a face that is turned away, cut or covered is unreliable', () => {
  const good = { yaw: 5, isCut: false, covering: 6 };
  assert.equal(isUnreliable(good), false);
  assert.equal(isUnreliable({ ...good, isCut: true }), true);
  assert.equal(isUnreliable({ ...good, yaw: -limits.yaw - 1 }), true);
  assert.equal(isUnreliable({ ...good, yaw: limits.yaw + 1 }), true);
  assert.equal(isUnreliable({ ...good, covering: limits.covering + 0.1 }), true);
});

/** A face of one colour, with another one from the tip of the nose down. */
function face(skin: readonly number[], below: readonly number[]): Uint8Array {
  return Uint8Array.from({ length: 112 * 112 * 3 }, (_, at) => {
    const y = Math.floor(at / (112 * 3));
    return (y < 72 ? skin : below)[at % 3]!;
  });
}

test('a mask of another colour covers a face; a beard, a shadow and a picture in black and white do not', () => {
  const skin = [224, 172, 140];
  for (const mask of [
    [235, 240, 245],
    [120, 170, 210],
    [30, 30, 34],
  ])
    assert.ok(covering(face(skin, mask)) > limits.covering, `${mask}: ${covering(face(skin, mask))}`);
  for (const below of [skin, [180, 132, 104], [150, 108, 84]])
    assert.ok(covering(face(skin, below)) < limits.covering, `${below}: ${covering(face(skin, below))}`);
  assert.equal(Math.round(covering(face([200, 200, 200], [40, 40, 40]))), 0);
});

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

/** A head of five points, eyes 63 apart and the nose 39 before them, turned by degrees and seen from afar. */
function head(yaw: number, roll: number): number[] {
  const points = [
    [-31.5, -30, 0],
    [31.5, -30, 0],
    [0, 5, 39.4],
    [-26, 43, 3],
    [26, 43, 3],
  ] as const;
  const [turn, tilt] = [(yaw * Math.PI) / 180, (roll * Math.PI) / 180];
  return points.flatMap(([x, y, z]) => {
    const across = x * Math.cos(turn) + z * Math.sin(turn);
    return [
      300 + across * Math.cos(tilt) - y * Math.sin(tilt),
      200 + across * Math.sin(tilt) + y * Math.cos(tilt),
    ];
  });
}

test('the template looks into the camera and stands upright', () => {
  const { yaw, roll } = pose(template)!;
  assert(Math.abs(yaw) < 1 && Math.abs(roll) < 1e-9, `${yaw}, ${roll}`);
});

test('a head that is turned has about that yaw, to either side, up to a profile', () => {
  for (const turn of [-80, -60, -40, -20, 0, 20, 40, 60, 80]) {
    const { yaw } = pose(head(turn, 0))!;
    assert(Math.abs(yaw - turn) < 12, `${turn} is taken for ${yaw}`);
  }
});

test('a head that is tilted has that roll, whole turns included', () => {
  for (const tilt of [-170, -90, -30, 0, 15, 90, 179]) {
    const { roll, yaw } = pose(head(0, tilt))!;
    assert(Math.abs(roll - tilt) < 1, `${tilt} is taken for ${roll}`);
    assert(Math.abs(yaw) < 1);
  }
});

test('points at one place have no pose', () => {
  assert.equal(pose(Array.from({ length: 10 }, () => 3)), null);
});

const picture = { width: 300, height: 500 };

/** The landmarks of a face of 100 px with its left and upper edge there. */
const landmarksAt = (left: number, top: number) =>
  Float64Array.from([0.3, 0.35, 0.7, 0.35, 0.5, 0.6, 0.35, 0.8, 0.65, 0.8], (place, at) => {
    return place * 100 + (at % 2 === 0 ? left : top);
  });

test('a face is cut where a landmark lies beyond the edge or hardly before it', () => {
  for (const [left, top] of [
    [-50, 100],
    [-24, 100],
    [224, 100],
    [100, -28],
    [100, 414],
  ])
    assert.equal(isCut(landmarksAt(left!, top!), picture), true, `${left}, ${top}`);
});

test('a whole face at the edge, or with its forehead or chin beyond it, is not', () => {
  for (const [left, top] of [
    [0, 0],
    [200, 400],
    [100, -20],
    [100, 405],
  ])
    assert.equal(isCut(landmarksAt(left!, top!), picture), false, `${left}, ${top}`);
});
