import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preparation } from '../../../actors/embedder/prepare.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';

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
