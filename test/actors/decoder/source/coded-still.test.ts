import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { shownSize } from '../../../../actors/decoder/source/coded-size.ts';
import { codedHeader } from '../../../../actors/decoder/source/stills/coded-header.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askFrames, askProbe, turnFor } from '../ask-decoder.ts';

const folder = temporaryFolder();

/** Numbers of 2 or 4 bytes at places of a header. */
function head(start: string, length: number, put: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.write(start, 'latin1');
  put(bytes);
  return bytes;
}

const photoshop = (side: number, data = Buffer.alloc(0)) => {
  const start = head('8BPS', 26, (bytes) => {
    bytes.writeUInt16BE(1, 4);
    bytes.writeUInt16BE(3, 12);
    bytes.writeUInt32BE(side, 14);
    bytes.writeUInt32BE(side, 18);
    bytes.writeUInt16BE(8, 22);
    bytes.writeUInt16BE(3, 24);
  });
  return Buffer.concat([start, Buffer.alloc(14), data]);
};

const exr = (window: number, display: number) => {
  const text = (value: string) => Buffer.from(`${value}\0`, 'latin1');
  const attribute = (name: string, type: string, value: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(value.length);
    return Buffer.concat([text(name), text(type), length, value]);
  };
  const box = (side: number) => Buffer.from(new Int32Array([0, 0, side - 1, side - 1]).buffer);
  const channel = (name: string) => Buffer.concat([text(name), Buffer.of(2, 0, 0, 0), Buffer.alloc(12, 1)]);
  return Buffer.concat([
    Buffer.from('v/1\x01\x02\0\0\0', 'latin1'),
    attribute('channels', 'chlist', Buffer.concat([...['B', 'G', 'R'].map(channel), Buffer.alloc(1)])),
    attribute('compression', 'compression', Buffer.of(0)),
    attribute('dataWindow', 'box2i', box(window)),
    attribute('displayWindow', 'box2i', box(display)),
    Buffer.alloc(1),
  ]);
};

test('headers say how much a picture takes, and none how much when they are cut off', () => {
  const known: [Buffer, number, number, number, number?][] = [
    [photoshop(300), 300, 300, 3, 3],
    [exr(200, 300), 300, 300, 12],
    [exr(300, 200), 300, 300, 12],
    [Buffer.from('P6 # a comment\n20 30\n65535\n'), 20, 30, 6],
    [Buffer.from('P7\nWIDTH 20\nHEIGHT 30\nDEPTH 4\nMAXVAL 255\nENDHDR\n'), 20, 30, 4],
    [Buffer.from('PF\n20 30\n-1.0\n'), 20, 30, 12],
    [Buffer.from('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 30 +X 20\n'), 20, 30, 12],
    // A JPEG XL of 1 byte a sample: "small", 16 rows, as wide as high, all else as usual.
    [Buffer.from([0xff, 0x0a, 0b01000011, 0b00000010, 0, 0]), 16, 16, 3, 4.5],
  ];
  for (const [bytes, width, height, frame, further = 0] of known) {
    const pixels = width * height;
    assert.deepEqual(
      codedHeader(bytes, bytes.length),
      { width, height, frameBytes: frame * pixels, furtherBytes: further * pixels },
      bytes.toString('latin1', 0, 8),
    );
  }
  for (const [bytes] of known) assert.equal(codedHeader(bytes.subarray(0, 3), 3), null);
  assert.equal(codedHeader(Buffer.from('GIF89a'), 6), null);
});

test('a picture that needs more memory than is allowed is refused before it is opened', async () => {
  const files = { 'bomb.psd': photoshop(30_000), 'bomb.exr': exr(30_000, 30_000) };
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(folder, name);
    await writeFile(path, Buffer.concat([bytes, Buffer.alloc(1000)]));
    const turn = turnFor();
    turn.memoryLimit = 2 ** 30;
    const rss = process.memoryUsage.rss();
    await assert.rejects(askProbe(path, turn), (error) => {
      assert.ok(mediaErrors.TOO_LARGE.is(error));
      assert.match(
        error.message,
        new RegExp(`${name}.*30000x30000 needs about \\d+ MB.*still_memory_mb allows 1024`),
      );
      return true;
    });
    await assert.rejects(askFrames({ path }, turn), { code: 'TOO_LARGE' });
    assert.equal(turn.reserved, 0);
    assert.ok(process.memoryUsage.rss() - rss < 64 * 2 ** 20, 'no memory is taken');
  }
});

test('a picture is decoded with the memory that it reserved, which is given back', async () => {
  const path = join(folder, 'good.psd');
  await writeFile(path, photoshop(400, Buffer.alloc(480_000, 90)));
  const turn = turnFor();
  const [frame] = await askFrames({ path }, turn);
  assert.equal(frame!.rgb[0], 90);
  assert.equal(turn.reserved, 0);
  assert.ok(turn.mostReserved >= 960_000 && turn.mostReserved < 12 * 2 ** 20);
});

test('a format whose header is not known here is decoded up to a size', async () => {
  const path = join(folder, 'large.xbm');
  await writeFile(path, '#define a_width 20000\n#define a_height 20000\nstatic char a_bits[] = { 0x00 };\n');
  await assert.rejects(askProbe(path), { code: 'DECODE_FAILED' });
});

test('the shown size has sample aspect ratio and rotation applied', () => {
  const coded = { width: 720, height: 576, pixelAspect: { num: 16, den: 15 }, rotation: 90, mirrored: false };
  assert.deepEqual(shownSize(coded), {
    width: 576,
    height: 768,
  });
});
