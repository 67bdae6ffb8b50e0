import assert from 'node:assert/strict';
import test from 'node:test';
import { displayRegion } from '../../../../actors/faces/crops/crops.ts';

const picture = { width: 1000, height: 600 };

test('a face in the middle is shown with a margin on all sides', () => {
  const region = displayRegion({ left: 400, top: 200, width: 80, height: 100 }, picture);
  assert.deepEqual(region, { left: 360, top: 170, width: 160, height: 160 });
});

test('at an edge the square moves inwards and keeps its size', () => {
  const box = { width: 80, height: 100 };
  const at = (left: number, top: number) => displayRegion({ ...box, left, top }, picture);
  assert.deepEqual(at(-40, -50), { left: 0, top: 0, width: 160, height: 160 });
  assert.deepEqual(at(960, 560), { left: 840, top: 440, width: 160, height: 160 });
});

test('a face larger than the picture, and a picture of one pixel, are cut to what is there', () => {
  const huge = { left: -500, top: -500, width: 3000, height: 3000 };
  assert.deepEqual(displayRegion(huge, picture), { left: 0, top: 0, width: 1000, height: 600 });
  const point = { left: 0, top: 0, width: 0.1, height: 0.1 };
  assert.deepEqual(displayRegion(point, { width: 1, height: 1 }), { left: 0, top: 0, width: 1, height: 1 });
});
