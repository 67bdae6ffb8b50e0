import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { decodeStill, openStill } from '../../../../actors/decoder/source/still.ts';
import { sharedPath, skipWithout } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askFrames, turnFor } from '../ask-decoder.ts';
import { oldJpegTiff, type TiffKind, tiff } from '../footage/tiff.ts';

const folder = temporaryFolder();

const width = 41;
const height = 23;

/** Red, green, blue of 0 to 255: gradients and an edge, in no symmetry. */
function colour(x: number, y: number, i: number): number {
  return [x * 6, y * 11, x > 20 ? 200 : (x * y) % 97][i]!;
}
const grey = (x: number, y: number) => colour(x, y, 0);

async function pixels(bytes: Uint8Array): Promise<{ data: Buffer; width: number; height: number }> {
  const path = join(folder, 'kind.tif');
  await writeFile(path, bytes);
  const still = (await openStill(path))!;
  const data = await decodeStill(still, { reduced: still, turn: turnFor() }, (picture) =>
    picture().raw().toBuffer(),
  );
  assert.equal(data.length, still.width * still.height * 3);
  return { data, width: still.width, height: still.height };
}

/** `refused` where nothing of the picture can be shown. */
async function shownAs(bytes: Uint8Array): Promise<'whole' | 'damaged' | 'refused'> {
  const path = join(folder, 'damaged.tif');
  await writeFile(path, bytes);
  const still = (await openStill(path))!;
  const shown = decodeStill(still, { reduced: still, turn: turnFor() }, async (picture, isDamaged) => {
    await picture().raw().toBuffer();
    return isDamaged ? 'damaged' : 'whole';
  });
  return shown.catch((error) => {
    assert.equal(error.code, 'DECODE_FAILED');
    assert.match(error.message, /its TIFF picture cannot be decoded: it is damaged or incomplete$/);
    return 'refused';
  });
}

type Level = (x: number, y: number, i: number) => number;

async function expectPicture(bytes: Uint8Array, level: Level, tolerance: number) {
  const { data } = await pixels(bytes);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let i = 0; i < 3; i++) {
        const got = data[(y * width + x) * 3 + i]!;
        assert.ok(
          Math.abs(got - level(x, y, i)) <= tolerance,
          `${x},${y},${i}: ${got}, not ${level(x, y, i)}`,
        );
      }
    }
  }
}

const scaled =
  (bits: number, level: Level): Level =>
  (x, y, i) =>
    Math.round((level(x, y, i) * (2 ** bits - 1)) / 255);

const rgb: Readonly<Record<string, TiffKind>> = {
  '8 bits': { bits: 8, photometric: 2 },
  '8 bits, big-endian, LZW': { bits: 8, photometric: 2, compression: 5, big: true },
  '16 bits': { bits: 16, photometric: 2 },
  'planes of 8 bits': { bits: 8, photometric: 2, planar: true },
  'planes in tiles': { bits: 8, photometric: 2, planar: true, tile: 16 },
  'planes in tiles, LZW and predictor': {
    bits: 8,
    photometric: 2,
    planar: true,
    tile: 16,
    compression: 5,
    predictor: true,
  },
  'planes of 16 bits in tiles, deflate': { bits: 16, photometric: 2, planar: true, tile: 16, compression: 8 },
  tiles: { bits: 8, photometric: 2, tile: 16 },
  '10 bits': { bits: 10, photometric: 2 },
  '12 bits, LZW and predictor': { bits: 12, photometric: 2, compression: 5, predictor: true },
  '14 bits in planes': { bits: 14, photometric: 2, planar: true },
  '32 bits, PackBits': { bits: 32, photometric: 2, compression: 32773 },
  'no photometric interpretation that is known': { bits: 8, photometric: 65535 },
};

for (const [name, kind] of Object.entries(rgb)) {
  test(`an RGB TIFF of ${name} is read as it was drawn`, async () => {
    const bytes = tiff(width, height, 3, scaled(kind.bits, colour), kind);
    if (kind.photometric !== 65535) return expectPicture(bytes, colour, kind.bits > 16 ? 16 : 1);
    const path = join(folder, 'unknown.tif');
    await writeFile(path, bytes);
    const message = `${path}: TIFF with photometric interpretation 65535 is not supported`;
    await assert.rejects(openStill(path), { code: 'UNSUPPORTED_CODEC', message });
  });
}

