import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isoDate, readExif, readTags } from '../../../../actors/decoder/probe/tags.ts';
import { askProbe } from '../ask-decoder.ts';
import { oddFiles } from '../footage/odd-files.ts';

test('dates are read however they are written', () => {
  const rows = [
    ['2018-04-19T22:46:00.000000Z', '2018-04-19T22:46:00Z'],
    ['2021-05-06T09:08:09+0200', '2021-05-06T09:08:09+02:00'],
    ['2021:05:06 09:08:09', '2021-05-06T09:08:09'],
    ['2021-05-06', '2021-05-06'],
    ['2021', null],
    ['yesterday', null],
  ] as const;
  for (const [text, expected] of rows) assert.equal(isoDate(text), expected, text);
});

test('camera, place and date are found under the names writers use', () => {
  const phone = {
    'com.apple.quicktime.make': 'Maker',
    'com.apple.quicktime.model': 'Phone 9',
    'com.apple.quicktime.location.ISO6709': '+47.3769+008.5417+408/',
    'com.apple.quicktime.creationdate': '2021-05-06T09:08:09+0200',
    creation_time: '2021-05-06T07:08:09.000000Z',
  };
  assert.deepEqual(readTags([phone]), {
    creation_date: '2021-05-06T09:08:09+02:00',
    camera_make: 'Maker',
    camera_model: 'Phone 9',
    location: '+47.3769+008.5417+408/',
  });
  assert.equal(readTags([{}, { 'location-eng': '+1+2/' }]).location, '+1+2/');
});

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
