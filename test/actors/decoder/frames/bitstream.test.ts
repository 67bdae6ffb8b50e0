import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { h264Picture } from '../../../../actors/decoder/packets/bitstream/h264.ts';
import { HevcReader } from '../../../../actors/decoder/packets/bitstream/hevc.ts';
import { mpeg2Picture, mpeg4Picture } from '../../../../actors/decoder/packets/bitstream/mpeg.ts';
import { BitReader, eachNal, nalFraming } from '../../../../actors/decoder/packets/bitstream/nal.ts';
import { unknownPicture } from '../../../../actors/decoder/packets/bitstream/picture.ts';
import { av1Picture, vp8Picture, vp9Picture } from '../../../../actors/decoder/packets/bitstream/vpx.ts';
import { pictureReader } from '../../../../actors/decoder/packets/reference.ts';

const prefixed = (...units: number[][]) =>
  Uint8Array.from(units.flatMap((unit) => [0, 0, unit.length >> 8, unit.length & 255, ...unit]));
const annexB = (...units: number[][]) => Uint8Array.from(units.flatMap((unit) => [0, 0, 0, 1, ...unit]));
const framings = [
  ['length-prefixed', prefixed, 4],
  ['between start codes', annexB, 0],
] as const;

for (const [name, join, framing] of framings) {
  describe(`H.264, ${name}`, () => {
    const slice = (header: number) => [header, 0x9a, 0x22, 0x80];
    // Recovery point: payload type 6, 1 byte, recovery_frame_cnt as Exp-Golomb: 0 is a single 1 bit, 4 is 00101.
    const recovery = (bits: number) => [0x06, 0x06, 0x01, bits, 0x80];
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

  describe(`HEVC, ${name}`, () => {
    const unit = (type: number, layer = 0) => [type << 1, layer + 1, 0x80, 0x12];
    const parameters = (layers: number) => [33 << 1, 1, (layers - 1) << 1, 0];
    const read = (layers: number, ...units: number[][]) => {
      const reader = new HevcReader(framing, null);
      if (layers > 0) reader.picture(join(parameters(layers), unit(1)));
      return reader.picture(join(...units));
    };
    test('a picture no other of its layer uses may be left out in the highest layer only', () => {
      assert.equal(read(1, unit(0)).reference, false);
      assert.equal(read(2, unit(0, 0)).reference, true);
      assert.equal(read(2, unit(0, 1)).reference, false);
      assert.equal(read(2, unit(1, 1)).reference, true);
    });
    test('without parameter sets every picture counts as needed', () => {
      assert.equal(read(0, unit(0)).reference, true);
    });
    test('IDR closes, CRA and BLA open, all else is no entry', () => {
      const entries = [1, 8, 16, 18, 19, 20, 21].map((type) => read(1, unit(type)).entry);
      assert.deepEqual(entries, ['no', 'no', 'open', 'open', 'closed', 'closed', 'open']);
    });
    test('RASL pictures are those a decoder leaves out', () => {
      assert.deepEqual(
        [6, 7, 8, 9].map((type) => read(1, unit(type)).skipped),
        [false, false, true, true],
      );
    });
  });
}

test('lengths that do not add up prove nothing', () => {
  const broken = prefixed([0x01, 1, 2, 3]);
  broken[3] = 200;
  assert.deepEqual(h264Picture(broken, 4, false), unknownPicture);
});

test('MPEG-2: B pictures may be left out, groups say whether they are closed', () => {
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

test('MPEG-4: a packet of one B picture may be left out, packed ones may not', () => {
  const picture = (type: number) => [0, 0, 1, 0xb6, type << 6, 0x10];
  const read = (bytes: number[]) => mpeg4Picture(Uint8Array.from(bytes), false).reference;
  assert.deepEqual(
    [0, 1, 2].map((type) => read(picture(type))),
    [true, true, false],
  );
  assert.equal(read([...picture(1), ...picture(2)]), true);
});

test('VP8, VP9 and AV1 tell hidden pictures and where decoding can begin', () => {
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

test('the extra data says how units are framed', () => {
  assert.equal(nalFraming(null, 4), 0);
  assert.equal(nalFraming(Uint8Array.of(0, 0, 0, 1, 0x67), 4), 0);
  assert.equal(nalFraming(Uint8Array.of(1, 100, 0, 31, 0xff, 0xe1), 4), 4);
  assert.equal(nalFraming(Uint8Array.of(1, 100, 0, 31, 0xfc, 0xe1), 4), 1);
});

test('units between start codes are found whatever lies in them', () => {
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

test('no reader takes offence at any bytes', () => {
  const codecs = ['h264', 'hevc', 'mpeg2video', 'mpeg4', 'vp8', 'vp9', 'av1', 'vc1'];
  const bytes = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(
      fc.constantFrom(...codecs),
      fc.option(bytes),
      bytes,
      fc.boolean(),
      (codec, extra, data, key) => {
        const picture = pictureReader(codec, false, extra).read(() => data, key);
        assert.equal(typeof picture.reference, 'boolean');
      },
    ),
    { numRuns: 2000 },
  );
});