for (const bits of [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 24, 32]) {
  test(`grey of ${bits} bits is read, black or white being zero`, async () => {
    const most = 2 ** bits - 1;
    const stored = (x: number, y: number) => Math.round((grey(x, y) * most) / 255);
    const seen = (x: number, y: number) => (stored(x, y) * 255) / most;
    // Above 16 bits the brightest is white.
    const tolerance = bits > 16 ? 16 : 1;
    await expectPicture(tiff(width, height, 1, stored, { bits, photometric: 1 }), seen, tolerance);
    const inverse = (x: number, y: number) => most - stored(x, y);
    await expectPicture(tiff(width, height, 1, inverse, { bits, photometric: 0 }), seen, tolerance);
  });
}

test('floating-point and signed samples are shown in their range', async () => {
  const unit = tiff(width, height, 1, (x, y) => grey(x, y) / 255, { bits: 32, photometric: 1, format: 3 });
  await expectPicture(unit, grey, 1);
  const wide = tiff(width, height, 1, (x) => x * 100 - 2000, { bits: 32, photometric: 1, format: 3 });
  await expectPicture(wide, (x) => (x * 255) / (width - 1), 1);
  const signed = tiff(width, height, 1, (x) => x * 100 - 2000, { bits: 16, photometric: 1, format: 2 });
  await expectPicture(signed, (x) => (x * 255) / (width - 1), 1);
});

test('Lab, CMYK, YCbCr and palettes become sRGB', async () => {
  // L*a*b* of sRGB red, green and a grey, rounded to 8 bits.
  const colours = [
    { lab: [54, 81, 70], rgb: [255, 0, 0] },
    { lab: [88, -79, 81], rgb: [0, 255, 0] },
    { lab: [54, 0, 0], rgb: [128, 128, 128] },
  ];
  const at = (x: number) => colours[x % 3]!;
  const lab = (x: number, _y: number, i: number) =>
    (i === 0 ? (at(x).lab[0]! * 255) / 100 : at(x).lab[i]! & 255) | 0;
  await expectPicture(
    tiff(width, height, 3, lab, { bits: 8, photometric: 8 }),
    (x, _y, i) => at(x).rgb[i]!,
    12,
  );
  const icc = (x: number, _y: number, i: number) =>
    (i === 0 ? (at(x).lab[0]! * 255) / 100 : at(x).lab[i]! + 128) | 0;
  const planes = tiff(width, height, 3, icc, { bits: 8, photometric: 9, planar: true });
  await expectPicture(planes, (x, _y, i) => at(x).rgb[i]!, 12);
  const inks = (x: number, y: number, i: number) => (i < 3 ? 255 - colour(x, y, i) : 0);
  await expectPicture(tiff(width, height, 4, inks, { bits: 8, photometric: 5, planar: true }), colour, 1);
  const ycc = (x: number, y: number, i: number) => (i === 0 ? grey(x, y) : 128);
  await expectPicture(tiff(width, height, 3, ycc, { bits: 8, photometric: 6, planar: true }), grey, 1);
  const palette = [0, 1, 2].flatMap((i) =>
    Array.from({ length: 16 }, (_, n) => ((n * (i + 3) * 17) % 256) * 257),
  );
  const index = (x: number, y: number) => (x + y * 3) % 16;
  const seen = (x: number, y: number, i: number) => (index(x, y) * (i + 3) * 17) % 256;
  for (const tile of [undefined, 16]) {
    const kind = { bits: 4, photometric: 3, palette, ...(tile ? { tile } : {}) };
    await expectPicture(tiff(width, height, 1, index, kind), seen, 1);
  }
});

test('an unspecified further sample is no opacity; one that is opacity is shown on white', async () => {
  const clear = (x: number, y: number, i: number) => (i < 3 ? colour(x, y, i) : 0);
  for (const more of [{}, { planar: true }, { compression: 8 }]) {
    const unspecified = tiff(width, height, 4, clear, { bits: 8, photometric: 2, extra: [0], ...more });
    await expectPicture(unspecified, colour, 0);
    const opacity = tiff(width, height, 4, clear, { bits: 8, photometric: 2, extra: [2], ...more });
    await expectPicture(opacity, () => 255, 0);
  }
  const half = (_x: number, _y: number, i: number) => (i < 3 ? 100 : 128);
  const multiplied = tiff(width, height, 4, half, { bits: 8, photometric: 2, extra: [1], planar: true });
  await expectPicture(multiplied, () => 227, 1);
  const greys = (x: number, y: number, i: number) => (i === 0 ? grey(x, y) : 0);
  await expectPicture(tiff(width, height, 2, greys, { bits: 8, photometric: 1, extra: [0] }), grey, 0);
});

