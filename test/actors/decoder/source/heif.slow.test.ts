import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { decodeStill, openStill } from '../../../../actors/decoder/source/still.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { sharedPath, skipWithout } from '../../../shared.ts';
import { askFrames, askProbe, turnFor } from '../ask-decoder.ts';
import { x265 } from '../footage/codec-options.ts';
import { box, type HeifGrid, heifGrid, heifOf, u16, u32 } from '../footage/heif.ts';

const grid: HeifGrid = { columns: 3, rows: 2, tile: 64, width: 170, height: 110 };
const whole = { width: grid.columns * grid.tile, height: grid.rows * grid.tile };
let folder = '';
let film = '';

/** Smooth, since tiles are coded with losses, and like none of its turns. */
function drawing(x: number, y: number): [number, number, number] {
  return [x, y * 1.8, 255 - x / 2 - y].map(Math.round) as [number, number, number];
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'framehound-heif-'));
  film = join(folder, 'tiles.mp4');
  const { tile, columns } = grid;
  const draw = (n: number, rgb: Uint8Array) => {
    for (let y = 0; y < tile; y++) {
      for (let x = 0; x < tile; x++) {
        const colour = drawing((n % columns) * tile + x, Math.floor(n / columns) * tile + y);
        // The last picture is opacity: nothing on the left, all on the right.
        const level = x < tile / 2 ? 0 : 255;
        rgb.set(n < 6 ? colour : [level, level, level], (y * tile + x) * 3);
      }
    }
  };
  const frameRate = { num: 25, den: 1 };
  const picture = {
    width: tile,
    height: tile,
    frames: 7,
    frameRate,
    encoder: 'libx265',
    options: x265('keyint=1:crf=6'),
    draw,
  };
  await writeFilm({ path: film, picture });
});
after(() => rm(folder, { recursive: true, force: true }));

const path = () => join(folder, 'tiles.heic');

async function read(bytes: Uint8Array): Promise<{ data: Buffer; width: number; height: number }> {
  await writeFile(path(), bytes);
  const still = (await openStill(path()))!;
  const data = await decodeStill(still, { reduced: still, turn: turnFor() }, (picture) =>
    picture().raw().toBuffer(),
  );
  return { data, width: still.width, height: still.height };
}

/** The drawing as it should be shown. */
function drawn(): Sharp {
  const { width, height } = whole;
  const rgb = Buffer.from(
    Array.from({ length: width * height }, (_, i) => drawing(i % width, Math.floor(i / width))).flat(),
  );
  return sharp(rgb, { raw: { ...whole, channels: 3 } });
}

const shown = () => drawn().extract({ left: 0, top: 0, width: grid.width, height: grid.height });

async function expectPicture(properties: Buffer[], expected: Sharp) {
  const got = await read(heifGrid(film, { ...grid, properties }));
  const { data, info } = await expected.raw().toBuffer({ resolveWithObject: true });
  assert.deepEqual([got.width, got.height], [info.width, info.height]);
  let sum = 0;
  for (const [i, level] of data.entries()) {
    sum += Math.abs(got.data[i]! - level);
    assert.ok(Math.abs(got.data[i]! - level) < 30, `at ${i}: ${got.data[i]}, not ${level}`);
  }
  assert.ok(sum / data.length < 3, `mean difference ${sum / data.length}`);
}

const irot = (quarters: number) => box('irot', Buffer.of(quarters));
const imir = (axis: number) => box('imir', Buffer.of(axis));
const clap = (...numbers: number[]) => box('clap', ...numbers.map((value) => u32(value >>> 0)));
const nclx = (matrix: number) => box('colr', Buffer.from('nclx'), u16(1), u16(13), u16(matrix), Buffer.of(0));

test('tiles are put together, and what reaches beyond the picture is cut off', async () => {
  await expectPicture([], shown());
});

