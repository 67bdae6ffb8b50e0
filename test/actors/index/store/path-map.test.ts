import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import * as here from '../../../../actors/index/store/footage-path.ts';
import { PathMap } from '../../../../actors/index/store/path-map.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { onWindows } from '../../../windows-paths.ts';
import { mediaRecord } from '../footage.ts';
import { indexActor, pathsOf, someFootage, store } from '../handlers.ts';

const root = (name: string, prefix: string, folder = prefix) => ({ name, prefix, folder, volume: null });

/** As it is stored under one map, and read by another. */
function read(path: string, by: PathMap, later: PathMap): string {
  return later.shown(by.stored(path));
}

test('paths outside every root are stored as they are', () => {
  const map = new PathMap([root('footage', '/mnt/a')]);
  assert.equal(map.stored('/home/x.mp4'), '/home/x.mp4');
  assert.equal(map.stored('/mnt/a2/x.mp4'), '/mnt/a2/x.mp4');
  assert.equal(map.shown('/mnt/a2/x.mp4'), '/mnt/a2/x.mp4');
});

test('a root that moves takes along what is stored below it', () => {
  const before = new PathMap([root('footage', '/mnt/a')]);
  const after = new PathMap([root('footage', '/mnt/a', '/media/b')]);
  assert.equal(before.stored('/mnt/a/day 1/x.mp4'), '/mnt/a/day 1/x.mp4');
  assert.equal(after.shown('/mnt/a/day 1/x.mp4'), '/media/b/day 1/x.mp4');
  assert.equal(after.stored('/media/b/day 1/x.mp4'), '/mnt/a/day 1/x.mp4');
  assert.equal(after.rootOf('/media/b/x.mp4')?.name, 'footage');
  assert.equal(after.rootOf('/mnt/a/x.mp4'), null);
});

test('what lies later where a root was is another file', () => {
  const after = new PathMap([root('footage', '/mnt/a', '/media/b')]);
  const stored = after.stored('/mnt/a/x.mp4');
  assert.notEqual(stored, after.stored('/media/b/x.mp4'));
  assert.equal(after.shown(stored), '/mnt/a/x.mp4');
  const again = new PathMap([root('footage', '/mnt/a', '/media/c')]);
  assert.equal(again.shown(stored), '/mnt/a/x.mp4');
});

test('of nested roots the innermost holds a file, wherever each of them goes', () => {
  const before = new PathMap([root('all', '/mnt/a'), root('films', '/mnt/a/films')]);
  const apart = new PathMap([root('all', '/mnt/a', '/m2'), root('films', '/mnt/a/films')]);
  assert.equal(read('/mnt/a/films/x.mp4', before, apart), '/mnt/a/films/x.mp4');
  assert.equal(read('/mnt/a/y.mp4', before, apart), '/m2/y.mp4');
  // A new folder of that name below the outer one is of the outer one.
  const later = new PathMap([root('all', '/mnt/a', '/m3'), root('films', '/mnt/a/films', '/f')]);
  assert.equal(read('/m2/films/x.mp4', apart, later), '/m3/films/x.mp4');
  assert.equal(read('/mnt/a/films/x.mp4', apart, later), '/f/x.mp4');
});

test('drives with letters become folders, and back', () => {
  const windows = new PathMap([root('footage', 'D:\\')]);
  const linux = new PathMap([root('footage', 'D:\\', '/data')]);
  assert.equal(windows.stored('D:\\day 1\\x.mp4'), 'D:\\day 1\\x.mp4');
  assert.equal(linux.shown('D:\\day 1\\x.mp4'), '/data/day 1/x.mp4');
  assert.equal(linux.stored('/data/day 2/y.mp4'), 'D:\\day 2\\y.mp4');
  assert.equal(read('/data/a\\b.mp4', linux, linux), '/data/a\\b.mp4');
});

test('a path has the same form in every map that reads it, and every form is read as the path', () => {
  const roots = [root('all', '/a', '/b'), root('in', '/a/x', '/c'), root('last', '/b/y', '/a')];
  const map = new PathMap(roots);
  for (const path of ['/a', '/a/f', '/a/x/f', '/b/f', '/b/y/f', '/b/x/f', '/c/f', '/d/f', '/a/y/f']) {
    const forms = map.forms(path);
    assert.ok(forms.length > 0, path);
    for (const form of forms) assert.equal(map.shown(form), path, form);
  }
  const all = ['/a/f', '/a/x/f', '/b/f', '/b/y/f', '/b/x/f', '/c/f', '/d/f'];
  assert.equal(new Set(all.map((path) => map.stored(path))).size, all.length);
});

test('what is stored of a root that is not known here stays readable', () => {
  const map = new PathMap([]);
  assert.equal(map.shown('/mnt/a/x.mp4'), '/mnt/a/x.mp4');
  assert.equal(map.shown('root:footage/x.mp4'), 'root:footage/x.mp4');
  assert.equal(map.shown('path:/mnt/a/x.mp4'), '/mnt/a/x.mp4');
});

test('below a root of Windows a path is stored as the root is spelled', () => {
  const map = new PathMap([root('footage', 'C:\\Footage', 'D:\\Footage')]);
  assert.equal(map.stored('d:\\FOOTAGE\\Day 1\\a.mp4'), 'C:\\Footage\\Day 1\\a.mp4');
  assert.equal(map.shown('c:\\footage\\Day 1\\a.mp4'), 'D:\\Footage\\Day 1\\a.mp4');
  assert.equal(map.rootOf('D:\\Footage2\\a.mp4'), null);
});

const windows = await onWindows<typeof here>(
  new URL('../../../../actors/index/store/footage-path.ts', import.meta.url),
);

test('on Windows a folder holds its files however it is spelled', () => {
  assert.ok(windows.isWithin('C:\\Footage\\Day 1\\a.mp4', 'c:\\footage'));
  assert.ok(windows.isWithin('C:\\Footage', 'C:\\FOOTAGE'));
  assert.ok(windows.isWithin('d:\\a.mp4', 'D:\\'));
  assert.ok(!windows.isWithin('C:\\Footage2\\a.mp4', 'c:\\footage'));
  assert.equal(
    windows.movedPath('C:\\Footage\\Day 1\\a.mp4', 'c:\\footage', 'E:\\new'),
    'E:\\new\\Day 1\\a.mp4',
  );
  assert.equal(windows.movedPath('C:\\Footage', 'c:\\footage', 'E:\\'), 'E:\\');
  assert.equal(windows.movedPath('d:\\a.mp4', 'D:\\', 'E:\\'), 'E:\\a.mp4');
});

test('elsewhere capital letters make another folder', { skip: process.platform !== 'linux' }, () => {
  assert.ok(!here.isWithin('/Footage/a.mp4', '/footage'));
  assert.ok(here.isWithin('/a.mp4', '/'));
  assert.equal(here.movedPath('/footage/a/b.mp4', '/footage', '/'), '/a/b.mp4');
  assert.equal(here.movedPath('/footage/a/b.mp4', '/', '/mnt'), '/mnt/footage/a/b.mp4');
});

test('media is found by path and by hash, whatever lies at the path now', async (t) => {
  const cache_dir = temporaryFolder(t);
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
  const cache_dir = temporaryFolder(t);
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
  const cache_dir = join(temporaryFolder(t), 'none');
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
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const remember = (hash: string, path: string) =>
    index.call('remember', { cache_dir, media: mediaRecord(hash, path) });
  const paths = (...hashes: string[]) => pathsOf(index, cache_dir, hashes);
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
