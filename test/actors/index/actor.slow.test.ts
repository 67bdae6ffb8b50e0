import assert from 'node:assert/strict';
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { mediaRecord, preview } from './footage.ts';
import { everything, indexActor, someFootage, store } from './handlers.ts';

const d = 32;
const row = (vectors: Float32Array, frame: number) => vectors.slice(frame * d, (frame + 1) * d);
const query = (cache_dir: string, text: Float32Array, more = {}) => ({
  cache_dir,
  model_key: 'model',
  text: Float32Array.from(text),
  picture: null,
  text_weight: 1,
  exclude: null,
  scope: everything,
  max_results: 5,
  ...more,
});

test('a frame stored, loaded and asked for by its own vector is the first match, with its scene and preview', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  const [a, b] = [someFootage(40, 1), someFootage(24, 2)];
  await store(index, cache_dir, 'aa', a);
  await store(index, cache_dir, 'bb', b);
  const report = await index.load({ cache_dir, model_key: 'model', hashes: null });
  assert.deepEqual(report, { media: 2, vectors: 64, missing: [], unreadable: [] });
  const { matches, searched } = await index.call('search', query(cache_dir, row(b, 13)));
  assert.equal(searched, 64);
  const first = matches[0]!;
  assert.deepEqual(
    [first.hash_str, first.path, first.frame_index, first.scene_start, first.scene_end, first.original_index],
    ['bb', '/footage/bb.mp4', 13, 8, 16, 0],
  );
  const { previews } = await index.call('previews', {
    cache_dir,
    frames: [
      { hash_str: 'bb', frame_index: 13 },
      { hash_str: 'cc', frame_index: 0 },
      { hash_str: 'aa', frame_index: 39 },
    ],
  });
  assert.deepEqual(previews, [preview(13), null, preview(39)]);
});

test('a folder given through a link is the same folder, in writing, loading and searching', async (t) => {
  const index = await indexActor(t);
  const cache_dir = join(temporaryFolder(t), 'not-yet');
  const link = join(temporaryFolder(t), 'link');
  symlinkSync(dirname(cache_dir), link, 'junction');
  const linked = join(link, 'not-yet');
  const begin = { hash_str: 'aa', model_key: 'model', dimensions: d };
  const { stage } = await index.call('begin', { cache_dir, ...begin });
  // The same stage of the same folder: the first one gives way, as it does without a link.
  await store(index, linked, 'aa', someFootage(5, 1));
  await assert.rejects(index.call('commit', { stage, media: mediaRecord('aa') }), storeErrors.STAGE_LOST.is);
  await index.load({ cache_dir: linked, model_key: 'model', hashes: null });
  const asked = query(cache_dir, row(someFootage(5, 1), 2));
  assert.equal((await index.call('search', asked)).matches[0]?.frame_index, 2);
  const held = await index.call('held', { cache_dir: linked, hash_str: 'aa' });
  assert.equal(held.visual, join(linked, 'vectors'));
});

test('what was stored before a restart is known, stored and found after it', async (t) => {
  const cache_dir = temporaryFolder(t);
  const vectors = someFootage(20, 3);
  const first = await indexActor(t);
  await store(first, cache_dir, 'aa', vectors);
  await first.close();
  const second = await indexActor(t);
  const media = mediaRecord('aa');
  const mark = { cache_dir, path: media.path, size_bytes: 1000, mtime_ms: 1.5, inode: '42' };
  assert.deepEqual(await second.call('known', mark), media);
  assert.equal(await second.call('known', { ...mark, size_bytes: 1001 }), null);
  assert.deepEqual(await second.call('media', { cache_dir }), { media: [media] });
  const { stored } = await second.call('stored', { cache_dir, model_key: 'model', hashes: ['aa', 'bb'] });
  assert.deepEqual(stored, [true, false]);
  const { vector } = await second.call('vector', {
    cache_dir,
    model_key: 'model',
    hash_str: 'aa',
    frame_index: 7,
  });
  assert.ok(vector!.every((value, i) => Math.abs(value - row(vectors, 7)[i]!) < 2e-5));
});

test('a file whose content may have changed at the same size and time is not known', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const older = mediaRecord('aa');
  const media = { ...older, identity: { ...older.identity, ctime_ms: 7.5 } };
  const { path } = media;
  const mark = { cache_dir, path, size_bytes: 1000, mtime_ms: 1.5, inode: '42' };
  await index.call('remember', { cache_dir, media });
  assert.deepEqual(await index.call('known', { ...mark, ctime_ms: 7.5 }), media);
  assert.equal(await index.call('known', { ...mark, ctime_ms: 8 }), null);
  assert.deepEqual(await index.call('known', mark), media);
  await index.call('remember', { cache_dir, media: older });
  assert.deepEqual(await index.call('known', { ...mark, ctime_ms: 8 }), older);
});

