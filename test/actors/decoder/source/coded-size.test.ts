import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownSize } from '../../../../actors/decoder/source/coded-size.ts';

test('the shown size has sample aspect ratio and rotation applied', () => {
  const coded = { width: 720, height: 576, pixelAspect: { num: 16, den: 15 }, rotation: 90, mirrored: false };
  assert.deepEqual(shownSize(coded), {
    width: 576,
    height: 768,
  });
});
