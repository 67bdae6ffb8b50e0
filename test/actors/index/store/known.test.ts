import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { mediaRecord } from '../footage.ts';
import { folder, indexActor, someFootage, store } from '../handlers.ts';

test('media is found by path and by hash, whatever lies at the path now', async (t) => {
  const cache_dir = folder(t);
  const index = await indexActor(t);
  const media = mediaRecord('aa');
  await index.call('remember', { cache_dir, media });
  const found = await index.call('find', { cache_dir, paths: [media.path, '/no'], hashes: ['bb', 'aa'] });
  assert.deepEqual(found, { by_path: [media, null], by_hash: [null, media] });
  await assert.rejects(
    index.call('find', { cache_dir, paths: [], hashes: ['../x'] }),
    engineErrors.INVALID_MESSAGE.is,
  );
});

test('what is held of a file is told by where it lies, whichever model made it', async (t) => {
  const cache_dir = folder(t);
  const index = await indexActor(t);
  await store(index, cache_dir, 'aa', someFootage(3, 1), { model_key: 'other' });
  const held = await index.call('held', { cache_dir, hash_str: 'aa' });
  assert.equal(held.audio, null);
  assert.ok(held.visual?.startsWith(cache_dir) && existsSync(held.visual));
  assert.deepEqual(await index.call('held', { cache_dir, hash_str: 'bb' }), { visual: null, audio: null });
  const stored = async (model_key: string | null) =>
    (await index.call('stored', { cache_dir, model_key, hashes: ['aa', 'bb'] })).stored;
  assert.deepEqual(
    [await stored('other'), await stored('model'), await stored(null)],
    [
      [true, false],
      [false, false],
      [true, false],
    ],
  );
  assert.deepEqual(await index.call('transcribed', { cache_dir, hashes: ['aa'] }), { transcribed: [false] });
});

test('a folder that is not there holds nothing and is not made; a file in its place is an error', async (t) => {
  const index = await indexActor(t);
  const cache_dir = join(folder(t), 'none');
  const hash_str = 'aa';
  assert.deepEqual(await index.call('held', { cache_dir, hash_str }), { visual: null, audio: null });
  assert.deepEqual(await index.call('find', { cache_dir, paths: ['/a'], hashes: [] }), {
    by_path: [null],
    by_hash: [],
  });
  assert.equal(existsSync(cache_dir), false);
  writeFileSync(cache_dir, 'a file');
  await assert.rejects(index.call('held', { cache_dir, hash_str }), storeErrors.STORE_UNAVAILABLE.is);
  const under = join(cache_dir, 'under');
  await assert.rejects(index.call('held', { cache_dir: under, hash_str }), storeErrors.STORE_UNAVAILABLE.is);
});

test('the paths of a content are read once, and follow what is stored, by another process too', async (t) => {
  const cache_dir = folder(t);
  const index = await indexActor(t);
  const remember = (hash: string, path: string) =>
    index.call('remember', { cache_dir, media: mediaRecord(hash, path) });
  const paths = async (...hashes: string[]) => (await index.call('paths', { cache_dir, hashes })).paths;
  assert.deepEqual(await paths('aa'), [[]]);
  for (const path of ['/b', '/a', '/c']) await remember('aa', path);
  assert.deepEqual(await paths('aa', 'bb'), [['/a', '/b', '/c'], []]);
  const reads = t.mock.method(Environment.prototype, 'entries').mock;
  await remember('bb', '/b');
  assert.deepEqual(await paths('aa', 'bb'), [['/a', '/c'], ['/b']]);
  const other = new Store(cache_dir);
  t.after(() => other.close());
  other.media.remember(mediaRecord('bb', '/d'));
  assert.deepEqual(await paths('bb'), [['/b', '/d']]);
  assert.equal(reads.callCount(), 0);
});
