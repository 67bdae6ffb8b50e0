import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { MediaRecord } from '../../../../actors/index/store/contract.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { type RootRecord, rootsText } from '../../../../actors/index/store/roots-file.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { everything, indexActor, someFootage, store } from '../handlers.ts';

/** An index that knows the roots of a file, in an analysis folder of its own. */
async function withRoots(t: TestContext, cache_dir = temporaryFolder(t)) {
  const rootsFile = join(temporaryFolder(t), 'roots.json');
  const index = await indexActor(t, { rootsFile });
  let written = 0;
  /** Each by its name: where it is, and how its folder was stored first. */
  const place = (roots: Readonly<Record<string, string | readonly [string, string]>>) => {
    const all = Object.entries(roots).map(([name, at]): RootRecord => {
      const [where, origin] = typeof at === 'string' ? [at, at] : at;
      return { name, folder: where, origin, volume: null, removed: false };
    });
    // Of another size each time: a clock may be too slow to tell two writes apart.
    writeFileSync(rootsFile, rootsText(all) + ' '.repeat(++written));
  };
  const remember = (media: MediaRecord) => index.call('remember', { cache_dir, media });
  const paths = async () => {
    const page = { cache_dir, under: null, offset: 0, limit: 100 };
    return (await index.call('held_media', page)).media.map(({ path }) => path);
  };
  const settle = async () => {
    for (let after: string | null = ''; after !== null; )
      ({ after } = (await index.call('settle_paths', { cache_dir, after })) as { after: string | null });
  };
  const byPath = async (...all: string[]) => {
    const { by_path } = await index.call('find', { cache_dir, paths: all, hashes: [] });
    return by_path.map((one) => one?.identity.hash_str ?? null);
  };
  return { cache_dir, index, rootsFile, place, remember, paths, settle, byPath };
}

test('what was stored before there was a root moves with it, in lists, lookups and searches', async (t) => {
  const { cache_dir, index, place, paths, byPath } = await withRoots(t);
  const one = someFootage(3, 1);
  await store(index, cache_dir, 'aa', one.slice());
  await store(index, cache_dir, 'bb', someFootage(3, 2));
  await index.load({ cache_dir, model_key: 'model', hashes: null });
  const search = async () => {
    const picture = one.slice(0, 32);
    const request = { cache_dir, model_key: 'model', text: null, picture, text_weight: 1, exclude: null };
    const { matches } = await index.call('search', { ...request, scope: everything, max_results: 50 });
    return [...new Set(matches.map(({ path }) => path))].sort();
  };
  const before = await search();
  place({ films: ['/mnt/films', '/footage'] });
  assert.deepEqual(await paths(), ['/mnt/films/aa.mp4', '/mnt/films/bb.mp4']);
  assert.deepEqual(await byPath('/mnt/films/aa.mp4', '/footage/aa.mp4'), ['aa', null]);
  assert.deepEqual(
    await search(),
    before.map((path) => path.replace('/footage', '/mnt/films')),
  );
  place({ films: ['/footage', '/footage'] });
  assert.deepEqual([await paths(), await search()], [['/footage/aa.mp4', '/footage/bb.mp4'], before]);
});

test('a file is known after its root moved, without its inode, until it is another one', async (t) => {
  const { cache_dir, index, place, remember } = await withRoots(t);
  await remember(mediaRecord('aa'));
  const known = async (path: string, changed: object = {}) => {
    const mark = { size_bytes: 1000, mtime_ms: 1.5, inode: '7', ...changed };
    return (await index.call('known', { cache_dir, path, ...mark }))?.identity ?? null;
  };
  assert.equal(await known('/footage/aa.mp4'), null);
  place({ films: ['/f', '/footage'] });
  assert.deepEqual(await known('/f/aa.mp4'), { ...mediaRecord('aa').identity, inode: '7' });
  assert.equal(await known('/f/aa.mp4', { mtime_ms: 2 }), null);
  // Read again where the root is now, its inode counts again.
  const identity = { ...mediaRecord('aa').identity, inode: '8' };
  await remember({ ...mediaRecord('aa', '/f/aa.mp4'), identity });
  assert.equal(await known('/f/aa.mp4'), null);
  assert.deepEqual(await known('/f/aa.mp4', { inode: '8' }), identity);
});