test('tiles that are missing at the end are left out, and one that is cut off is shown in part', async () => {
  const bytes = heifGrid(film, grid);
  await writeFile(path(), bytes.subarray(0, bytes.length * 0.7));
  const still = (await openStill(path()))!;
  const damaged: boolean[] = [];
  const data = await decodeStill(still, { reduced: still, turn: turnFor() }, (picture, isDamaged) => {
    damaged.push(isDamaged);
    return picture().raw().toBuffer();
  });
  assert.deepEqual(damaged, [true]);
  const { data: expected } = await shown().raw().toBuffer({ resolveWithObject: true });
  const row = grid.width * 3;
  for (let at = 0; at < row * grid.tile; at++)
    assert.ok(Math.abs(data[at]! - expected[at]!) < 30, `at ${at}`);
  assert.deepEqual([...data.subarray(-3)], [0, 0, 0]);
});

test('turns, mirrors and cuts are applied in their order', async () => {
  await expectPicture([irot(1)], shown().rotate(270));
  await expectPicture([irot(2)], shown().rotate(180));
  await expectPicture([irot(3)], shown().rotate(90));
  await expectPicture([imir(0)], shown().flip());
  await expectPicture([imir(1)], shown().flop());
  const flopped = await shown().flop().png().toBuffer();
  await expectPicture([imir(1), irot(3)], sharp(flopped).rotate(90));
  // 100 × 60 px, its middle 10 px right of and 5 px above that of the picture.
  await expectPicture(
    [clap(100, 1, 60, 1, 10, 1, -5, 1)],
    drawn().extract({ left: 45, top: 20, width: 100, height: 60 }),
  );
  const cut = await drawn().extract({ left: 45, top: 20, width: 100, height: 60 }).png().toBuffer();
  await expectPicture([clap(100, 1, 60, 1, 10, 1, -5, 1), irot(3)], sharp(cut).rotate(90));
});

test('the colour matrix and the profile of the container count', async () => {
  await expectPicture([nclx(6)], shown());
  const usual = await read(heifGrid(film, grid));
  const other = await read(heifGrid(film, { ...grid, properties: [nclx(1)] }));
  assert.ok(!usual.data.equals(other.data));
  const wide = await shown().png().withIccProfile('p3').toBuffer();
  const { icc } = await sharp(wide).metadata();
  assert.ok(icc);
  const profiled = await read(
    heifGrid(film, { ...grid, properties: [box('colr', Buffer.from('prof'), icc)] }),
  );
  assert.ok(!usual.data.equals(profiled.data));
  assert.ok(usual.data.every((level, i) => Math.abs(level - profiled.data[i]!) < 110));
});

test('transparent parts are shown on white', async () => {
  const { data, width, height } = await read(heifGrid(film, { ...grid, alpha: true }));
  const at = (x: number) => [
    ...data.subarray(((height >> 1) * width + x) * 3, ((height >> 1) * width + x) * 3 + 3),
  ];
  assert.ok(
    at(10).every((level) => level > 235),
    `${at(10)}`,
  );
  const expected = drawing(width - 10, height >> 1);
  assert.ok(
    at(width - 10).every((level, i) => Math.abs(level - expected[i]!) < 30),
    `${at(width - 10)}`,
  );
});