test('each orientation is applied, by whichever reader', async () => {
  const upright = (await pixels(tiff(width, height, 3, colour, { bits: 8, photometric: 2 }))).data;
  for (let orientation = 1; orientation <= 8; orientation++) {
    const turned = await sharp(upright, { raw: { width, height, channels: 3 } })
      .withMetadata({ orientation })
      .png()
      .toBuffer();
    const expected = await sharp(turned).autoOrient().raw().toBuffer({ resolveWithObject: true });
    for (const planar of [false, true]) {
      const got = await pixels(
        tiff(width, height, 3, colour, { bits: 8, photometric: 2, orientation, planar }),
      );
      assert.deepEqual([got.width, got.height], [expected.info.width, expected.info.height]);
      assert.ok(got.data.equals(expected.data), `orientation ${orientation}, planar ${planar}`);
    }
  }
});

test('old-style JPEG is read where it is a whole JPEG, and refused by name where not', async () => {
  const raw = Buffer.from(
    Array.from({ length: width * height * 3 }, (_, n) =>
      colour(Math.floor(n / 3) % width, Math.floor(n / 3 / width), n % 3),
    ),
  );
  const jpeg = await sharp(raw, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer();
  await expectPicture(oldJpegTiff(width, height, jpeg), colour, 12);
  const path = join(folder, 'kind.tif');
  await assert.rejects(pixels(oldJpegTiff(width, height, jpeg.subarray(8))), {
    code: 'UNSUPPORTED_CODEC',
    message: `${path}: TIFF with old-style JPEG compression is not supported`,
  });
});

test('memory for a whole piece is reserved, as it is stored and without its compression', async () => {
  const memory = async (tile: number) => {
    const kind = { bits: 12, photometric: 2, compression: 8, tile };
    const path = join(folder, 'pieces.tif');
    await writeFile(path, tiff(width, height, 3, scaled(12, colour), kind));
    const still = (await openStill(path))!;
    return still.memory(still);
  };
  assert.equal((await memory(64)) - (await memory(16)), (2 * (64 * 64 - 16 * 16) * 3 * 12) / 8);
});

/** Where the offset of the first strip or tile is stored. */
function firstOffsetAt(bytes: Buffer): number {
  const start = bytes.readUInt32LE(4);
  for (let at = start + 2; ; at += 12) {
    const tag = bytes.readUInt16LE(at);
    if (tag === 273 || tag === 324)
      return bytes.readUInt32LE(at + 4) === 1 ? at + 8 : bytes.readUInt32LE(at + 8);
  }
}

test('a picture of which a part is missing or damaged is never shown as a whole one', async () => {
  const outcomes = new Set<string>();
  for (const more of [{}, { planar: true }, { bits: 12 }, { tile: 16, planar: true }]) {
    for (const compression of [1, 5, 8, 32773]) {
      const kind = { bits: 8, photometric: 2, compression, ...more };
      const whole = tiff(width, height, 3, colour, kind);
      const lost = Buffer.from(whole);
      // The first piece lies elsewhere: outside of the file.
      lost.writeUInt32LE(0x7000_0000, firstOffsetAt(lost));
      outcomes.add(await shownAs(lost));
      if (compression === 1) continue;
      const scratched = Buffer.from(whole).fill(0x41, 9, 60);
      if (compression !== 32773) outcomes.add(await shownAs(scratched));
    }
  }
  assert.deepEqual([...outcomes].sort(), ['damaged', 'refused']);
});

const odd = ['media/odd/lzma.tif', 'media/odd/separate-planes.tiff'] as const;

test('TIFFs that other programs write in unusual ways are read', { skip: skipWithout(...odd) }, async () => {
  const shape = { width: 32, height: 32, fit: 'stretch', resample: 'area' } as const;
  for (const name of odd) {
    const [frame] = await askFrames({ path: sharedPath(name), shape });
    assert.ok(new Set(frame!.rgb).size > 1, `${name} is not flat`);
  }
  const cut = join(folder, 'cut.tif');
  const bytes = await readFile(sharedPath(odd[0]));
  await writeFile(cut, bytes.fill(0, 2000, 2200));
  await assert.rejects(askFrames({ path: cut, shape }), { code: 'DECODE_FAILED' });
});
