import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preparation } from '../../../actors/embedder/prepare.ts';
import { readAs } from '../../../actors/embedder/readings.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';

const size = { width: 40, height: 20 };

/** Red grows to the right, green downwards. */
function slopes(): Uint8Array {
  return Uint8Array.from({ length: size.width * size.height * 3 }, (_, i) => {
    const pixel = Math.floor(i / 3);
    const [x, y] = [pixel % size.width, Math.floor(pixel / size.width)];
    return [x * 6, y * 12, 40][i % 3]!;
  });
}

const pixelOf = (rgb: Uint8Array, x: number, y: number) => [
  ...rgb.subarray((y * size.width + x) * 3, (y * size.width + x + 1) * 3),
];

test('plain is the picture itself, and twice mirrored is the picture again', () => {
  const picture = slopes();
  assert.equal(readAs('plain', picture, size), picture);
  const mirrored = readAs('mirrored', picture, size);
  assert.deepEqual(pixelOf(mirrored, 0, 3), pixelOf(picture, 39, 3));
  assert.deepEqual(readAs('mirrored', mirrored, size), picture);
  assert.deepEqual(picture, slopes(), 'the slot is not written to');
});

test('as a part, the picture lies in its place at six tenths of its size, and goes on as in a mirror', () => {
  const picture = slopes();
  // 24 × 12 of 40 × 20.
  const places = {
    top_left: [0, 0],
    top_right: [16, 0],
    bottom_left: [0, 8],
    bottom_right: [16, 8],
    middle: [8, 4],
  } as const;
  for (const [reading, [left, top]] of Object.entries(places)) {
    const whole = readAs(reading as keyof typeof places, picture, size);
    assert.equal(whole.length, picture.length);
    for (const [x, y] of [
      [0, 0],
      [12, 6],
      [23, 11],
    ] as const) {
      const [red, green, blue] = pixelOf(whole, left + x, top + y) as [number, number, number];
      assert.ok(Math.abs(red - ((x + 0.5) * 40 * 6) / 24 + 3) <= 4, `${reading} ${x} ${y}: red ${red}`);
      assert.ok(
        Math.abs(green - ((y + 0.5) * 20 * 12) / 12 + 6) <= 8,
        `${reading} ${x} ${y}: green ${green}`,
      );
      assert.equal(blue, 40);
    }
    if (left > 0) assert.deepEqual(pixelOf(whole, left - 1, top), pixelOf(whole, left, top));
    if (left + 24 < 40) assert.deepEqual(pixelOf(whole, left + 24, top), pixelOf(whole, left + 23, top));
    if (top > 0) assert.deepEqual(pixelOf(whole, left, top - 1), pixelOf(whole, left, top));
  }
});

test('a picture of one point is read as one', () => {
  const point = Uint8Array.of(1, 2, 3);
  for (const reading of ['mirrored', 'middle', 'bottom_right'] as const) {
    assert.deepEqual(readAs(reading, point, { width: 1, height: 1 }), point);
  }
});

const pixelsOf = (count: number) =>
  Uint8Array.from({ length: count }, (_, at) => (at * 37 + (at >> 5)) & 255);

for (const { key, visual } of builtInRows) {
  if (!visual?.text) continue;
  test(`${key}: every value is (byte/255 − mean)/std in the plane of its colour`, () => {
    const { shape, mean, std } = visual;
    const prepare = preparation(visual);
    const pixels = pixelsOf(prepare.bytes);
    const into = new Float32Array(2 * prepare.floats).fill(Number.NaN);
    prepare.fill(pixels, into, 1);
    for (let channel = 0; channel < 3; channel += 1)
      for (let y = 0; y < shape.height; y += 7)
        for (let x = 0; x < shape.width; x += 1) {
          const byte = pixels[(y * shape.width + x) * 3 + channel]!;
          const expected = (byte / 255 - mean[channel]!) / std[channel]!;
          const found = into[prepare.floats + (channel * shape.height + y) * shape.width + x]!;
          assert(Math.abs(found - expected) < 1e-6, `${channel} ${y} ${x}: ${found} for ${expected}`);
        }
    assert(into.subarray(0, prepare.floats).every(Number.isNaN), 'the other picture is left alone');
  });
}

const golden = [
  ['siglip2-b16-256', [0, 128, 255], [-1, 0.0039215686, 1]],
  ['clip-b32', [0, 0, 0], [-1.7922625, -1.7520971, -1.4802198]],
  ['clip-b32', [255, 255, 255], [1.9303361, 2.0748837, 2.1458969]],
] as const;

for (const [key, [r, g, b], expected] of golden) {
  test(`${key} sees the colour ${r},${g},${b} as ${expected}`, () => {
    const { visual } = builtInRows.find((row) => row.key === key)!;
    const prepare = preparation({ ...visual!, shape: { ...visual!.shape, width: 1, height: 1 } });
    const into = new Float32Array(3);
    prepare.fill(Uint8Array.of(r, g, b), into, 0);
    for (const [at, value] of expected.entries()) assert(Math.abs(into[at]! - value) < 1e-6, `${into}`);
  });
}

test('a picture that is too short is refused instead of leaving old pixels behind', () => {
  const visual = builtInRows.find(({ key }) => key === 'clip-b32')!.visual!;
  const prepare = preparation(visual);
  const into = new Float32Array(prepare.floats);
  assert.throws(
    () => prepare.fill(new Uint8Array(prepare.bytes - 1), into, 0),
    /150527 bytes, 224×224 needs 150528/,
  );
  assert.throws(() => prepare.fill(new Uint8Array(prepare.bytes), into, 1), /no room for picture 1/);
});
