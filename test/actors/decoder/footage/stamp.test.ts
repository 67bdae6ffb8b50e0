import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { drawStamp, readStamp } from './stamp.ts';

test('a stamp is read back as the number that was drawn', () => {
  const sizes = fc.constantFrom([192, 108], [64, 36], [108, 192], [256, 108]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 65535 }), sizes, (n, [width = 0, height = 0]) => {
      const rgb = new Uint8Array(width * height * 3);
      drawStamp(n, rgb, width, height);
      assert.equal(readStamp(rgb, width, height), n);
    }),
    { numRuns: 40 },
  );
});

test('a picture rotated by 180 degrees has no stamp', () => {
  const rgb = new Uint8Array(192 * 108 * 3);
  for (let n = 0; n < 50; n++) {
    drawStamp(n, rgb, 192, 108);
    const turned = new Uint8Array(rgb.length);
    for (let at = 0; at < rgb.length; at += 3) turned.set(rgb.subarray(at, at + 3), rgb.length - 3 - at);
    assert.equal(readStamp(turned, 192, 108), null);
  }
});
