import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { keywordsOfIptc } from '../../../../actors/decoder/probe/iptc.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askProbe } from '../ask-decoder.ts';

function dataSet(record: number, number: number, value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.of(0x1c, record, number, bytes.length >> 8, bytes.length & 255), bytes]);
}

function resource(id: number, content: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.write('8BIM');
  head.writeUInt16BE(id, 4);
  head.writeUInt32BE(content.length, 8);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

const block = (...sets: Buffer[]) =>
  Buffer.concat([
    Buffer.from('Photoshop 3.0\0'),
    resource(0x03ed, Buffer.from('odd')),
    resource(0x0404, Buffer.concat(sets)),
  ]);

/** The text as bytes of windows-1252. */
const latin = Buffer.from('Straße', 'latin1');

test('keywords of IPTC are read in the encoding that they say, or have', () => {
  const inUtf8 = dataSet(1, 90, '\x1b%G');
  const caption = dataSet(2, 120, 'a caption');
  for (const [sets, expected] of [
    [
      [inUtf8, dataSet(2, 25, 'Hafen'), caption, dataSet(2, 25, 'Straße')],
      ['Hafen', 'Straße'],
    ],
    [[dataSet(2, 25, 'Straße')], ['Straße']],
    [[dataSet(2, 25, latin)], ['Straße']],
    [[caption], []],
  ] as const)
    assert.deepEqual(keywordsOfIptc(block(...sets)), expected);
  assert.deepEqual(keywordsOfIptc(dataSet(2, 25, 'bare')), ['bare']);
});

test('a block that is cut off anywhere keeps what is whole', () => {
  const whole = block(dataSet(2, 25, 'one'), dataSet(2, 25, 'two'));
  for (let length = 0; length < whole.length; length++) {
    const read = keywordsOfIptc(whole.subarray(0, length));
    assert.deepEqual(read, ['one', 'two'].slice(0, read.length), `${length} bytes`);
  }
});

test('a photo with keywords in IPTC alone has them', async (t) => {
  const jpeg = await sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  const bytes = block(dataSet(2, 25, 'harbour'), dataSet(2, 25, 'night'));
  const length = bytes.length + 2;
  const segment = Buffer.concat([Buffer.of(0xff, 0xed, length >> 8, length & 255), bytes]);
  const path = join(temporaryFolder(t), 'photo.jpg');
  await writeFile(path, Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]));
  const { xmp } = await askProbe(path);
  assert.deepEqual(xmp, { keywords: ['harbour', 'night'], people: [], sidecars: [] });
});
