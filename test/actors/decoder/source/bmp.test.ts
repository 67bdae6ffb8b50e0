import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { decodeStill, openStill } from '../../../../actors/decoder/source/still.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askProbe, turnFor } from '../ask-decoder.ts';
import { type BmpKind, bmp, bmpAround, type Rgba } from '../footage/bmp.ts';

const folder = temporaryFolder();

const width = 9;
const height = 5;

/** As many colours as the bits allow, in no symmetry that a turned picture would have too. */
function drawing(colours: number): (x: number, y: number) => Rgba {
  return (x, y) => {
    const i = (x * 3 + y * 7 + (x > 5 ? 1 : 0)) % colours;
    return i === 0 ? [255, 0, 0, 255] : [(i * 40) & 248, 255 - i * 12, (i * 96) & 248, 255];
  };
}

async function pixels(name: string, bytes: Uint8Array): Promise<Buffer> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const still = await openStill(path);
  assert.deepEqual([still?.width, still?.height], [width, height]);
  return decodeStill(still!, { reduced: still!, turn: turnFor() }, (picture) => picture().raw().toBuffer());
}

function expectNear(got: Buffer, colour: (x: number, y: number) => Rgba, tolerance: number) {
  const expected = Array.from({ length: width * height }, (_, i) =>
    colour(i % width, Math.floor(i / width)).slice(0, 3),
  ).flat();
  assert.equal(got.length, expected.length);
  for (const [i, level] of expected.entries())
    assert.ok(Math.abs(got[i]! - level) <= tolerance, `at ${i}: ${got[i]}, not ${level}`);
}

const kinds: Readonly<Record<string, BmpKind>> = {
  '1 bit': { bits: 1 },
  '2 bits': { bits: 2 },
  '4 bits': { bits: 4 },
  '8 bits': { bits: 8 },
  '8 bits, OS/2': { bits: 8, header: 12 },
  '8 bits, OS/2 2 with a short header': { bits: 8, header: 16 },
  '8 bits, run lengths': { bits: 8, runs: true },
  '4 bits, run lengths': { bits: 4, runs: true },
  '24 bits, run lengths of OS/2': { bits: 24, header: 64, runs: true },
  '16 bits': { bits: 16 },
  '16 bits as 5, 6 and 5': { bits: 16, masks: [0xf800, 0x7e0, 0x1f, 0] },
  '16 bits as 2, 3 and 1': { bits: 16, masks: [0x30, 0xe, 0x1, 0] },
  '16 bits with opacity': { bits: 16, header: 108, masks: [0x0f00, 0x00f0, 0x000f, 0xf000] },
  '24 bits': { bits: 24 },
  '24 bits from the top down': { bits: 24, topDown: true },
  '32 bits': { bits: 32 },
  '32 bits in a header of 52 bytes': { bits: 32, header: 52, masks: [0xff00, 0xff0000, 0xff000000, 0] },
  '32 bits as 11, 11 and 10': { bits: 32, masks: [0xffe00000, 0x1ffc00, 0x3ff, 0] },
  '32 bits with opacity': { bits: 32, header: 56, masks: [0xff, 0xff00, 0xff0000, 0xff000000] },
  '32 bits, header of version 5': { bits: 32, header: 124, masks: [0xff0000, 0xff00, 0xff, 0xff000000] },
};

for (const [name, kind] of Object.entries(kinds)) {
  test(`a bitmap of ${name} is read as it was drawn`, async () => {
    const { bits, masks } = kind;
    const colour = drawing(bits <= 8 ? Math.min(11, 2 ** bits) : 11);
    const smallest = Math.min(
      8,
      ...(masks ?? []).slice(0, 3).map((mask) => 32 - Math.clz32(mask / (mask & -mask))),
    );
    const depth = bits === 16 && !masks ? 5 : smallest;
    const tolerance = depth === 8 ? 1 : Math.ceil(128 / (2 ** depth - 1));
    expectNear(await pixels('kind.bmp', bmp(width, height, colour, kind)), colour, tolerance);
  });
}

test('a JPEG or PNG file inside a bitmap is read', async () => {
  const colour = drawing(11);
  const raw = Buffer.from(
    Array.from({ length: width * height }, (_, i) =>
      colour(i % width, Math.floor(i / width)).slice(0, 3),
    ).flat(),
  );
  const picture = sharp(raw, { raw: { width, height, channels: 3 } });
  const png = await picture.clone().png().toBuffer();
  const jpeg = await picture.clone().jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
  expectNear(await pixels('png.bmp', bmpAround(5, width, height, png)), colour, 0);
  expectNear(await pixels('jpeg.bmp', bmpAround(4, width, height, jpeg)), colour, 12);
});

test('transparent pixels are shown on white; opacity that is 0 everywhere means none', async () => {
  const kind: BmpKind = { bits: 32, header: 56, masks: [0xff0000, 0xff00, 0xff, 0xff000000] };
  const half = (x: number): Rgba => [0, 0, 0, x === 0 ? 255 : 0];
  const seen = (x: number): Rgba => (x === 0 ? [0, 0, 0, 255] : [255, 255, 255, 255]);
  expectNear(await pixels('half.bmp', bmp(width, height, half, kind)), seen, 0);
  const clear = (): Rgba => [10, 200, 30, 0];
  expectNear(await pixels('clear.bmp', bmp(width, height, clear, kind)), clear, 0);
});

test('a bitmap that cannot be read is refused by what it is', async () => {
  const whole = bmp(width, height, drawing(11), { bits: 24 });
  const cut = join(folder, 'cut.bmp');
  await writeFile(cut, whole.subarray(0, 60));
  assert.equal((await askProbe(cut)).container, 'bmp');
  const still = await openStill(cut);
  await assert.rejects(
    decodeStill(still!, { reduced: still!, turn: turnFor() }, (picture) => picture().raw().toBuffer()),
    { code: 'DECODE_FAILED', message: `${cut}: its BMP picture is cut off` },
  );
  const huge = join(folder, 'huge.bmp');
  const lying = Buffer.from(whole);
  lying.writeUInt32LE(3_000_000, 18);
  lying.writeUInt32LE(2_000_000, 22);
  await writeFile(huge, lying);
  await assert.rejects(openStill(huge), { code: 'TOO_LARGE' });
  const wide = join(folder, 'wide.bmp');
  const deep = Buffer.from(whole);
  deep.writeUInt16LE(64, 28);
  await writeFile(wide, deep);
  await assert.rejects(openStill(wide), {
    code: 'UNSUPPORTED_CODEC',
    message: `${wide}: BMP with 64 bits a pixel is not supported`,
  });
  const runs = bmp(width, height, drawing(11), { bits: 24, header: 64, runs: true });
  runs.writeUInt16LE(16, 28);
  await writeFile(wide, runs);
  await assert.rejects(openStill(wide), {
    code: 'DECODE_FAILED',
    message: `${wide}: its BMP header says compression 4 with 16 bits a pixel`,
  });
});
