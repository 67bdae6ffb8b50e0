import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { appendFile, copyFile, open, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { digest, digestBlock, digestBlocks, hashedRanges } from '../../../../actors/decoder/probe/hash.ts';
import { timesVary } from '../../../../actors/decoder/probe/pace.ts';
import { isoDate, readExif, readTags } from '../../../../actors/decoder/probe/tags.ts';
import { writeStill } from '../../../../bench/samples/writer/still.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { draws } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askIdentity, askProbe, turnFor } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';
import { oddFiles } from '../footage/odd-files.ts';

const folder = temporaryFolder();
const turn = { alive: () => {}, throwIfCancelled: () => {} };

async function whole(path: string): Promise<{ digest: string; parts: number }> {
  let [text, parts] = ['', 1];
  for (let part = 0; part < parts; part++) {
    const answer = await digest({ path, part, before: text }, turn);
    [text, parts] = [answer.digest, answer.parts];
  }
  return { digest: text, parts };
}

test('every byte of a file up to 256 MiB is in its digest, and of none more than 256 MiB', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (size) => {
      const blocks = Array.from({ length: digestBlocks(size) }, (_, i) => digestBlock(size, i));
      const last = blocks.at(-1)!;
      assert.equal(blocks[0]!.start, 0);
      assert.equal(last.start + last.length, size);
      const read = blocks.reduce((sum, { length }) => sum + length, 0);
      assert.ok(size <= 2 ** 28 ? read === size : read === 2 ** 28, `${read} of ${size}`);
      for (const [i, { start }] of blocks.entries()) {
        const before = blocks[i - 1];
        assert.ok(before === undefined || start >= before.start + before.length);
      }
    }),
    { numRuns: draws(50) },
  );
});

test('a copy has the same digest, and one byte anywhere makes another', async () => {
  const bytes = Buffer.alloc(17 * 2 ** 20, 7);
  const [a, b] = [join(folder, 'a'), join(folder, 'b')];
  writeFileSync(a, bytes);
  writeFileSync(b, bytes);
  const first = await whole(a);
  assert.deepEqual(await whole(b), first);
  assert.equal(first.parts, 2);
  for (const at of [0, 5 * 2 ** 20 + 3, bytes.length - 1]) {
    const file = await open(b, 'r+');
    await file.write(Buffer.from([8]), 0, 1, at);
    await file.close();
    assert.notEqual((await whole(b)).digest, first.digest);
    writeFileSync(b, bytes);
  }
});

test('a part of a file of 60 GB reads 16 MiB, lives and can be cancelled', async () => {
  const large = join(folder, 'large');
  writeFileSync(large, 'x');
  await truncate(large, 60 * 10 ** 9);
  let signs = 0;
  const answer = await digest({ path: large, part: 3, before: '' }, { ...turn, alive: () => signs++ });
  assert.equal(answer.parts, 16);
  assert.ok(signs > 10);
  const cancelled = {
    ...turn,
    throwIfCancelled: () => {
      throw engineErrors.CANCELLED();
    },
  };
  await assert.rejects(digest({ path: large, part: 0, before: '' }, cancelled), engineErrors.CANCELLED.is);
  await assert.rejects(
    digest({ path: join(folder, 'none'), part: 0, before: '' }, turn),
    mediaErrors.FILE_NOT_FOUND.is,
  );
});

test('the hashed ranges lie inside the file and begin and end with it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (size) => {
      const ranges = hashedRanges(size);
      assert.equal(ranges[0]!.start, 0);
      assert.equal(ranges.at(-1)!.start + ranges.at(-1)!.length, size);
      for (const { start, length } of ranges) assert.ok(start >= 0 && start + length <= size);
      assert.equal(ranges.length, size < 3 * 2 ** 20 ? 1 : 3);
    }),
  );
});

