// How much memory stills take, measured in a process of its own, and what a budget makes of it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { newHome } from './command-line.ts';
import type { StillMemoryResult, StillMemoryRun } from './still-memory-child.ts';

const skip = process.platform === 'linux' ? false : 'resident memory is measured by /proc';
const home = newHome();
after(home.remove);
const child = fileURLToPath(new URL('./still-memory-child.ts', import.meta.url));
const MiB = 2 ** 20;
const file = (name: string) => join(home.folder, name);

const plain = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: '#a52' } });

/** Rows of one colour in PackBits: 48 MB of colours in 1 MB. */
function photoshop(side: number): Buffer {
  const head = Buffer.alloc(40);
  head.write('8BPS');
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(3, 12);
  head.writeUInt32BE(side, 14);
  head.writeUInt32BE(side, 18);
  head.writeUInt16BE(8, 22);
  head.writeUInt16BE(3, 24);
  head.writeUInt16BE(1, 38);
  const row = Buffer.alloc(2 * Math.ceil(side / 128), 90);
  for (let x = 0; x < side; x += 128) row[(x / 128) * 2] = 257 - Math.min(128, side - x);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(row.length);
  const rows = 3 * side;
  return Buffer.concat([head, ...Array(rows).fill(length), ...Array(rows).fill(row)]);
}

before(async () => {
  await plain(64).jpeg().toFile(file('warm.jpg'));
  // glibc keeps freed blocks below 32 MiB for later; the coefficients of one colour are more.
  await plain(4200).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toFile(file('scans.jpg'));
});

async function run(limit: number, paths: readonly string[]): Promise<StillMemoryResult> {
  const request: StillMemoryRun = { limit, paths, warm: file('warm.jpg') };
  const { stdout } = await promisify(execFile)(process.execPath, [child, JSON.stringify(request)]);
  return JSON.parse(stdout) as StillMemoryResult;
}

test('what a still will take is known before it is decoded', { skip }, async () => {
  await plain(3000)
    .toColourspace('rgb16')
    .png({ progressive: true, compressionLevel: 1 })
    .toFile(file('lace.png'));
  await writeFile(file('rows.psd'), photoshop(4000));
  for (const name of ['scans.jpg', 'lace.png', 'rows.psd']) {
    const { grown, reserved, pictures } = await run(4096 * MiB, [file(name)]);
    assert.equal(pictures, 1);
    const share = reserved / grown;
    assert.ok(share > 0.7 && share < 1.5, `${name}: ${reserved / MiB} of ${grown / MiB} MiB`);
  }
});

test('four decoders with four large stills stay within the budget', { skip }, async () => {
  const paths = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg'].map(file);
  for (const path of paths) await copyFile(file('scans.jpg'), path);
  const free = await run(4096 * MiB, paths);
  const bound = await run(160 * MiB, paths);
  assert.deepEqual([free.pictures, bound.pictures], [4, 4]);
  assert.ok(bound.reserved <= 160 * MiB);
  assert.ok(bound.grown < 200 * MiB, `${bound.grown / MiB} MiB within the budget`);
  assert.ok(free.grown > 250 * MiB, `${free.grown / MiB} MiB without one`);
});

test('a still above the budget is refused by name, and the others are analysed', async () => {
  const folder = file('mixed');
  await mkdir(folder);
  await copyFile(file('warm.jpg'), join(folder, 'first.jpg'));
  await copyFile(file('scans.jpg'), join(folder, 'large.jpg'));
  await plain(600).png().toFile(join(folder, 'last.png'));
  process.env.FRAMEHOUND_STILL_MEMORY_MB = '64';
  const { code, out, err } = await home.run('analyze', folder);
  assert.equal(code, 3, err);
  const said = out + err;
  assert.match(said, /large\.jpg: .*4200x4200 needs about \d+ MB of memory.*still_memory_mb allows 64/);
  assert.match(said, /✓ first\.jpg: analysed/);
  assert.match(said, /✓ last\.png: analysed/);
});
