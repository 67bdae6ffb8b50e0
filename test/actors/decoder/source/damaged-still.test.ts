import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { frameItems, turnFor } from '../ask-decoder.ts';

const folder = temporaryFolder();
const [width, height] = [320, 240];
const shape = { width: 32, height: 24, fit: 'stretch', resample: 'area' } as const;

/** Red to the right and green to the bottom, with noise so that the file is long. */
const level = (x: number, y: number, i: number) =>
  (i === 0 ? (x * 200) / width : i === 1 ? (y * 200) / height : 40) +
  ((x * x * 7 + y * y * 13 + x * y * 3 + i * 5) % 31);
const rgb = Buffer.from(
  Array.from({ length: width * height }, (_, at) =>
    [0, 1, 2].map((i) => level(at % width, Math.floor(at / width), i)),
  ).flat(),
);
const drawn = () => sharp(rgb, { raw: { width, height, channels: 3 } });

/** No pattern, so that no decoder takes it for a picture. */
function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (state * 1103515245 + 12345) % 2 ** 31;
      return state >> 16;
    }),
  );
}

type Damage = (bytes: Buffer) => Buffer;
const short: Damage = (bytes) => bytes.subarray(0, bytes.length - 2);
const cut: Damage = (bytes) => bytes.subarray(0, Math.floor(bytes.length * 0.9));
const rubbish: Damage = (bytes) => {
  const start = Math.floor(bytes.length * 0.9);
  return Buffer.concat([bytes.subarray(0, start), noise(bytes.length - start)]);
};
/** A damaged Huffman table and a marker that JPEG does not have, which end decoders. */
const markers: Damage = (bytes) => {
  const damage = rubbish(bytes);
  Buffer.from('ffc4001fffffffffffffffffff16ff16', 'hex').copy(damage, Math.floor(bytes.length * 0.9));
  return damage;
};

async function shown(name: string, bytes: Uint8Array) {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const turn = turnFor(shape);
  for await (const { is_damaged = false, picture, preview } of frameItems(
    { path, shape, preview: { max_side: 64, quality: 80 } },
    turn,
  )) {
    assert.ok(preview);
    assert.equal(turn.reserved, 0);
    return { is_damaged, rgb: turn.slot(picture) };
  }
  throw new Error(`${name} has no picture`);
}

/** The upper half is as it was, and nothing is said to be missing of the whole file. */
async function expectShown(name: string, whole: Buffer, damages: Readonly<Record<string, Damage>>) {
  const right = await shown(`whole-${name}`, whole);
  assert.equal(right.is_damaged, false, name);
  for (const [how, damage] of Object.entries(damages)) {
    const got = await shown(`${how}-${name}`, damage(whole));
    // Two bytes may be only the mark of the end.
    if (damage !== short) assert.equal(got.is_damaged, true, `${how} ${name}`);
    const half = (shape.width * shape.height * 3) >> 1;
    for (let at = 0; at < half; at++) {
      const difference = Math.abs(got.rgb[at]! - right.rgb[at]!);
      assert.ok(difference < 12, `${how} ${name}: ${difference} at ${at}`);
    }
  }
}

test('of a damaged still what there is is shown, and said to be damaged', async () => {
  const ends = { 'two bytes less': short, 'a tenth less': cut };
  const jpeg = await drawn().jpeg({ quality: 95 }).toBuffer();
  await expectShown('plain.jpg', jpeg, { ...ends, rubbish });
  await expectShown('scans.jpg', await drawn().jpeg({ quality: 95, progressive: true }).toBuffer(), {
    ...ends,
    rubbish,
    markers,
  });
  await expectShown('plain.png', await drawn().png().toBuffer(), { 'a tenth less': cut, rubbish });
  await expectShown('plain.gif', await drawn().gif().toBuffer(), ends);
  await expectShown('lossy.webp', await drawn().webp({ quality: 95 }).toBuffer(), ends);
});

test('a JPEG turned by its EXIF is turned where FFmpeg shows what is left of it', async () => {
  const upright = await drawn()
    .jpeg({ quality: 95, progressive: true })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const whole = await shown('turned.jpg', upright);
  const got = await shown('turned-rubbish.jpg', rubbish(upright));
  assert.equal(got.is_damaged, true);
  // Stored rows are columns from the right.
  const column = (x: number) => Array.from({ length: shape.height }, (_, y) => (y * shape.width + x) * 3 + 1);
  for (const at of column(shape.width - 3)) assert.ok(Math.abs(got.rgb[at]! - whole.rgb[at]!) < 16);
});

test('a still of which nothing can be shown is refused', async () => {
  const jpeg = await drawn().jpeg().toBuffer();
  const scans = await drawn().png({ progressive: true }).toBuffer();
  for (const [name, bytes] of Object.entries({ 'head.jpg': jpeg.subarray(0, 300), 'scans.png': cut(scans) }))
    await assert.rejects(shown(name, bytes), (error) => mediaErrors.DECODE_FAILED.is(error), name);
});
