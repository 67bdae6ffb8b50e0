import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  av1Picture,
  vp8Picture,
  vp9Picture,
} from '../../../../../actors/decoder/packets/bitstream/picture.ts';

test('VP8, VP9 and AV1 headers tell hidden pictures and random access points', () => {
  assert.deepEqual(
    [vp8Picture(Uint8Array.of(0x10, 0, 0)).entry, vp8Picture(Uint8Array.of(1, 0, 0)).shown],
    ['closed', false],
  );
  assert.equal(vp9Picture(Uint8Array.of(0x82, 0x49), true).entry, 'closed');
  assert.equal(vp9Picture(Uint8Array.of(0x84, 0), false).shown, false);
  assert.equal(vp9Picture(Uint8Array.of(0x84, 0, 0xc1), false).shown, true);
  const unit = (header: number) => Uint8Array.of(0x12, 0, 0x32, 1, header);
  assert.equal(av1Picture(unit(0x10), true).entry, 'closed');
  assert.equal(av1Picture(unit(0x00), true).entry, 'no');
  assert.equal(av1Picture(unit(0x10), false).entry, 'no');
});
