import assert from 'node:assert/strict';
import { existsSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { indexContract } from '../../../../actors/index/contract.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { databaseFile, modelRecordKey, stageKey } from '../../../../actors/index/store/names.ts';
import { ModelUseRow } from '../../../../actors/index/store/records.ts';
import { equalShares, evenly } from '../../../../actors/index/store/stored-vectors.ts';
import { seal, unseal } from '../../../../actors/index/store/table.ts';
import type { Reply } from '../../../../runtime/contract.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { bundlesOf, type Harness, indexActor, placeOf, someFootage, store } from '../handlers.ts';

type Page = Reply<typeof indexContract, 'stored_vectors'>;

const d = 32;
const model_key = 'model';

async function pagesOf(index: Harness, cache_dir: string, hash_str: string, most: number) {
  const frames: number[] = [];
  const vectors: number[] = [];
  let pages = 0;
  for (let from: number | null = 0; from !== null; pages++) {
    const request = { cache_dir, model_key, hash_str, from, most };
    const page: Page = await index.call('stored_vectors', request);
    assert.equal(page.dimensions, d);
    assert.ok(page.frames.length <= most && page.vectors.length === page.frames.length * d);
    frames.push(...page.frames);
    vectors.push(...page.vectors);
    from = page.next;
  }
  return { frames, vectors, pages };
}

const isNear = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  a.length === b.length && Array.from(a).every((value, i) => Math.abs(value - b[i]!) < 2e-5);

/** The number of the content and the frame that a vector is of. */
function whichOf(vector: ArrayLike<number>, contents: readonly Float32Array[]): string {
  for (const [i, own] of contents.entries())
    for (let frame = 0; frame * d < own.length; frame++)
      if (isNear(vector, own.subarray(frame * d, (frame + 1) * d))) return `${i}:${frame}`;
  throw new Error('a vector of nothing that was stored');
}

async function sampleOf(index: Harness, cache_dir: string, most: number, contents: readonly Float32Array[]) {
  const { dimensions, vectors } = await index.call('sample_vectors', { cache_dir, model_key, most });
  assert.equal(dimensions, vectors.length === 0 ? 0 : d);
  return Array.from({ length: vectors.length / d }, (_, i) =>
    whichOf(vectors.subarray(i * d, (i + 1) * d), contents),
  );
}

function overwrite(file: string, at: number): void {
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.alloc(4, 0x5a), 0, 4, at);
}

/** Three contents of 30, 4 and 30 frames. */
async function library(t: TestContext) {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const contents = [30, 4, 30].map((frames, i) => someFootage(frames, i + 1));
  for (const [i, hash] of ['aa', 'bb', 'cc'].entries()) await store(index, cache_dir, hash, contents[i]!);
  const rows = (hash: string) => bundlesOf(cache_dir, hash)[0]!;
  return { cache_dir, index, contents, rows };
}

test('the stored vectors of a content come page by page, gaps in its frames included', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const frames = [0, 1, 2, 10, 11, 500, 501, 502, 503, 9000];
  const own = someFootage(frames.length, 7);
  await store(index, cache_dir, 'aa', own.slice(), { frames });
  for (const most of [1, 3, 10, 8192]) {
    const read = await pagesOf(index, cache_dir, 'aa', most);
    assert.deepEqual(read.frames, frames);
    assert.ok(isNear(read.vectors, own));
    assert.equal(read.pages, Math.ceil(frames.length / most));
  }
  const request = { cache_dir, model_key, hash_str: 'aa', most: 2 };
  const between = await index.call('stored_vectors', { ...request, from: 12 });
  assert.deepEqual([[...between.frames], between.next], [[500, 501], 502]);
  const behind = await index.call('stored_vectors', { ...request, from: 9001 });
  assert.deepEqual([behind.frames.length, behind.vectors.length, behind.next], [0, 0, null]);
});

test('a page is no longer than one turn should read, whatever is asked for', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const dimensions = 1024;
  const own = someFootage(1500, 3, dimensions);
  await store(index, cache_dir, 'aa', own.slice(), { dimensions });
  const request = { cache_dir, model_key, hash_str: 'aa', most: 8192 };
  const first = await index.call('stored_vectors', { ...request, from: 0 });
  assert.ok(first.frames.length > 500 && first.frames.length < 1500);
  assert.equal(first.next, first.frames.length);
  const second = await index.call('stored_vectors', { ...request, from: first.next! });
  assert.equal(second.next, null);
  assert.ok(isNear([...first.vectors, ...second.vectors], own));
});

