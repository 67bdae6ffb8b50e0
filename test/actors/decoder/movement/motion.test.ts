import assert from 'node:assert/strict';
import test from 'node:test';
import { layoutOf } from '../../../../actors/decoder/movement/camera-follower.ts';
import {
  motionBetween,
  type Seen,
  seenHeight,
  seenOf,
  seenWidth,
} from '../../../../actors/decoder/movement/motion.ts';
import { Dice } from '../../models/starter/drawings/canvas.ts';

interface View {
  /** Shares of the picture by which what is seen has moved, and how much larger it is. */
  readonly dx?: number;
  readonly dy?: number;
  readonly zoom?: number;
  readonly light?: number;
  /** A disc before it: its middle, as a share of the width. */
  readonly disc?: number;
}

const dice = new Dice(3);
/** Sums of waves: smooth, and nowhere the same. */
const waves = Array.from({ length: 40 }, () => ({
  x: dice.between(-0.5, 0.5),
  y: dice.between(-0.5, 0.5),
  phase: dice.between(0, 7),
}));
const lightAt = (x: number, y: number) =>
  waves.reduce((sum, wave) => sum + 9 * Math.sin(wave.x * x + wave.y * y + wave.phase), 120);

function view({ dx = 0, dy = 0, zoom = 0, light = 1, disc }: View): Seen {
  const brightness = new Float32Array(seenWidth * seenHeight);
  const [cx, cy] = [seenWidth / 2, seenHeight / 2];
  for (let y = 0; y < seenHeight; y++) {
    for (let x = 0; x < seenWidth; x++) {
      const isDisc = disc !== undefined && Math.hypot(x - disc * seenWidth, y - cy) < 14;
      const at = isDisc
        ? lightAt(500 + x - disc * seenWidth, y)
        : lightAt((x - cx - dx * seenWidth) / (1 + zoom), (y - cy - dy * seenHeight) / (1 + zoom));
      brightness[y * seenWidth + x] = light * at + dice.between(-2, 2);
    }
  }
  return seenOf(brightness);
}

function assertMoved(before: View, after: View, { dx = 0, dy = 0, zoom = 0 }: View): void {
  const motion = motionBetween(view(before), view(after));
  assert.ok(motion, JSON.stringify(after));
  for (const [told, wanted] of [
    [motion.dx, dx],
    [motion.dy, dy],
    [motion.zoom, zoom],
  ] as const)
    assert.ok(Math.abs(told - wanted) < 0.012, `${JSON.stringify(after)}: ${JSON.stringify(motion)}`);
}

test('a shift, also of a third of the picture, and a zoom are told', () => {
  for (const after of [
    {},
    { dx: 0.02 },
    { dx: -0.33 },
    { dy: 0.15 },
    { dx: 0.1, dy: -0.1 },
    { zoom: 0.08 },
    { zoom: -0.06 },
  ])
    assertMoved({}, after, after);
});

test('what moves before the camera, and another light, are no motion of it', () => {
  assertMoved({ disc: 0.3 }, { disc: 0.6 }, {});
  assertMoved({ disc: 0.6 }, { disc: 0.6, dx: 0.12 }, { dx: 0.12 });
  assertMoved({}, { light: 0.7, dx: 0.05 }, { dx: 0.05 });
});

test('a plain picture, and two that have nothing in common, say nothing', () => {
  const plain = seenOf(new Float32Array(seenWidth * seenHeight).fill(90));
  assert.equal(motionBetween(plain, plain), null);
  const other = Float32Array.from({ length: seenWidth * seenHeight }, () => dice.between(0, 255));
  assert.equal(motionBetween(view({}), seenOf(other)), null);
});

test('brightness is found in the first plane of usual formats, and not guessed in others', () => {
  for (const name of ['yuv420p', 'yuvj422p', 'nv12', 'gray', 'gbrp', 'yuva420p'])
    assert.deepEqual(layoutOf(name), { step: 1, from: 0, more: 0 }, name);
  assert.deepEqual(layoutOf('yuv420p10le'), { step: 2, from: 0, more: 2 });
  assert.deepEqual(layoutOf('gbrp12le'), { step: 2, from: 0, more: 4 });
  assert.deepEqual(layoutOf('p010le'), { step: 2, from: 0, more: 8 });
  assert.deepEqual(layoutOf('uyvy422'), { step: 2, from: 1, more: 0 });
  for (const name of ['yuv420p10be', 'pal8', 'monow', null]) assert.equal(layoutOf(name), null, `${name}`);
});
