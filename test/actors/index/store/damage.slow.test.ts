import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { formatKey, pathKey } from '../../../../actors/index/store/names.ts';
import { FormatRow } from '../../../../actors/index/store/records.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { seal } from '../../../../actors/index/store/table.ts';
import { EngineError } from '../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord, preview, seeded } from '../footage.ts';
import {
  bundlesOf,
  everything,
  type Harness,
  headOf,
  indexActor,
  placeOf,
  someFootage,
  store,
} from '../handlers.ts';

const d = 32;

/** A folder with three media, closed. */
async function library(t: TestContext): Promise<string> {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  for (const [i, hash] of ['aa', 'bb', 'cc'].entries())
    await store(index, cache_dir, hash, someFootage(20, i));
  await index.close();
  return cache_dir;
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at < 0 ? bytes.length + at : at]! ^= 0x10;
  writeFileSync(file, bytes);
}

const load = (index: Harness, cache_dir: string) =>
  index.load({ cache_dir, model_key: 'model', hashes: null });
const names = (file: string) => (error: unknown) =>
  storeErrors.STORE_DAMAGED.is(error) && error.message.includes(file);

test('a records file that is none is refused by its name, not mapped', async (t) => {
  const random = seeded(3);
  const contents = [
    Buffer.from('x'),
    Buffer.alloc(4096),
    Buffer.alloc(100_000, 'not a database '),
    Buffer.from(Float64Array.from({ length: 5000 }, () => random()).buffer),
  ];
  for (const content of contents) {
    const cache_dir = temporaryFolder(t);
    writeFileSync(join(cache_dir, 'records.mdb'), content);
    const index = await indexActor(t);
    await assert.rejects(index.call('media', { cache_dir }), names('records.mdb'));
    await assert.rejects(
      index.call('begin', { cache_dir, hash_str: 'aa', model_key: 'model', dimensions: d }),
      names('records.mdb'),
    );
  }
});

test('a records file cut off at any page, or with any byte flipped, gives an error that names it or true answers', async (t) => {
  const whole = await library(t);
  const file = 'records.mdb';
  const size = statSync(join(whole, file)).size;
  const random = seeded(17);
  const used = readFileSync(join(whole, file));
  let refused = 0;
  for (let round = 0; round < 120; round++) {
    const copy = temporaryFolder(t);
    copyFileSync(join(whole, file), join(copy, file));
    if (round < size / 4096) truncateSync(join(copy, file), round * 4096 + (round % 2) * 100);
    else {
      // Bytes that are in use: an unused page can hold anything.
      let at = 0;
      while (used[at] === 0) at = Math.floor(random() * size);
      flip(join(copy, file), at);
    }
    const opened = new Store(copy);
    try {
      for (const { identity, path } of opened.media.all())
        assert.equal(path, `/footage/${identity.hash_str}.mp4`);
      for (const hash of ['aa', 'bb', 'cc']) {
        const visual = opened.visual.stage('model', hash);
        if (visual) assert.deepEqual(visual.frame_runs, [0, 20]);
      }
    } catch (error) {
      assert.ok(error instanceof EngineError && error.message.includes(file), String(error));
      refused++;
    } finally {
      await opened.close();
    }
  }
  // The others hit the record of a path, which costs no more than that path.
  assert.ok(refused > 10, `${refused} refused`);
});

test('a list of free pages that names a page in use or none at all is refused before anything is written over', async (t) => {
  const whole = await library(t);
  const records = readFileSync(join(whole, 'records.mdb'));
  const meta = [0, 4096].sort((a, b) =>
    Number(records.readBigUInt64LE(b + 152) - records.readBigUInt64LE(a + 152)),
  )[0]!;
  const [free, used] = [88, 136].map((field) => Number(records.readBigUInt64LE(meta + field))) as [
    number,
    number,
  ];
  const node = free * 4096 + 24 + records.readUInt16LE(free * 4096 + 24);
  const list = node + 8 + records.readUInt16LE(node + 6);
  for (const [at, value] of [
    [list + 8, used],
    [list + 8, 123_456],
    [list, 5000],
  ] as const) {
    const copy = temporaryFolder(t);
    const bytes = Buffer.from(records);
    bytes.writeBigInt64LE(BigInt(value), at);
    writeFileSync(join(copy, 'records.mdb'), bytes);
    assert.throws(() => new Store(copy).media.all(), /list of free pages/);
  }
});

