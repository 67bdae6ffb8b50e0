import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { askFrames } from '../ask-decoder.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'framehound-still-'));
});
after(() => rm(folder, { recursive: true, force: true }));

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
