import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds, isNear } from '../../../../../actors/analysis/stages/picture/near.ts';
import { seeded } from '../../../../seeded.ts';

/** Of a model, rows that end within a block, fewer rows than a block has, and short rows. */
const sizes = [
  [224, 224],
  [50, 37],
  [64, 3],
  [6, 9],
] as const;

/** A picture, and one that differs from it by at most `most` in every byte, by one of two on average. */
function pair(random: () => number, bytes: number, most: number) {
  const before = Uint8Array.from({ length: bytes }, () => most + random() * (256 - 2 * most));
  return { before, after: before.map((value, i) => value + (i % 2 === 0 ? most : 0)) };
}

test('pictures of which each byte differs a little are near, and the same picture is', () => {
  const random = seeded(1);
  for (const [width, height] of sizes) {
    const { before, after } = pair(random, width * height * 3, 3);
    assert.ok(isNear(before, after, width * 3), `${width}x${height}`);
    assert.ok(isNear(after, before, width * 3), `${width}x${height}`);
    assert.ok(isNear(before, before.slice(), width * 3));
  }
});

test('one byte that differs by more is a change, wherever it is', () => {
  const random = seeded(2);
  for (const [width, height] of sizes) {
    const { before, after } = pair(random, width * height * 3, 1);
    for (let round = 0; round < 200; round++) {
      const at = round === 0 ? after.length - 1 : Math.floor(random() * after.length);
      const by = before[at]! < 128 ? 1 : -1;
      const seen = (amount: number) => !isNear(before, after.with(at, before[at]! + by * amount), width * 3);
      assert.ok(seen(bounds.byte + 1), `${width}x${height}: ${at}`);
      assert.ok(!seen(bounds.byte), `${width}x${height}: ${at}`);
    }
  }
});

test('a block that differs by more on average is a change, wherever it is', () => {
  const random = seeded(3);
  const [width, height] = [224, 224];
  const stride = width * 3;
  const { before } = pair(random, stride * height, 20);
  for (let round = 0; round < 200; round++) {
    const column = Math.floor((random() * stride) / 16) * 16;
    const row = Math.floor((random() * height) / 8) * 8;
    const after = before.slice();
    const places = Array.from({ length: 128 }, (_, i) => (row + (i >> 4)) * stride + column + (i & 15));
    // One by one, in any order: as many as the bound allows are near, and one more is a change.
    const order = places.toSorted(() => random() - 0.5);
    const most = bounds.block * 128;
    order.slice(0, most / 4).forEach((at) => {
      after[at] = before[at]! + 4;
    });
    assert.ok(isNear(before, after, stride), `${column}, ${row}`);
    after[order.at(-1)!] = before[order.at(-1)!]! - 1;
    assert.ok(!isNear(before, after, stride), `${column}, ${row}`);
    assert.ok(!isNear(after, before, stride), `${column}, ${row}`);
  }
});
