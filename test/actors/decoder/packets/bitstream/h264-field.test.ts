import assert from 'node:assert/strict';
import { test } from 'node:test';
import { H264FieldReader, sameFrame } from '../../../../../actors/decoder/packets/bitstream/h264-field.ts';

/** Main profile, frame_mbs_only_flag 0, 4 bits of frame_num; then its picture parameters. */
const sequence = [0x67, 77, 0, 40, 0b1_1_1_1_011_0, 0b1_1_0_1_1_000];
const frameOnly = [0x67, 77, 0, 40, 0b1_1_1_1_011_0, 0b1_1_1_1_1_000];
const picture = [0x68, 0b1_1_000000];
const unit = (...bytes: number[][]) => Buffer.from(bytes.flatMap((nal) => [0, 0, 1, ...nal]));
/**
 * first_mb 0, slice type 0, picture parameters 0, 4 bits of frame_num, field_pic_flag 1, bottom_field_flag.
 */
const field = (header: number, frameNumber: number, bottom: 0 | 1) => {
  const bits = (0b111 << 6) | (frameNumber << 2) | 0b10 | bottom;
  return unit([header, bits >> 1, ((bits & 1) << 7) | 0x40]);
};

test('fields of one frame have other parity, the same number and the same use', () => {
  const reader = H264FieldReader.open(unit(sequence, picture))!;
  const read = (...header: Parameters<typeof field>) => reader.read(field(...header))!;
  const top = read(0x41, 5, 0);
  assert.deepEqual(top, { bottom: false, frameNumber: 5, reference: true, idr: false });
  assert.equal(sameFrame(top, read(0x41, 5, 1)), true);
  assert.equal(sameFrame(top, read(0x41, 5, 0)), false);
  assert.equal(sameFrame(top, read(0x41, 6, 1)), false);
  assert.equal(sameFrame(top, read(0x01, 5, 1)), false);
  assert.equal(sameFrame(read(0x65, 0, 0), read(0x65, 0, 1)), false);
  assert.equal(sameFrame(read(0x65, 0, 0), read(0x41, 0, 1)), true);
});

test('a stream whose parameters rule out fields is not read', () => {
  assert.equal(H264FieldReader.open(unit(frameOnly, picture)), null);
  assert.equal(H264FieldReader.open(null)?.read(field(0x41, 5, 0)), null);
});