test('a file where a root was is not a file of the root', async (t) => {
  const { place, remember, paths, byPath } = await withRoots(t);
  place({ films: '/footage' });
  await remember(mediaRecord('aa'));
  place({ films: ['/f', '/footage'] });
  await remember(mediaRecord('bb', '/footage/aa.mp4'));
  assert.deepEqual(await paths(), ['/f/aa.mp4', '/footage/aa.mp4']);
  assert.deepEqual(await byPath('/f/aa.mp4', '/footage/aa.mp4'), ['aa', 'bb']);
  place({ films: ['/g', '/footage'] });
  assert.deepEqual(await paths(), ['/footage/aa.mp4', '/g/aa.mp4']);
});

test('media analysed at the new place before the root came there are of the root, and told once', async (t) => {
  const { cache_dir, index, place, remember, paths, settle, byPath } = await withRoots(t);
  place({ films: '/footage' });
  await remember(mediaRecord('aa'));
  await remember(mediaRecord('aa', '/f/aa.mp4'));
  await remember(mediaRecord('bb', '/f/bb.mp4'));
  assert.deepEqual(await paths(), ['/f/aa.mp4', '/f/bb.mp4', '/footage/aa.mp4']);
  place({ films: ['/f', '/footage'] });
  assert.deepEqual(await paths(), ['/f/aa.mp4', '/f/bb.mp4']);
  await settle();
  assert.deepEqual(await paths(), ['/f/aa.mp4', '/f/bb.mp4']);
  place({ films: ['/g', '/footage'] });
  assert.deepEqual(await paths(), ['/g/aa.mp4', '/g/bb.mp4']);
  assert.deepEqual(await byPath('/g/bb.mp4', '/f/bb.mp4'), ['bb', null]);
  await index.call('remove_media', { cache_dir, hashes: ['aa', 'bb'] });
  assert.deepEqual(await paths(), []);
  place({ films: '/footage' });
  assert.deepEqual(await paths(), []);
});

test('of nested roots the inner one holds a file, and each moves by itself', async (t) => {
  const { place, remember, paths } = await withRoots(t);
  await remember(mediaRecord('aa', '/all/films/aa.mp4'));
  await remember(mediaRecord('bb', '/all/bb.mp4'));
  place({ all: '/all', films: '/all/films' });
  place({ all: ['/m', '/all'], films: '/all/films' });
  assert.deepEqual(await paths(), ['/all/films/aa.mp4', '/m/bb.mp4']);
  await remember(mediaRecord('cc', '/m/films/cc.mp4'));
  place({ all: ['/n', '/all'], films: ['/f', '/all/films'] });
  assert.deepEqual(await paths(), ['/f/aa.mp4', '/n/bb.mp4', '/n/films/cc.mp4']);
});

test('an analysis folder of another machine keeps how its roots are stored', async (t) => {
  const first = await withRoots(t);
  first.place({ films: '/footage' });
  await first.remember(mediaRecord('aa'));
  await first.settle();
  await first.index.close();
  const second = await withRoots(t, first.cache_dir);
  assert.deepEqual(await second.paths(), ['/footage/aa.mp4']);
  second.place({ films: '/data/films' });
  await second.remember(mediaRecord('bb', '/data/films/bb.mp4'));
  assert.deepEqual(await second.paths(), ['/data/films/aa.mp4', '/data/films/bb.mp4']);
  assert.deepEqual(await second.byPath('/data/films/aa.mp4'), ['aa']);
  await second.index.close();
  const again = await withRoots(t, first.cache_dir);
  again.place({ films: '/footage' });
  assert.deepEqual(await again.paths(), ['/footage/aa.mp4', '/footage/bb.mp4']);
});

test('a path below a root moves to another one, and keeps its content', async (t) => {
  const { cache_dir, index, place, remember, paths, byPath } = await withRoots(t);
  place({ films: ['/f', '/footage'] });
  await remember(mediaRecord('aa', '/f/aa.mp4'));
  const moves = [{ from: '/f/aa.mp4', to: '/f/new/aa.mp4', volume: '/f' }];
  assert.deepEqual(await index.call('move_paths', { cache_dir, moves }), { stayed: [] });
  assert.deepEqual([await paths(), await byPath('/f/aa.mp4')], [['/f/new/aa.mp4'], [null]]);
});

test('a damaged file of roots is named, and nothing is stored by wrong paths', async (t) => {
  const { rootsFile, remember } = await withRoots(t);
  for (const text of ['{', '{"version": 2}', '{"version":1,"roots":[{}]}']) {
    writeFileSync(rootsFile, text);
    await assert.rejects(remember(mediaRecord('aa')), (error: Error) => {
      return storeErrors.ROOTS_DAMAGED.is(error) && error.message.includes(rootsFile);
    });
  }
});