test('what cannot be read is refused by what it is', async () => {
  const bytes = heifGrid(film, grid);
  const refused = (message: string, code = 'DECODE_FAILED') => ({ code, message: `${path()}: ${message}` });
  const incomplete = 'its HEIF (HEVC) picture cannot be decoded: it is damaged or incomplete';
  await assert.rejects(read(bytes.subarray(0, bytes.indexOf('mdat') + 4)), refused(incomplete));
  await assert.rejects(read(bytes.subarray(0, 200)), refused('its HEIF header cannot be read'));
  const named = (from: string, to: string) =>
    Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1');
  await assert.rejects(
    read(named('hvc1', 'unci')),
    refused("HEIF with a picture of type 'unci' is not supported", 'UNSUPPORTED_CODEC'),
  );
  const short = heifGrid(film, { ...grid, properties: [box('irot')] });
  await assert.rejects(read(short), refused('its HEIF header cannot be read'));
  const strange = heifGrid(film, { ...grid, properties: [box('zzzz', u32(1))] });
  await assert.rejects(
    read(strange),
    refused("HEIF with the essential property 'zzzz' is not supported", 'UNSUPPORTED_CODEC'),
  );
  const huge = heifGrid(film, { ...grid, width: 65_000, height: 65_000 });
  await assert.rejects(read(huge), { code: 'TOO_LARGE' });
  // A canvas that its tiles do not fill would have a black part.
  await assert.rejects(read(heifGrid(film, { ...grid, width: 300 })), refused(incomplete));
});

const phone = 'media/odd/phone-tiles.heic';
test("a phone's picture of 48 tiles is read upright", { skip: skipWithout(phone) }, async () => {
  const facts = await askProbe(sharedPath(phone));
  assert.deepEqual([facts.kind, facts.container, facts.width, facts.height], ['image', 'heif', 3024, 4032]);
  assert.ok(facts.camera_make);
  const shape = { width: 3, height: 4, fit: 'stretch', resample: 'area' } as const;
  const [frame] = await askFrames({ path: sharedPath(phone), shape });
  const row = (y: number) => [...frame!.rgb.subarray(y * 9, y * 9 + 9)];
  // A kitchen: a light ceiling above, brown cupboards, a dark blue cloth at the right below.
  const [r, , b] = row(2).slice(0, 3) as [number, number, number];
  assert.ok(r > b + 40, `${row(2)}`);
  const [, , blue] = row(3).slice(6) as [number, number, number];
  assert.ok(blue > row(3)[6]! - 20, `${row(3)}`);
});

const animated = 'media/odd/animated.avif';
test('an animated AVIF is a film', { skip: skipWithout(animated) }, async () => {
  const facts = await askProbe(sharedPath(animated));
  assert.equal(facts.kind, 'video');
  assert.equal(facts.video?.codec, 'av1');
  assert.equal((await askFrames({ path: sharedPath(animated) })).length, facts.grid_frames);
  // The same file without its tracks is a still.
  const bytes = await readFile(sharedPath(animated));
  const at = bytes.indexOf('moov');
  const still = join(folder, 'still.avif');
  await writeFile(still, Buffer.from(bytes).fill('free', at, at + 4, 'latin1'));
  assert.equal((await askProbe(still)).kind, 'image');
});

test('a coded picture much larger than it says to be is refused, since its memory was not counted', async () => {
  const large = join(folder, 'large.mp4');
  const picture = {
    width: 320,
    height: 320,
    frames: 1,
    frameRate: { num: 25, den: 1 },
    encoder: 'libx265',
    options: x265('keyint=1'),
    draw: (_: number, rgb: Uint8Array) => void rgb.fill(90),
  };
  await writeFilm({ path: large, picture });
  assert.equal((await read(heifOf(large, 300, 310))).width, 300);
  await assert.rejects(read(heifOf(large, 64, 64)), { code: 'DECODE_FAILED' });
});

test('a grid reserves memory for all of it before it is put together', async () => {
  await writeFile(path(), heifGrid(film, grid));
  const still = (await openStill(path()))!;
  const turned = heifGrid(film, { ...grid, properties: [box('irot', Buffer.of(1))] });
  await writeFile(path(), turned);
  const { width, height } = grid;
  assert.equal((await openStill(path()))!.memory(still) - still.memory(still), 3 * width * height);
  const turn = turnFor();
  turn.memoryLimit = still.memory(still) - 1;
  await assert.rejects(askFrames({ path: path() }, turn), { code: 'TOO_LARGE' });
  assert.equal(turn.reserved, 0);
});