test('a long value that shrank inside one transaction keeps its pages, and the records are sound', async (t) => {
  const file = join(temporaryFolder(t), 'records.mdb');
  const written = Environment.open(file, 'write');
  written.transact((writes) => {
    writes.put('media/aa', new Uint8Array(20_000).fill(1));
    writes.put('media/aa', new Uint8Array(9000).fill(2));
  });
  await written.close();
  const opened = Environment.open(file, 'read');
  t.after(() => opened.close());
  assert.deepEqual(opened.get('media/aa'), Buffer.alloc(9000, 2));
});

test('damaged rows of one file are reported, and the rest is loaded and searched', async (t) => {
  const cache_dir = await library(t);
  const [file] = bundlesOf(cache_dir, 'bb') as [string];
  flip(file, placeOf(file, 5, 20) + 3);
  const index = await indexActor(t);
  const report = await load(index, cache_dir);
  assert.deepEqual(report, { media: 2, vectors: 40, missing: [], unreadable: ['bb'] });
  const search = {
    cache_dir,
    model_key: 'model',
    text: new Float32Array(d).fill(0.1),
    picture: null,
    text_weight: 1,
    exclude: null,
  };
  const { matches } = await index.call('search', { ...search, scope: everything, max_results: 50 });
  assert.deepEqual([...new Set(matches.map((match) => match.hash_str))].sort(), ['aa', 'cc']);
});

/** Breaks one record, as a flipped bit on the disk does. */
async function breakRecord(cache_dir: string, key: string): Promise<void> {
  const environment = Environment.open(join(cache_dir, 'records.mdb'), 'write');
  environment.transact((writes) => {
    const bytes = Uint8Array.from(writes.get(key)!);
    bytes[bytes.length >> 1]! ^= 1;
    writes.put(key, bytes);
  });
  await environment.close();
}

test('a damaged record of a stage, its previews, its model or its media is replaced by analysing the file again', async (t) => {
  const keys = ['visual/model/bb', 'previews/bb', 'model/model', 'media/bb', pathKey('/footage/bb.mp4')];
  for (const key of keys) {
    const cache_dir = await library(t);
    await breakRecord(cache_dir, key);
    const index = await indexActor(t);
    await store(index, cache_dir, 'bb', someFootage(25, 7));
    const whole = { media: 3, vectors: 65, missing: [], unreadable: [] };
    assert.deepEqual(await load(index, cache_dir), whole, key);
    const frames = [{ hash_str: 'bb', frame_index: 24 }];
    assert.deepEqual((await index.call('previews', { cache_dir, frames })).previews, [preview(24)], key);
    await store(index, cache_dir, 'dd', someFootage(5, 8));
    assert.equal((await load(index, cache_dir)).vectors, 70, key);
  }
});

test('what is loaded of a stage is replaced although its damaged record does not say what it was', async (t) => {
  const cache_dir = await library(t);
  const index = await indexActor(t);
  await load(index, cache_dir);
  await breakRecord(cache_dir, 'visual/model/bb');
  await store(index, cache_dir, 'bb', someFootage(25, 7));
  assert.equal((await load(index, cache_dir)).vectors, 65);
});

test('a damaged record of a path is as none, and what is known of the content answers for it', async (t) => {
  const cache_dir = await library(t);
  const path = '/footage/bb.mp4';
  await breakRecord(cache_dir, pathKey(path));
  const index = await indexActor(t);
  const mark = { size_bytes: 1000, mtime_ms: 1.5, inode: '42' };
  assert.equal(await index.call('known', { cache_dir, path, ...mark }), null);
  assert.equal((await index.call('media', { cache_dir })).media.length, 2);
  const found = await index.call('find', { cache_dir, paths: [path], hashes: ['bb'] });
  assert.deepEqual([found.by_path[0], found.by_hash[0]?.path], [null, path]);
  await index.call('remember', { cache_dir, media: mediaRecord('bb') });
  assert.deepEqual(await index.call('known', { cache_dir, path, ...mark }), mediaRecord('bb'));
});

test('with a damaged record of a content everything is loaded, and its path comes from the other record', async (t) => {
  const cache_dir = await library(t);
  await breakRecord(cache_dir, 'media/bb');
  const index = await indexActor(t);
  assert.equal((await load(index, cache_dir)).media, 3);
  const { by_hash } = await index.call('find', { cache_dir, paths: [], hashes: ['bb'] });
  assert.equal(by_hash[0]?.path, '/footage/bb.mp4');
});

