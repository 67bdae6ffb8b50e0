import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  av1Picture,
  mpeg2Picture,
  mpeg4Picture,
  vp8Picture,
  vp9Picture,
} from '../../../../../actors/decoder/packets/bitstream/picture.ts';

test('MPEG-2: B pictures may be dropped, and a GOP header says whether it is closed', () => {
  const picture = (type: number) => [0, 0, 1, 0, 0, type << 3, 0xff, 0xf8, 0, 0, 1, 1, 0x20];
  const group = (closed: boolean) => [0, 0, 1, 0xb8, 0, 8, 0, closed ? 0x40 : 0];
  const read = (bytes: number[], key = false) => mpeg2Picture(Uint8Array.from(bytes), key);
  assert.deepEqual(
    [1, 2, 3].map((type) => read(picture(type)).reference),
    [true, true, false],
  );
  assert.equal(read([...group(true), ...picture(1)], true).entry, 'closed');
  assert.equal(read([...group(false), ...picture(1)], true).entry, 'open');
  assert.equal(read(picture(2)).entry, 'no');
});

test('MPEG-4: a packet of one B picture may be dropped, a packed bitstream may not', () => {
  const picture = (type: number) => [0, 0, 1, 0xb6, type << 6, 0x10];
  const read = (bytes: number[]) => mpeg4Picture(Uint8Array.from(bytes), false).reference;
  assert.deepEqual(
    [0, 1, 2].map((type) => read(picture(type))),
    [true, true, false],
  );
  assert.equal(read([...picture(1), ...picture(2)]), true);
});

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
