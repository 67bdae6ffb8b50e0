import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { h264Picture, ParameterSets } from '../../../../../actors/decoder/packets/bitstream/h264.ts';
import { H264FieldReader, sameFrame } from '../../../../../actors/decoder/packets/bitstream/h264-field.ts';
import { HevcReader } from '../../../../../actors/decoder/packets/bitstream/hevc.ts';
import { BitReader, eachNal, nalFraming } from '../../../../../actors/decoder/packets/bitstream/nal.ts';
import {
  av1Picture,
  mpeg2Picture,
  mpeg4Picture,
  unknownPicture,
  vp8Picture,
  vp9Picture,
} from '../../../../../actors/decoder/packets/bitstream/picture.ts';
import { annexB, framings, prefixed } from './framings.ts';

test('the extradata says how NAL units are framed', () => {
  assert.equal(nalFraming(null, 4), 0);
  assert.equal(nalFraming(Uint8Array.of(0, 0, 0, 1, 0x67), 4), 0);
  assert.equal(nalFraming(Uint8Array.of(1, 100, 0, 31, 0xff, 0xe1), 4), 4);
  assert.equal(nalFraming(Uint8Array.of(1, 100, 0, 31, 0xfc, 0xe1), 4), 1);
});

test('NAL units between start codes are found whatever they contain', () => {
  const byte = fc.integer({ min: 2, max: 255 });
  fc.assert(
    fc.property(
      fc.array(fc.array(byte, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 6 }),
      (units) => {
        const data = annexB(...units);
        const found: number[][] = [];
        eachNal(data, 0, (start, end) => found.push([...data.subarray(start, end)]) > 0);
        assert.deepEqual(
          found.map((unit) => unit.join(' ').replace(/( 0)+$/, '')),
          units.map((unit) => unit.join(' ')),
        );
      },
    ),
  );
});

test('Exp-Golomb numbers are read across emulation prevention bytes', () => {
  const read = (...bytes: number[]) => new BitReader(Uint8Array.from(bytes), 0, bytes.length).golomb();
  assert.deepEqual([read(0x80), read(0x40), read(0x60), read(0x28)], [0, 1, 2, 4]);
  assert.equal(read(0, 0, 3, 0x01), 2 ** 23 - 1);
  assert.equal(read(0, 0, 0, 0), -1);
});

for (const [name, join, framing] of framings) {
  describe(`H.264, ${name}`, () => {
    const slice = (header: number) => [header, 0x9a, 0x22, 0x80];
    // Recovery point: payload type 6, 1 byte, recovery_frame_cnt as Exp-Golomb: 0 is a single 1 bit, 4 is
    // 00101.
    const recovery = (bits: number) => [0x06, 0x06, 0x01, bits, 0x80];
    test('a picture that is no reference but changes parameters for later ones', () => {
      const sets = new ParameterSets();
      const reference = (...units: number[][]) => h264Picture(join(...units), framing, false, sets).reference;
      assert.equal(reference([0x68, 0xc1], slice(0x01)), false);
      assert.equal(reference([0x68, 0xc1], [0x68, 0x41, 7], slice(0x01)), false);
      assert.equal(reference([0x68, 0xc2], slice(0x01)), true);
      assert.equal(reference(slice(0x01), [0x68, 0xc1]), true);
      assert.equal(reference([0x68, 0xc1], slice(0x01)), false);
    });

    const rows: readonly (readonly [string, number[][], boolean, Partial<typeof unknownPicture>])[] = [
      ['an IDR slice', [slice(0x65)], true, { reference: true, entry: 'closed' }],
      ['a P slice that is a reference', [slice(0x41)], false, { reference: true, entry: 'no' }],
      ['a B slice that is none', [slice(0x01)], false, { reference: false, entry: 'no' }],
      ['two slices that are none', [slice(0x01), slice(0x01)], false, { reference: false }],
      ['a slice that is one after one that is none', [slice(0x01), slice(0x41)], false, { reference: true }],
      ['a recovery point at once', [recovery(0x84), slice(0x41)], true, { reference: true, entry: 'open' }],
      ['a recovery point after frames', [recovery(0x2c), slice(0x41)], true, { entry: 'no' }],
      ['a key slice with no recovery point', [slice(0x41)], true, { entry: 'no' }],
      ['parameter sets alone', [[0x67, 1, 2, 3]], false, unknownPicture],
    ];
    for (const [what, units, key, expected] of rows) {
      test(what, () => {
        const picture = h264Picture(join(...units), framing, key);
        assert.deepEqual({ ...picture, ...expected }, picture);
      });
    }
  });
}

test('a packet whose NAL lengths do not add up is unknown', () => {
  const broken = prefixed([0x01, 1, 2, 3]);
  broken[3] = 200;
  assert.deepEqual(h264Picture(broken, 4, false), unknownPicture);
});

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

for (const [name, join, framing] of framings) {
  describe(`HEVC, ${name}`, () => {
    const unit = (type: number, layer = 0) => [type << 1, layer + 1, 0x80, 0x12];
    const parameters = (layers: number) => [33 << 1, 1, (layers - 1) << 1, 0];
    const read = (layers: number, ...units: number[][]) => {
      const reader = new HevcReader(framing, null);
      if (layers > 0) reader.picture(join(parameters(layers), unit(1)));
      return reader.picture(join(...units));
    };
    test('a sub-layer non-reference picture may be dropped in the highest sub-layer only', () => {
      assert.equal(read(1, unit(0)).reference, false);
      assert.equal(read(2, unit(0, 0)).reference, true);
      assert.equal(read(2, unit(0, 1)).reference, false);
      assert.equal(read(2, unit(1, 1)).reference, true);
    });
    test('without parameter sets every picture counts as needed', () => {
      assert.equal(read(0, unit(0)).reference, true);
    });
    test('IDR is a closed random access point, CRA and BLA are open ones', () => {
      const entries = [1, 8, 16, 18, 19, 20, 21].map((type) => read(1, unit(type)).entry);
      assert.deepEqual(entries, ['no', 'no', 'open', 'open', 'closed', 'closed', 'open']);
    });
    test('RASL pictures are those a decoder drops after a random access', () => {
      assert.deepEqual(
        [6, 7, 8, 9].map((type) => read(1, unit(type)).skipped),
        [false, false, true, true],
      );
    });
  });
}

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
