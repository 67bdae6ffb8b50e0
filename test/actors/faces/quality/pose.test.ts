import assert from 'node:assert/strict';
import test from 'node:test';
import { template } from '../../../../actors/faces/alignment/align.ts';
import { pose } from '../../../../actors/faces/quality/quality.ts';

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