test('nothing of an aborted or unfinished stage can be seen', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const begun = { cache_dir, hash_str: 'aa', model_key: 'model', dimensions: d };
  const { stage } = await index.call('begin', begun);
  await index.call('append', {
    stage,
    frames: [0],
    vectors: row(someFootage(1, 1), 0),
    previews: [preview(0)],
  });
  const request = { cache_dir, model_key: 'model', hashes: ['aa'] };
  assert.deepEqual((await index.call('stored', request)).stored, [false]);
  await index.call('abort', { stage });
  assert.deepEqual((await index.load(request)).missing, ['aa']);
  assert.deepEqual(await index.call('abort', { stage }), {});
});

test('a stage number of an earlier life of the index is lost, and never names a stage of this one', async (t) => {
  const cache_dir = temporaryFolder(t);
  const begin = { cache_dir, model_key: 'model', dimensions: d };
  const first = await indexActor(t);
  const { stage: old } = await first.call('begin', { ...begin, hash_str: 'aa' });
  await first.close();
  const second = await indexActor(t);
  const { stage } = await second.call('begin', { ...begin, hash_str: 'bb' });
  assert.notEqual(stage, old);
  const chunk = { frames: [0], vectors: someFootage(1, 1), previews: [] };
  await assert.rejects(second.call('append', { stage: old, ...chunk }), storeErrors.STAGE_LOST.is);
  const commit = { stage: old, media: mediaRecord('aa') };
  await assert.rejects(second.call('commit', commit), storeErrors.STAGE_LOST.is);
  await second.call('append', { stage, ...chunk });
  assert.deepEqual(await second.call('commit', { stage, media: mediaRecord('bb') }), { vectors: 1 });
});

test('a second begin of the same file and model takes the place of the first', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const begin = { cache_dir, hash_str: 'aa', model_key: 'model', dimensions: d };
  const { stage: left } = await index.call('begin', begin);
  const { stage } = await index.call('begin', begin);
  const chunk = { frames: [0], vectors: someFootage(1, 1), previews: [] };
  await assert.rejects(index.call('append', { stage: left, ...chunk }), storeErrors.STAGE_LOST.is);
  assert.deepEqual(await index.call('abort', { stage: left }), {});
  await index.call('append', { stage, ...chunk });
  assert.deepEqual(await index.call('commit', { stage, media: mediaRecord('aa') }), { vectors: 1 });
});

test('a load takes only what is missing, and another model or folder drops what was loaded', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await store(index, cache_dir, 'aa', someFootage(10, 1));
  await store(index, cache_dir, 'bb', someFootage(12, 2));
  await store(index, cache_dir, 'aa', someFootage(7, 3, 16), { model_key: 'other', dimensions: 16 });
  const load = (model_key: string, hashes: string[] | null) => index.load({ cache_dir, model_key, hashes });
  assert.equal((await load('model', ['aa', 'ff'])).vectors, 10);
  assert.equal((await load('model', ['bb'])).vectors, 22);
  assert.equal((await load('model', null)).vectors, 22);
  assert.equal((await load('other', null)).vectors, 7);
  await assert.rejects(
    index.call('search', query(cache_dir, new Float32Array(d))),
    storeErrors.NOT_LOADED.is,
  );
  const other = query(cache_dir, new Float32Array(d), { model_key: 'other' });
  await assert.rejects(index.call('search', other), storeErrors.WRONG_DIMENSIONS.is);
  await index.call('drop', {});
  await assert.rejects(
    index.call('search', query(cache_dir, new Float32Array(d))),
    storeErrors.NOT_LOADED.is,
  );
});

test('a stage that is stored again replaces what was loaded of it', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const load = () => index.load({ cache_dir, model_key: 'model', hashes: null });
  await store(index, cache_dir, 'aa', someFootage(10, 1));
  await load();
  const again = someFootage(30, 9);
  await store(index, cache_dir, 'aa', again);
  assert.deepEqual(await load(), { media: 1, vectors: 30, missing: [], unreadable: [] });
  const { matches } = await index.call('search', query(cache_dir, row(again, 21)));
  assert.equal(matches[0]!.frame_index, 21);
});