test('a bundle that is cut off or missing costs its own content, until that is analysed again', async (t) => {
  const spoils: ((file: string) => void)[] = [
    (file) => truncateSync(file, placeOf(file, 19)),
    (file) => truncateSync(file, 3),
    (file) => rmSync(file),
  ];
  for (const [i, spoil] of spoils.entries()) {
    const cache_dir = await library(t);
    spoil(bundlesOf(cache_dir, 'cc')[0]!);
    const index = await indexActor(t);
    const report = await load(index, cache_dir);
    assert.deepEqual([report.media, report.unreadable], [2, ['cc']], String(i));
    const request = { cache_dir, model_key: 'model', hashes: ['aa', 'bb', 'cc'] };
    assert.deepEqual((await index.call('stored', request)).stored, [true, true, false], String(i));
    await store(index, cache_dir, 'cc', someFootage(20, 2));
    assert.deepEqual((await index.call('stored', request)).stored, [true, true, true]);
    assert.deepEqual(await load(index, cache_dir), { media: 3, vectors: 60, missing: [], unreadable: [] });
    assert.equal(bundlesOf(cache_dir, 'cc').length, 1);
  }
});

test('where nothing but damage is loaded the file is named', async (t) => {
  const cache_dir = await library(t);
  for (const hash of ['aa', 'bb', 'cc']) rmSync(bundlesOf(cache_dir, hash)[0]!);
  const index = await indexActor(t);
  await assert.rejects(load(index, cache_dir), names('.vectors'));
});

test('a broken 16-bit row costs its precision, is logged, and its vector is refused when asked for alone', async (t) => {
  const cache_dir = await library(t);
  const [file] = bundlesOf(cache_dir, 'bb') as [string];
  flip(file, placeOf(file, 1) + 5);
  const index = await indexActor(t);
  await load(index, cache_dir);
  const text = someFootage(20, 1).slice(d, 2 * d);
  const search = {
    cache_dir,
    model_key: 'model',
    text,
    picture: null,
    text_weight: 1,
    exclude: null,
    scope: everything,
    max_results: 3,
  };
  const { matches } = await index.call('search', search);
  assert.deepEqual([matches[0]!.hash_str, matches[0]!.frame_index], ['bb', 1]);
  assert.ok(index.lines.some((line) => line.level === 'warn' && line.fields.frame === 1));
  const frame = { cache_dir, model_key: 'model', hash_str: 'bb', frame_index: 1 };
  await assert.rejects(index.call('vector', frame), names(file));
});

test('damaged previews are named and the others come', async (t) => {
  for (const spoil of [
    (f: string) => flip(f, headOf(f) + 40),
    (f: string) => flip(f, -40),
    (f: string) => truncateSync(f, 200),
    (f: string) => rmSync(f),
  ]) {
    const cache_dir = await library(t);
    spoil(bundlesOf(cache_dir, 'bb', 'previews')[0]!);
    const index = await indexActor(t);
    const frames = [
      { hash_str: 'bb', frame_index: 0 },
      { hash_str: 'cc', frame_index: 7 },
    ];
    const { previews, unreadable } = await index.call('previews', { cache_dir, frames });
    assert.deepEqual([previews, unreadable], [[null, preview(7)], ['bb']]);
  }
});

test('a folder of another format is left alone', async (t) => {
  for (const [version, isIt] of [
    [1, storeErrors.STORE_TOO_OLD.is],
    [3, storeErrors.STORE_TOO_NEW.is],
  ] as const) {
    const cache_dir = await library(t);
    const environment = Environment.open(join(cache_dir, 'records.mdb'), 'write');
    const format = seal(FormatRow, formatKey, { version, written_by: 'framehound' });
    environment.transact((writes) => writes.put(formatKey, format));
    await environment.close();
    const index = await indexActor(t);
    await assert.rejects(load(index, cache_dir), isIt);
    const begin = { cache_dir, hash_str: 'aa', model_key: 'model', dimensions: d };
    await assert.rejects(index.call('begin', begin), isIt);
  }
});

test('a folder out of reach is no empty library; one never analysed is, also where it is not there yet', async (t) => {
  const index = await indexActor(t);
  const cache_dir = join(temporaryFolder(t), 'none');
  assert.deepEqual(await load(index, cache_dir), { media: 0, vectors: 0, missing: [], unreadable: [] });
  await assert.rejects(load(index, join(cache_dir, 'deep')), storeErrors.STORE_UNAVAILABLE.is);
  const was = index.call('open', { cache_dir, was_there: true });
  await assert.rejects(was, storeErrors.STORE_UNAVAILABLE.is);
  assert.ok(!existsSync(cache_dir));
  const empty = temporaryFolder(t);
  assert.deepEqual(await load(index, empty), { media: 0, vectors: 0, missing: [], unreadable: [] });
  assert.deepEqual(readdirSync(empty), []);
});

test('a copied folder is a whole library', async (t) => {
  const copy = join(temporaryFolder(t), 'copy');
  cpSync(await library(t), copy, { recursive: true });
  const index = await indexActor(t);
  assert.equal((await load(index, copy)).vectors, 60);
});
