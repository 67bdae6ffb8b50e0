import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import sharp from 'sharp';
import { displayRegion, FaceCrops } from '../../../../actors/faces/crops/crops.ts';
import type { Picture } from '../../../../runtime/picture.ts';

function made(t: TestContext): FaceCrops {
  const crops = new FaceCrops();
  t.after(() => crops.close());
  return crops;
}

/** Red grows to the right and green downwards, blue is the same everywhere. */
function slope(width: number, height: number): Picture {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.set([(x * 255) / width, (y * 255) / height, 90], (y * width + x) * 3);
  return { data, width, height };
}

async function pixels(jpeg: Uint8Array) {
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3).subarray(0, 3)];
  return { ...info, at };
}

function near(actual: readonly number[], expected: readonly number[]): void {
  actual.forEach((value, i) => {
    assert(Math.abs(value - expected[i]!) <= 6, `${actual.join(', ')} is not ${expected.join(', ')}`);
  });
}

test('an aligned face keeps its size and its colours', async (t) => {
  const face = slope(112, 112);
  const { width, height, at } = await pixels(made(t).aligned(face.data));
  assert.deepEqual([width, height], [112, 112]);
  for (const [x, y] of [
    [3, 5],
    [56, 70],
    [108, 20],
  ] as const)
    near(at(x, y), [...face.data.subarray((y * 112 + x) * 3).subarray(0, 3)]);
});

test('a region is shown whole, enlarged or shrunk to 160 px', async (t) => {
  const crops = made(t);
  const picture = slope(1000, 500);
  for (const side of [37, 160, 400]) {
    const region = { left: 300, top: 60, width: side, height: side };
    const { width, height, at } = await pixels(crops.display(picture, region));
    assert.deepEqual([width, height], [160, 160]);
    const colour = (share: number) => [
      ((300 + side * share) * 255) / 1000,
      ((60 + side * share) * 255) / 500,
      90,
    ];
    for (const share of [0.1, 0.5, 0.9])
      near(at(Math.floor(share * 160), Math.floor(share * 160)), colour(share));
  }
});

test('a region that is no square keeps its form', async (t) => {
  const crops = made(t);
  const region = { left: 0, top: 0, width: 100, height: 400 };
  const { width, height } = await pixels(crops.display(slope(100, 400), region));
  assert.deepEqual([width, height], [40, 160]);
});

test('a picture of one pixel, and one of one line, become JPEGs', async (t) => {
  const crops = made(t);
  const one = { data: new Uint8Array([200, 30, 90]), width: 1, height: 1 };
  const point = await pixels(crops.display(one, { left: 0, top: 0, width: 1, height: 1 }));
  assert.deepEqual([point.width, point.height], [160, 160]);
  near(point.at(80, 80), [200, 30, 90]);
  const line = slope(600, 1);
  const wide = await pixels(crops.display(line, { left: 0, top: 0, width: 600, height: 1 }));
  assert.deepEqual([wide.width, wide.height], [160, 1]);
});

test('the same face gives the same bytes, whatever came before it', (t) => {
  const crops = made(t);
  const picture = slope(640, 360);
  const region = { left: 10, top: 20, width: 90, height: 90 };
  const first = crops.display(picture, region);
  crops.display(picture, { left: 0, top: 0, width: 640, height: 360 });
  crops.display(picture, { left: 200, top: 20, width: 33, height: 70 });
  assert.deepEqual(crops.display(picture, region), first);
  assert.deepEqual(made(t).display(picture, region), first);
});

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
