import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pictureReader } from '../../../../actors/decoder/packets/reference.ts';
import { draws } from '../../../shared.ts';

test('no reader fails on arbitrary bytes', () => {
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
    { numRuns: draws(2000) },
  );
});