test('the content hash survives renaming and differs for other content', async () => {
  const path = join(folder, 'one.mp4');
  await copyFile(await clips[0]!.make(), path);
  const first = await askIdentity(path);
  const second = join(folder, 'other name.mp4');
  await rename(path, second);
  assert.equal((await askIdentity(second)).hash_str, first.hash_str);
  await appendFile(second, 'x');
  assert.notEqual((await askIdentity(second)).hash_str, first.hash_str);
});

const millisecond = 0.001;
const at = (fps: number, count: number) =>
  Array.from({ length: count }, (_, i) => Math.round((1000 * i) / fps));

test('milliseconds are not taken for uneven times, at any rate', () => {
  for (const fps of [12.5, 23.976, 24, 25, 29.97, 50, 59.94, 119.88, 240])
    assert.equal(timesVary(at(fps, 64), millisecond, false), false, `${fps}`);
});

test('times in the order of the file are put in order, and those that were not read yet are not missed', () => {
  const shown = at(25, 64);
  // Each second one comes eight places early; the last ones of the even ones are not there.
  const stored = shown.filter((_, i) => i % 2 === 0).concat(shown.filter((_, i) => i % 2 === 1 && i < 52));
  assert.equal(timesVary(stored, millisecond, false), false);
  assert.equal(timesVary(stored, millisecond, true), true);
});

test('a first picture that is shown longer is none, two are uneven times; too little says nothing', () => {
  const long = at(25, 60).map((time, i) => (i === 0 ? time : time + 100));
  assert.equal(timesVary(long, millisecond, true), false);
  assert.equal(
    timesVary(
      long.map((time, i) => (i < 30 ? time : time + 40)),
      millisecond,
      true,
    ),
    true,
  );
  assert.equal(timesVary([0, 10, 90, 100], millisecond, true), false);
  assert.equal(timesVary([...at(25, 40), null], millisecond, true), false);
});

test('a probe that has to read all packets can be cancelled through the event loop', async () => {
  const still = join(folder, 'still.jpg');
  await writeStill({ path: still, width: 64, height: 48, rgb: new Uint8Array(64 * 48 * 3) });
  const raw = join(folder, 'raw.mjpeg');
  await writeFile(raw, Buffer.concat(Array.from({ length: 2000 }, () => readFileSync(still))));
  assert.equal((await askProbe(raw)).duration_seconds, 80);
  const turn = turnFor();
  const ended = assert.rejects(askProbe(raw, turn), { code: 'CANCELLED' });
  let asked = 0;
  const ask = turn.throwIfCancelled.bind(turn);
  turn.throwIfCancelled = () => {
    asked++;
    if (asked === 2) setImmediate(() => turn.cancel());
    ask();
  };
  await ended;
  assert.ok(asked < 1000, `asked ${asked} times`);
});

test('dates are read however they are written', () => {
  const rows = [
    ['2018-04-19T22:46:00.000000Z', '2018-04-19T22:46:00Z'],
    ['2021-05-06T09:08:09+0200', '2021-05-06T09:08:09+02:00'],
    ['2021:05:06 09:08:09', '2021-05-06T09:08:09'],
    ['2021-05-06', '2021-05-06'],
    ['2015-06-07T10:20', '2015-06-07T10:20:00'],
    ['2015-06-07T10:20+02:00', '2015-06-07T10:20:00+02:00'],
    ['2021', null],
    ['yesterday', null],
    ['1970-01-01T00:00:00.000000Z', null],
    ['1904-01-01T00:00:00Z', null],
    ['1969-12-31T16:00:00-0800', null],
    ['1970:01:01 00:03:12', null],
    ['1980-01-01 00:00:00', null],
    ['1980-01-01', '1980-01-01'],
    ['1970-01-03', '1970-01-03'],
  ] as const;
  for (const [text, expected] of rows) assert.equal(isoDate(text), expected, text);
});

