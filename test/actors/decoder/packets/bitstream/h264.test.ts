import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { h264Picture, ParameterSets } from '../../../../../actors/decoder/packets/bitstream/h264.ts';
import { unknownPicture } from '../../../../../actors/decoder/packets/bitstream/picture.ts';
import { framings, prefixed } from './framings.ts';

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
