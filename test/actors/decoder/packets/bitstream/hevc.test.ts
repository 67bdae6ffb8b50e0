import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HevcReader } from '../../../../../actors/decoder/packets/bitstream/hevc.ts';
import { framings } from './framings.ts';

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
