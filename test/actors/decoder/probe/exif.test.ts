import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readExif } from '../../../../actors/decoder/probe/tags.ts';
import { askProbe } from '../ask-decoder.ts';
import { oddFiles } from '../footage/odd-files.ts';

test('a photograph says which camera took it', async () => {
  const file = oddFiles.find(({ name }) => name.endsWith('still.jpg'))!;
  const { camera_make, camera_model, container } = await askProbe(await file.make());
  assert.deepEqual([camera_make, camera_model, container], ['Framehound', 'Test 1', 'jpeg']);
});

test('arbitrary bytes are read as EXIF without an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) =>
      assert.equal(readExif(bytes).make ?? '', readExif(bytes).make ?? ''),
    ),
  );
  const little = (bytes: Uint8Array) => Uint8Array.from([0x49, 0x49, 42, 0, 8, 0, 0, 0, ...bytes]);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void readExif(little(bytes))));
});