test('vectors of films that were written side by side are read whole', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const own = [someFootage(1300, 1), someFootage(1300, 2)];
  const begun = await Promise.all(
    ['aa', 'bb'].map((hash_str) => index.call('begin', { cache_dir, hash_str, model_key, dimensions: d })),
  );
  for (let from = 0; from < 1300; from += 100)
    for (const [i, { stage }] of begun.entries()) {
      const frames = Array.from({ length: 100 }, (_, at) => from + at);
      const vectors = own[i]!.slice(from * d, (from + 100) * d);
      await index.call('append', { stage, frames, vectors, previews: [] });
    }
  for (const [i, { stage }] of begun.entries())
    await index.call('commit', { stage, media: mediaRecord(['aa', 'bb'][i]!) });
  for (const [i, hash] of ['aa', 'bb'].entries())
    assert.ok(isNear((await pagesOf(index, cache_dir, hash, 700)).vectors, own[i]!));
});

test('what is not stored is not analysed: another model, another content, a folder that is not there', async (t) => {
  const { cache_dir, index } = await library(t);
  const gone = join(cache_dir, 'none');
  const request = { cache_dir, model_key, hash_str: 'aa', from: 0, most: 10 };
  for (const asked of [{ model_key: 'other' }, { hash_str: 'ff' }, { cache_dir: gone }]) {
    await assert.rejects(
      index.call('stored_vectors', { ...request, ...asked }),
      storeErrors.NOT_ANALYZED.is,
      JSON.stringify(asked),
    );
  }
  const none = { dimensions: 0, vectors: new Float32Array(0) };
  assert.deepEqual(await index.call('sample_vectors', { cache_dir: gone, model_key, most: 10 }), none);
  assert.deepEqual(await index.call('sample_vectors', { cache_dir, model_key: 'other', most: 10 }), none);
  const models = { models: [[], []] };
  assert.deepEqual(await index.call('analysed_by', { cache_dir: gone, hashes: ['aa', 'bb'] }), models);
  assert.deepEqual(await index.call('people_in', { cache_dir: gone, hash_str: 'aa' }), { people: [] });
  assert.equal(existsSync(gone), false);
});

test('a removed content is not analysed any more, and the last one of a model takes its vectors along', async (t) => {
  const { cache_dir, index, contents } = await library(t);
  await index.call('remove_media', { cache_dir, hashes: ['aa', 'bb'] });
  const request = { cache_dir, model_key, hash_str: 'aa', from: 0, most: 10 };
  await assert.rejects(index.call('stored_vectors', request), storeErrors.NOT_ANALYZED.is);
  assert.deepEqual(await sampleOf(index, cache_dir, 2, contents), ['2:7', '2:22']);
  await index.call('remove_media', { cache_dir, hashes: ['cc'] });
  assert.deepEqual(await sampleOf(index, cache_dir, 2, contents), []);
});

test('damaged rows are told of one content and left out of the sample, which is no reason to lose the others', async (t) => {
  const { cache_dir, index, contents, rows } = await library(t);
  await index.close();
  overwrite(rows('bb'), placeOf(rows('bb'), 2));
  const again = await indexActor(t);
  const request = { cache_dir, model_key, from: 0, most: 100 };
  await assert.rejects(
    again.call('stored_vectors', { ...request, hash_str: 'bb' }),
    (error) => storeErrors.STORE_DAMAGED.is(error) && /bb.*frame 2 /.test(error.message),
  );
  assert.ok(isNear((await pagesOf(again, cache_dir, 'cc', 100)).vectors, contents[2]!));
  const sample = await sampleOf(again, cache_dir, 12, contents);
  assert.deepEqual(
    sample.filter((one) => one.startsWith('1:')),
    ['1:0', '1:1', '1:3'],
  );
  assert.equal(sample.length, 11);
  assert.match(JSON.stringify(again.lines), /left out.*"bb"/);
});

test('a bundle that is cut or gone is damage of its content, by name', async (t) => {
  const { cache_dir, index, contents, rows } = await library(t);
  const request = { cache_dir, model_key, hash_str: 'cc', from: 0, most: 100 };
  const namesIt = (error: unknown) => storeErrors.STORE_DAMAGED.is(error) && /cc/.test(error.message);
  truncateSync(rows('cc'), placeOf(rows('cc'), 6));
  await assert.rejects(index.call('stored_vectors', request), namesIt);
  const sample = await sampleOf(index, cache_dir, 64, contents);
  assert.equal(sample.length, 40);
  assert.equal(sample.at(-1), '2:5');
  rmSync(rows('cc'));
  await assert.rejects(index.call('stored_vectors', request), namesIt);
  assert.equal((await sampleOf(index, cache_dir, 64, contents)).length, 34);
  const { models } = await index.call('analysed_by', { cache_dir, hashes: ['aa', 'cc'] });
  assert.deepEqual(models, [[model_key], []]);
});

