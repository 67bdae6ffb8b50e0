import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { decodeStill, openStill } from '../../../../actors/decoder/source/still.ts';
import { sharedPath, skipWithout } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askProbe, turnFor } from '../ask-decoder.ts';
import { type TiffKind, tiff } from '../footage/tiff.ts';

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
  'planes of 16 bits, deflate': { bits: 16, photometric: 2, planar: true, compression: 8 },
  'tiles, LZW and predictor': { bits: 8, photometric: 2, tile: 16, compression: 5, predictor: true },
};

for (const [name, kind] of Object.entries(rgb)) {
  test(`an RGB TIFF of ${name} is read as it was drawn`, () =>
    expectPicture(tiff(width, height, 3, scaled(kind.bits, colour), kind), colour, 1));
}

for (const bits of [1, 2, 4, 8, 16]) {
  test(`grey of ${bits} bits is read, black or white being zero`, async () => {
    const most = 2 ** bits - 1;
    const stored = (x: number, y: number) => Math.round((grey(x, y) * most) / 255);
    const seen = (x: number, y: number) => (stored(x, y) * 255) / most;
    await expectPicture(tiff(width, height, 1, stored, { bits, photometric: 1 }), seen, 1);
    const inverse = (x: number, y: number) => most - stored(x, y);
    await expectPicture(tiff(width, height, 1, inverse, { bits, photometric: 0 }), seen, 1);
  });
}

test('a palette becomes sRGB', async () => {
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
  const greys = (x: number, y: number, i: number) => (i === 0 ? grey(x, y) : 0);
  await expectPicture(tiff(width, height, 2, greys, { bits: 8, photometric: 1, extra: [0] }), grey, 0);
});

test('each orientation is applied', async () => {
  const upright = (await pixels(tiff(width, height, 3, colour, { bits: 8, photometric: 2 }))).data;
  for (let orientation = 1; orientation <= 8; orientation++) {
    const turned = await sharp(upright, { raw: { width, height, channels: 3 } })
      .withMetadata({ orientation })
      .png()
      .toBuffer();
    const expected = await sharp(turned).autoOrient().raw().toBuffer({ resolveWithObject: true });
    const got = await pixels(tiff(width, height, 3, colour, { bits: 8, photometric: 2, orientation }));
    assert.deepEqual([got.width, got.height], [expected.info.width, expected.info.height]);
    assert.ok(got.data.equals(expected.data), `orientation ${orientation}`);
  }
});

test('kinds that libvips shows wrongly or not at all are refused by name', async () => {
  const kinds: readonly (readonly [string, number, TiffKind])[] = [
    ['old-style JPEG compression', 3, { bits: 8, photometric: 2, compression: 6 }],
    ['LZMA compression', 3, { bits: 8, photometric: 2, compression: 34925 }],
    ['photometric interpretation 8', 3, { bits: 8, photometric: 8 }],
    ['photometric interpretation 65535', 3, { bits: 8, photometric: 65535 }],
    ['YCbCr samples and no JPEG compression', 3, { bits: 8, photometric: 6 }],
    ['signed samples', 1, { bits: 16, photometric: 1, format: 2 }],
    ['floating-point samples', 1, { bits: 32, photometric: 1, format: 3 }],
    ['samples of 12 bits', 1, { bits: 12, photometric: 1 }],
    ['samples of 32 bits', 3, { bits: 32, photometric: 2 }],
    ['3 samples of 4 bits', 3, { bits: 4, photometric: 2 }],
    ['5 samples a pixel', 5, { bits: 8, photometric: 2, extra: [0, 0] }],
    ['tiles of single colours', 3, { bits: 8, photometric: 2, planar: true, tile: 16 }],
  ];
  const path = join(folder, 'refused.tif');
  for (const [name, samples, kind] of kinds) {
    await writeFile(
      path,
      tiff(width, height, samples, () => 1, kind),
    );
    const message = `${path}: TIFF with ${name} is not supported`;
    await assert.rejects(openStill(path), { code: 'UNSUPPORTED_CODEC', message });
  }
});

const odd = { 'media/odd/lzma.tif': 'LZMA compression', 'media/odd/separate-planes.tiff': 'signed samples' };
const names = Object.keys(odd) as (keyof typeof odd)[];

test('recorded TIFFs of rare kinds are refused by name', { skip: skipWithout(...names) }, async () => {
  for (const name of names) {
    const message = `${sharedPath(name)}: TIFF with ${odd[name]} is not supported`;
    await assert.rejects(askProbe(sharedPath(name)), { code: 'UNSUPPORTED_CODEC', message });
  }
});