test('a cancelled load or search ends and leaves what was loaded', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const vectors = someFootage(10, 1);
  await store(index, cache_dir, 'aa', vectors);
  await index.load({ cache_dir, model_key: 'model', hashes: null });
  await store(index, cache_dir, 'bb', someFootage(10, 2));
  const load = { cache_dir, model_key: 'model', hashes: null };
  await assert.rejects(
    index.load(load, () => true),
    engineErrors.CANCELLED.is,
  );
  await assert.rejects(
    index.call('search', query(cache_dir, row(vectors, 0)), () => true),
    engineErrors.CANCELLED.is,
  );
  assert.equal((await index.call('search', query(cache_dir, row(vectors, 0)))).searched, 10);
  assert.equal((await index.load(load)).vectors, 20);
});

test('a refused append takes nothing and the stage goes on', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const vectors = someFootage(4, 1);
  const { stage } = await index.call('begin', {
    cache_dir,
    hash_str: 'aa',
    model_key: 'model',
    dimensions: d,
  });
  const append = (
    frames: number[],
    values: Float32Array<ArrayBuffer>,
    previews: Uint8Array<ArrayBuffer>[] = [],
  ) => index.call('append', { stage, frames, vectors: values, previews });
  await append([3, 5], vectors.slice(0, 2 * d));
  await assert.rejects(append([5], row(vectors, 0)), engineErrors.INVALID_MESSAGE.is);
  await assert.rejects(append([6], vectors.slice(0, 5)), storeErrors.WRONG_DIMENSIONS.is);
  await assert.rejects(append([6], new Float32Array(d).fill(Number.NaN)), engineErrors.INVALID_MESSAGE.is);
  await assert.rejects(
    append([6, 7], vectors.slice(0, 2 * d), [preview(6)]),
    engineErrors.INVALID_MESSAGE.is,
  );
  await append([9], row(vectors, 3));
  assert.deepEqual(await index.call('commit', { stage, media: mediaRecord('aa') }), { vectors: 3 });
  const at = { cache_dir, model_key: 'model', hash_str: 'aa' };
  assert.equal((await index.call('vector', { ...at, frame_index: 4 })).vector, null);
  assert.ok((await index.call('vector', { ...at, frame_index: 9 })).vector);
});

test('hashes and model keys from outside never become other paths', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const begin = (hash_str: string, model_key: string) =>
    index.call('begin', { cache_dir, hash_str, model_key, dimensions: d });
  await assert.rejects(begin('../../etc', 'model'), engineErrors.INVALID_MESSAGE.is);
  await assert.rejects(begin('aa', ''), engineErrors.INVALID_MESSAGE.is);
  await store(index, cache_dir, 'aa', someFootage(3, 1), { model_key: '../Bösé/\u0000 model'.repeat(30) });
  const { stored } = await index.call('stored', {
    cache_dir,
    model_key: '../Bösé/\u0000 model'.repeat(30),
    hashes: ['aa'],
  });
  assert.deepEqual(stored, [true]);
});

test('a search of one folder never gets matches of another that was loaded since', async (t) => {
  const [one, two] = [temporaryFolder(t), temporaryFolder(t)];
  const index = await indexActor(t);
  const vectors = someFootage(10, 1);
  for (const [cache_dir, hash] of [
    [one, 'aa'],
    [two, 'bb'],
  ] as const) {
    await store(index, cache_dir, hash, vectors);
    await index.load({ cache_dir, model_key: 'model', hashes: null });
  }
  await assert.rejects(
    index.call('search', query(one, row(vectors, 3))),
    (error) =>
      storeErrors.NOT_LOADED.is(error) && error.message.includes(one) && error.message.includes('model'),
  );
  const { matches } = await index.call('search', query(`${two}/.`, row(vectors, 3)));
  assert.deepEqual([matches[0]!.hash_str, matches[0]!.frame_index], ['bb', 3]);
});

const descriptors = '/proc/self/fd';
test('the files that a load holds open do not grow with the number of loads', {
  skip: existsSync(descriptors) ? false : 'this system does not list open files',
}, async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const counts: number[] = [];
  for (let round = 0; round < 60; round++) {
    await store(index, cache_dir, `a${round}`, someFootage(2, round));
    await index.load({ cache_dir, model_key: 'model', hashes: null });
    counts.push(readdirSync(descriptors).length);
  }
  assert.ok(counts.at(-1)! <= counts[1]!, `${counts[1]} became ${counts.at(-1)}`);
});
