import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askFrames, turnFor } from '../ask-decoder.ts';
import { bmp, type Rgb } from '../footage/bmp.ts';
import { tiff } from '../footage/tiff.ts';

const folder = temporaryFolder();

const colour = { r: 200, g: 100, b: 50 };
const plain = () => sharp({ create: { width: 40, height: 30, channels: 3, background: colour } });

/** The middle pixel. */
async function middle(file: string): Promise<number[]> {
  const shape = { width: 16, height: 16, fit: 'cover', resample: 'bicubic' } as const;
  const [got] = await askFrames({ path: join(folder, file), shape });
  return [...got!.rgb.subarray((8 * 16 + 8) * 3, (8 * 16 + 9) * 3)];
}

const near = (got: number[], expected: number[]) =>
  assert.ok(
    got.every((level, i) => Math.abs(level - expected[i]!) <= 3),
    `${got} is not near ${expected}`,
  );

test('16 bits, grey, and a wide colour profile become sRGB with 8 bits', async () => {
  await plain().toColourspace('rgb16').png().toFile(join(folder, 'deep.png'));
  await plain().withIccProfile('p3').jpeg({ quality: 100 }).toFile(join(folder, 'p3.jpg'));
  await sharp({ create: { width: 40, height: 30, channels: 3, background: { r: 90, g: 90, b: 90 } } })
    .toColourspace('b-w')
    .jpeg()
    .toFile(join(folder, 'grey.jpg'));
  near(await middle('deep.png'), [200, 100, 50]);
  near(await middle('p3.jpg'), [200, 100, 50]);
  near(await middle('grey.jpg'), [90, 90, 90]);
});

test('transparent pixels become white', async () => {
  await sharp({ create: { width: 40, height: 30, channels: 4, background: { ...colour, alpha: 0 } } })
    .png()
    .toFile(join(folder, 'clear.png'));
  near(await middle('clear.png'), [255, 255, 255]);
});

test('a large picture is shrunk while it is loaded', async () => {
  await sharp({ create: { width: 16_000, height: 4000, channels: 3, background: colour } })
    .jpeg()
    .toFile(join(folder, 'large.jpg'));
  const before = process.memoryUsage().rss;
  near(await middle('large.jpg'), [200, 100, 50]);
  assert.ok(process.memoryUsage().rss - before < 96 * 2 ** 20);
});

/** A frame and an edge, in no symmetry. */
const levels = (x: number, y: number) => (x < 8 ? [230, 20, 20] : y < 10 ? [20, 200, 40] : [30, 30, 220]);
const size = { width: 40, height: 30 };
const drawn = () => {
  const rgb = Buffer.from(Array.from({ length: 1200 }, (_, i) => levels(i % 40, Math.floor(i / 40))).flat());
  return sharp(rgb, { raw: { ...size, channels: 3 } });
};

async function whole(file: string) {
  const shape = { width: 30, height: 30, fit: 'stretch', resample: 'area' } as const;
  const [got] = await askFrames({ path: join(folder, file), shape });
  return got!.rgb;
}

function closeTo(got: Uint8Array, expected: Uint8Array, most: number, file: string) {
  let sum = 0;
  for (const [i, level] of expected.entries()) sum += Math.abs(level - got[i]!);
  assert.ok(sum / expected.length <= most, `${file}: mean difference ${sum / expected.length}`);
}

test('all eight EXIF orientations are shown upright in JPEG, PNG, WebP and TIFF', async () => {
  for (let orientation = 1; orientation <= 8; orientation++) {
    const tagged = await drawn().withMetadata({ orientation }).png().toBuffer();
    await sharp(tagged).autoOrient().png().toFile(join(folder, 'upright.png'));
    const expected = await whole('upright.png');
    for (const ending of ['jpg', 'png', 'webp', 'tif']) {
      const file = `turned-${orientation}.${ending}`;
      await drawn().withMetadata({ orientation }).toFile(join(folder, file));
      closeTo(await whole(file), expected, 6, file);
    }
  }
});

