import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { template } from '../../../../actors/faces/alignment/align.ts';
import { isCut, isWeak, limits, pose, sharpness } from '../../../../actors/faces/quality/quality.ts';

const good = {
  cut: false,
  size_px: 80,
  sharpness: 0.6,
  yaw: 5,
  landmarks: Array.from({ length: 10 }, () => 0.5),
};

test('a face of a good size, sharp and towards the camera is not weak', () => {
  assert.equal(isWeak(good), false);
});

test('one that is tiny, blurred, turned away cut or beyond the edge is weak', () => {
  assert.equal(isWeak({ ...good, cut: true }), true);
  assert.equal(isWeak({ ...good, size_px: limits.size - 0.1 }), true);
  assert.equal(isWeak({ ...good, sharpness: limits.sharpness - 0.01 }), true);
  assert.equal(isWeak({ ...good, yaw: -limits.yaw - 1 }), true);
  assert.equal(isWeak({ ...good, yaw: limits.yaw + 1 }), true);
  assert.equal(
    isWeak({ ...good, landmarks: good.landmarks.map((value, at) => (at === 3 ? 1.01 : value)) }),
    true,
  );
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

test('a narrow box at a side and a low one at the top or bottom are cut', () => {
  // As the portrait of the astronaut is found, with the left half of the face cut off.
  assert.equal(isCut({ left: 2, top: 63, width: 50, height: 113 }, picture), true);
  assert.equal(isCut({ left: 250, top: 63, width: 50, height: 113 }, picture), true);
  assert.equal(isCut({ left: 100, top: -1, width: 90, height: 70 }, picture), true);
  assert.equal(isCut({ left: 100, top: 430, width: 90, height: 70 }, picture), true);
});

test('a whole face at the edge, and a narrow one elsewhere, are not', () => {
  assert.equal(isCut({ left: -2, top: 61, width: 91, height: 113 }, picture), false);
  assert.equal(isCut({ left: 100, top: 0, width: 91, height: 113 }, picture), false);
  assert.equal(isCut({ left: 100, top: 63, width: 50, height: 113 }, picture), false);
});
