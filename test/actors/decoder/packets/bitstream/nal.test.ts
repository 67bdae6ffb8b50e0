import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BitReader, eachNal, nalFraming } from '../../../../../actors/decoder/packets/bitstream/nal.ts';
import { annexB } from './framings.ts';

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