test('camera, place and date are found under the names writers use', () => {
  const phone = {
    'com.apple.quicktime.make': 'Maker',
    'com.apple.quicktime.model': 'Phone 9',
    'com.apple.quicktime.location.ISO6709': '+47.3769+008.5417+408/',
    'com.apple.quicktime.creationdate': '2021-05-06T09:08:09+0200',
    creation_time: '2021-05-06T07:08:09.000000Z',
  };
  assert.deepEqual(readTags([phone]), {
    creation_date: '2021-05-06T09:08:09+02:00',
    camera_make: 'Maker',
    camera_model: 'Phone 9',
    location: '+47.3769+008.5417+408/',
  });
  assert.equal(readTags([{}, { 'location-eng': '+1+2/' }]).location, '+1+2/');
  assert.equal(readTags([{ location: '+00.0000+000.0000/' }]).location, null);
});

test('a photograph says which camera took it', async () => {
  const file = oddFiles.find(({ name }) => name.endsWith('still.jpg'))!;
  const { camera_make, camera_model, container } = await askProbe(await file.make());
  assert.deepEqual([camera_make, camera_model, container], ['Framehound', 'Test 1', 'jpeg']);
});

/** A little-endian EXIF block with one directory, which the entry `pointer` of the main one leads to. */
function exifWith(pointer: number, entries: readonly (readonly [number, string | readonly number[]])[]) {
  const block = Buffer.alloc(512);
  block.write('II*\0', 0, 'latin1');
  block.writeUInt32LE(8, 4);
  block.writeUInt16LE(1, 8);
  block.writeUInt16LE(pointer, 10);
  block.writeUInt16LE(4, 12);
  block.writeUInt32LE(1, 14);
  block.writeUInt32LE(32, 18);
  block.writeUInt16LE(entries.length, 32);
  let end = 200;
  for (const [i, [tag, value]] of entries.entries()) {
    const at = 34 + i * 12;
    const isText = typeof value === 'string';
    block.writeUInt16LE(tag, at);
    block.writeUInt16LE(isText ? 2 : 5, at + 2);
    block.writeUInt32LE(isText ? value.length + 1 : value.length, at + 4);
    if (isText && value.length < 4) block.write(value, at + 8, 'latin1');
    else {
      block.writeUInt32LE(end, at + 8);
      if (isText) block.write(value, end, 'latin1');
      else for (const [k, n] of value.entries()) block.writeBigUInt64LE(BigInt(n) | (1n << 32n), end + 8 * k);
      end += isText ? value.length + 1 : 8 * value.length;
    }
  }
  return block;
}

test('0,0 is no place, in a photograph or in a film; the equator is one', () => {
  const at = (latitude: number, longitude: number) =>
    readExif(
      exifWith(0x8825, [
        [1, 'N'],
        [2, [latitude, 0, 0]],
        [3, 'E'],
        [4, [longitude, 0, 0]],
      ]),
    ).location;
  assert.equal(at(0, 0), null);
  assert.equal(at(0, 32), '0.000000,32.000000');
  const filmed = (location: string) => readTags([{ location }]).location;
  assert.equal(filmed('+00.0000+000.0000/'), null);
  assert.equal(filmed('+00.0000-000.0000+000.000/'), null);
  assert.equal(filmed('+00.0000+032.5000/'), '+00.0000+032.5000/');
  assert.equal(filmed('Oslo'), 'Oslo');
});

test('a photograph that only says when it was digitized has that date', () => {
  const digitized = [0x9004, '2015:06:07 08:09:10'] as const;
  assert.equal(readExif(exifWith(0x8769, [digitized])).taken, '2015-06-07T08:09:10');
  const both = exifWith(0x8769, [[0x9003, '1998:01:02 03:04:05'], digitized, [0x9012, '+02:00']]);
  assert.equal(readExif(both).taken, '1998-01-02T03:04:05');
});

test('arbitrary bytes are read as EXIF without an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) =>
      assert.equal(readExif(bytes).make ?? '', readExif(bytes).make ?? ''),
    ),
  );
  const little = (bytes: Uint8Array) => Uint8Array.from([0x49, 0x49, 42, 0, 8, 0, 0, 0, ...bytes]);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void readExif(little(bytes))));
});