test('a damaged record costs its own content', async (t) => {
  const { cache_dir, index, contents } = await library(t);
  await index.close();
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  environment.transact((writes) => writes.put(stageKey(model_key, 'aa'), new Uint8Array(40)));
  await environment.close();
  const again = await indexActor(t);
  const request = { cache_dir, model_key, hash_str: 'aa', from: 0, most: 10 };
  await assert.rejects(
    again.call('stored_vectors', request),
    (error) => storeErrors.STORE_DAMAGED.is(error) && /aa/.test(error.message),
  );
  assert.deepEqual(await sampleOf(again, cache_dir, 4, contents), ['1:1', '1:3', '2:7', '2:22']);
  const { models } = await again.call('analysed_by', { cache_dir, hashes: ['aa', 'bb'] });
  assert.deepEqual(models, [[], [model_key]]);
});

test('vectors that were stored again since are read from the new bundle', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const own = someFootage(40, 9);
  await store(index, cache_dir, 'aa', someFootage(40, 1));
  const reader = await indexActor(t);
  assert.equal((await pagesOf(reader, cache_dir, 'aa', 100)).frames.length, 40);
  await store(index, cache_dir, 'aa', own.slice());
  assert.equal(bundlesOf(cache_dir, 'aa').length, 1);
  assert.ok(isNear((await pagesOf(reader, cache_dir, 'aa', 100)).vectors, own));
  assert.equal((await sampleOf(reader, cache_dir, 8, [own])).length, 8);
});

test('models are told in the order in which they came to the folder, whichever was used last', async (t) => {
  const cache_dir = temporaryFolder(t);
  let now = 1000;
  const index = await indexActor(t, { now: () => now++ });
  for (const [hash, model] of [
    ['aa', 'Zeta one'],
    ['aa', 'alpha'],
    ['bb', 'alpha'],
    ['aa', 'Zeta one'],
    ['bb', 'beta'],
  ] as const)
    await store(index, cache_dir, hash, someFootage(3, 1), { model_key: model });
  const request = { cache_dir, hashes: ['bb', 'aa', 'ff'] };
  const models = [['alpha', 'beta'], ['Zeta one', 'alpha'], []];
  assert.deepEqual(await index.call('analysed_by', request), { models });
  // What the stages say stands in for a damaged record, and a record of an earlier version has no time.
  await index.close();
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  const key = modelRecordKey('beta');
  environment.transact((writes) => {
    const beta = unseal(ModelUseRow, key, writes.get(key)!, environment.file);
    writes.put(key, seal(ModelUseRow, key, { ...beta, made_ms: 0 }));
    writes.put(modelRecordKey('Zeta one'), new Uint8Array(30));
  });
  await environment.close();
  const again = await indexActor(t);
  const now2 = [['beta', 'alpha'], ['alpha', 'Zeta one'], []];
  assert.deepEqual(await again.call('analysed_by', request), { models: now2 });
});

test('a sample takes as many of each content as of the others, evenly over its time, and the same each time', async (t) => {
  const { cache_dir, index, contents } = await library(t);
  const sample = await sampleOf(index, cache_dir, 16, contents);
  assert.deepEqual(
    sample,
    ['0:2', '0:7', '0:12', '0:17', '0:22', '0:27', '1:0', '1:1', '1:2', '1:3'].concat([
      '2:2',
      '2:7',
      '2:12',
      '2:17',
      '2:22',
      '2:27',
    ]),
  );
  assert.deepEqual(await sampleOf(index, cache_dir, 16, contents), sample);
  assert.equal((await sampleOf(index, cache_dir, 8192, contents)).length, 64);
  assert.deepEqual(await sampleOf(index, cache_dir, 1, contents), ['1:2']);
  // A stage that is not committed is not there.
  const { stage } = await index.call('begin', { cache_dir, hash_str: 'dd', model_key, dimensions: d });
  await index.call('append', { stage, frames: [0], vectors: someFootage(1, 50), previews: [] });
  assert.deepEqual(await sampleOf(index, cache_dir, 16, contents), sample);
});

test('a sample can be cancelled', async (t) => {
  const { cache_dir, index } = await library(t);
  const request = { cache_dir, model_key, most: 10 };
  await assert.rejects(
    index.call('sample_vectors', request, () => true),
    /cancelled/i,
  );
});

test('shares are equal as far as there is enough of each, and use up what is wanted', () => {
  assert.deepEqual(equalShares([10, 10, 10], 9), [3, 3, 3]);
  assert.deepEqual(equalShares([1, 100, 3], 50), [1, 46, 3]);
  assert.deepEqual(equalShares([1, 2], 50), [1, 2]);
  assert.deepEqual(equalShares([], 50), []);
  for (const most of [1, 5, 17, 60, 1000]) {
    const sizes = [40, 0, 7, 19, 3, 19];
    const shares = equalShares(sizes, most);
    assert.equal(
      shares.reduce((sum, share) => sum + share, 0),
      Math.min(most, 88),
    );
    assert.ok(shares.every((share, i) => share <= sizes[i]!));
  }
  assert.deepEqual(evenly(10, 2), [2, 7]);
  assert.deepEqual(evenly(3, 9), [0, 1, 2]);
});