test('grey, palette and full colours look alike in TIFF, BMP and PNG; CMYK nearly so', async () => {
  const drawnAt = (x: number, y: number) => levels(x, y) as unknown as Rgb;
  const grey = (x: number, y: number) => Math.round(levels(x, y).reduce((sum, level) => sum + level) / 3);
  await drawn().png().toFile(join(folder, 'colours.png'));
  await drawn().png({ palette: true, colours: 8, dither: 0 }).toFile(join(folder, 'palette.png'));
  await drawn().toColourspace('cmyk').jpeg({ quality: 100 }).toFile(join(folder, 'inks.jpg'));
  const colours = [
    ...new Map(
      [
        [0, 0],
        [20, 0],
        [20, 20],
      ].map(([x, y]) => [String(levels(x!, y!)), levels(x!, y!)]),
    ).values(),
  ];
  const palette = [0, 1, 2].flatMap((i) =>
    Array.from({ length: 16 }, (_, n) => (colours[n]?.[i] ?? 0) * 257),
  );
  const index = (x: number, y: number) =>
    colours.findIndex((colour) => String(colour) === String(levels(x, y)));
  const rgb = (x: number, y: number, i: number) => levels(x, y)[i]!;
  const files: Record<string, Buffer> = {
    'colours.bmp': bmp(40, 30, drawnAt, 24),
    'palette.bmp': bmp(40, 30, drawnAt, 4),
    'colours.tif': tiff(40, 30, 3, rgb, { bits: 8, photometric: 2 }),
    'deep.tif': tiff(40, 30, 3, (x, y, i) => rgb(x, y, i) * 257, { bits: 16, photometric: 2 }),
    'planes.tif': tiff(40, 30, 3, rgb, { bits: 8, photometric: 2, planar: true }),
    'palette.tif': tiff(40, 30, 1, index, { bits: 4, photometric: 3, palette }),
    'grey.bmp': bmp(40, 30, (x, y) => [grey(x, y), grey(x, y), grey(x, y)], 8),
    'grey.tif': tiff(40, 30, 1, grey, { bits: 8, photometric: 1 }),
    'deep-grey.tif': tiff(40, 30, 1, (x, y) => grey(x, y) * 257, { bits: 16, photometric: 1 }),
  };
  for (const [file, bytes] of Object.entries(files)) await writeFile(join(folder, file), bytes);
  const greys = Buffer.from(Array.from({ length: 1200 }, (_, i) => grey(i % 40, Math.floor(i / 40))));
  await sharp(greys, { raw: { ...size, channels: 1 } })
    .png()
    .toFile(join(folder, 'greys.png'));
  const expected = await whole('colours.png');
  for (const file of [
    'palette.png',
    'colours.bmp',
    'palette.bmp',
    'colours.tif',
    'deep.tif',
    'planes.tif',
    'palette.tif',
  ])
    closeTo(await whole(file), expected, 1.5, file);
  closeTo(await whole('inks.jpg'), expected, 45, 'inks.jpg');
  const shades = await whole('greys.png');
  for (const file of ['grey.bmp', 'grey.tif', 'deep-grey.tif']) closeTo(await whole(file), shades, 1.5, file);
});

test('a large WebP is reduced while it is read, in less memory, and looks as it should', async () => {
  const side = 2400;
  const shape = { width: 224, height: 224, fit: 'stretch', resample: 'bicubic' } as const;
  const large = () => drawn().resize(side, side, { fit: 'fill', kernel: 'cubic' });
  await large().png().toFile(join(folder, 'large.png'));
  await large().webp({ quality: 95 }).toFile(join(folder, 'large.webp'));
  const [expected] = await askFrames({ path: join(folder, 'large.png'), shape });
  const turn = turnFor(shape);
  const [got] = await askFrames({ path: join(folder, 'large.webp'), shape }, turn);
  closeTo(got!.rgb, expected!.rgb, 3, 'large.webp');
  // The picture with 8 bytes a px is what it took before.
  assert.ok(turn.mostReserved < 2 * side * side, `${turn.mostReserved} bytes`);
});
