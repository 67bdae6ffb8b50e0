import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { UnfinishedWork } from '../../../actors/analysis/contract.ts';
import { mediaErrors } from '../../../actors/decoder/contract.ts';
import { rootErrors, tellAway } from '../../../actors/index/roots/contract.ts';
import { libraryErrors } from '../../../actors/library/contract.ts';
import { createRoots, rootsIn } from '../../../actors/library/roots.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { mediaRecord } from '../index/footage.ts';
import { indexActor } from '../index/handlers.ts';

const { signal } = new AbortController();

/** Roots of a home folder with an index, and folders beside it. */
async function setUp(t: TestContext) {
  const base = temporaryFolder(t);
  const at = (...names: string[]) => join(base, ...names);
  const home = at('home');
  const cache_dir = join(home, 'analysis');
  mkdirSync(cache_dir, { recursive: true });
  const index = await indexActor(t, { rootsFile: join(home, 'roots.json') });
  const ask = (name: string, request: object) => index.call(name as never, request as never);
  let work: UnfinishedWork | null = null;
  const roots = createRoots({ home, cache_dir: '' }, { ask } as never, () => ({
    unfinished: async () => work,
  }));
  /** A file that is there and known. */
  const media = async (hash: string, ...names: string[]) => {
    const path = at(...names, `${hash}.mp4`);
    mkdirSync(at(...names), { recursive: true });
    writeFileSync(path, hash);
    await index.call('remember', { cache_dir, media: mediaRecord(hash, path) });
  };
  const paths = async () => {
    const page = { cache_dir, under: null, offset: 0, limit: 100 };
    return (await index.call('held_media', page)).media.map(({ path }) => path.slice(base.length + 1));
  };
  const busy = (paths: readonly string[]) => {
    work = { cache_dir: at('another'), paths: new Set(paths) };
  };
  const add = (name: string, ...names: string[]) => roots.add({ name, folder: at(...names) }, signal);
  const move = (name: string, ...names: string[]) => roots.move(name, { folder: at(...names) }, signal);
  return { base, at, home, cache_dir, index, roots, media, paths, busy, add, move };
}

test('media move with their root, with roots inside it, and stay when it is removed', async (t) => {
  const { at, roots, media, paths, add, move } = await setUp(t);
  await media('aa', 'disk');
  await media('bb', 'disk', 'films');
  await add('disk', 'disk');
  await add('films', 'disk', 'films');
  renameSync(at('disk', 'films'), at('films'));
  await move('films', 'films');
  assert.deepEqual(await paths(), ['disk/aa.mp4', 'films/bb.mp4']);
  renameSync(at('disk'), at('usb'));
  await move('disk', 'usb');
  assert.deepEqual(await paths(), ['films/bb.mp4', 'usb/aa.mp4']);
  await roots.remove('disk');
  assert.deepEqual(
    [await paths(), (await roots.list()).map(({ name }) => name)],
    [['films/bb.mp4', 'usb/aa.mp4'], ['films']],
  );
  // By another name they move on.
  await add('stick', 'usb');
  renameSync(at('usb'), at('ssd'));
  await move('stick', 'ssd');
  assert.deepEqual(await paths(), ['films/bb.mp4', 'ssd/aa.mp4']);
});

test('a root that is removed inside another one leaves its media to that one', async (t) => {
  const { at, roots, media, paths, add, move } = await setUp(t);
  await media('aa', 'disk', 'films');
  await add('films', 'disk', 'films');
  await add('disk', 'disk');
  await roots.remove('films');
  renameSync(at('disk'), at('usb'));
  await move('disk', 'usb');
  assert.deepEqual(await paths(), ['usb/films/aa.mp4']);
});

test('what was analysed in the new place before goes on with the root', async (t) => {
  const { at, media, paths, add, move } = await setUp(t);
  await media('aa', 'disk');
  await add('disk', 'disk');
  await media('bb', 'usb');
  await media('aa', 'usb');
  await move('disk', 'usb');
  assert.deepEqual(await paths(), ['usb/aa.mp4', 'usb/bb.mp4']);
  renameSync(at('usb'), at('ssd'));
  await move('disk', 'ssd');
  assert.deepEqual(await paths(), ['ssd/aa.mp4', 'ssd/bb.mp4']);
});

test('what cannot be a root is refused with the reason, and nothing is changed', async (t) => {
  const { at, cache_dir, home, roots, media, add } = await setUp(t);
  await media('aa', 'disk');
  await add('disk', 'disk');
  mkdirSync(join(home, 'inside'));
  mkdirSync(at('other analysis', 'inside'), { recursive: true });
  writeFileSync(at('other analysis', 'records.mdb'), 'records');
  writeFileSync(at('file'), '');
  symlinkSync(at('disk'), at('link'));
  const refused = async (folder: string, code: keyof typeof rootErrors, words: RegExp) => {
    const refusal = (error: Error) => rootErrors[code].is(error) && words.test(error.message);
    await assert.rejects(roots.add({ name: 'other', folder }, signal), refusal, folder);
  };
  await refused('/', 'ROOT_INVALID', /whole file system/);
  await refused(home, 'ROOT_INVALID', /is the home folder/);
  await refused(join(home, 'inside'), 'ROOT_INVALID', /is in the home folder/);
  await refused(cache_dir, 'ROOT_INVALID', /home folder/);
  await refused(at('other analysis'), 'ROOT_INVALID', /is an analysis folder/);
  await refused(at('other analysis', 'inside'), 'ROOT_INVALID', /is in the analysis folder/);
  await refused(at('file'), 'ROOT_INVALID', /is not a folder/);
  await refused(at('nowhere'), 'ROOT_INVALID', /does not exist/);
  await refused(at('disk'), 'ROOT_EXISTS', /is the root disk already/);
  await refused(at('link'), 'ROOT_EXISTS', /is the root disk already/);
  await assert.rejects(add('disk', 'other analysis', '..'), rootErrors.ROOT_EXISTS.is);
  await assert.rejects(roots.remove('other'), /there are disk/);
  assert.deepEqual(
    (await roots.list()).map(({ name, away }) => [name, away]),
    [['disk', null]],
  );
});

test('a root does not move to where none of its media is, or while a task of any folder works on them', async (t) => {
  const { at, media, paths, busy, move, add } = await setUp(t);
  await media('aa', 'disk');
  await add('disk', 'disk');
  mkdirSync(at('usb'));
  await assert.rejects(move('disk', 'usb'), (error: Error) => {
    return rootErrors.ROOT_NOT_THERE.is(error) && error.message.includes('Nothing was changed');
  });
  busy([at('disk', 'aa.mp4')]);
  await assert.rejects(move('disk', 'usb'), libraryErrors.IN_WORK.is);
  assert.deepEqual(await paths(), ['disk/aa.mp4']);
});

test('a root that is away is told by name, of its own files alone', async (t) => {
  const { at, home, roots, media, add } = await setUp(t);
  await media('aa', 'disk');
  await add('disk', 'disk');
  const path = at('disk', 'aa.mp4');
  const error = mediaErrors.FILE_NOT_FOUND(`${path}: file not found`, { path });
  assert.equal(await tellAway(roots, error), error);
  rmSync(path);
  assert.match((await roots.awayOf(path))?.away ?? '', /is empty: its volume may not be mounted/);
  rmdirSync(at('disk'));
  assert.deepEqual(await rootsIn(join(home, 'roots.json')), [
    { name: 'disk', folder: at('disk'), away: 'does not exist' },
  ]);
  assert.match(String(await tellAway(roots, error)), /root disk is away: .*disk does not exist/);
  const other = mediaErrors.FILE_NOT_FOUND('other', { path: at('other.mp4') });
  assert.equal(await tellAway(roots, other), other);
});

test('roots that are added at once by several all stay', async (t) => {
  const { at, roots, add } = await setUp(t);
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) mkdirSync(at(name));
  await Promise.all(names.map((name) => add(name, name)));
  assert.deepEqual(
    (await roots.list()).map(({ name }) => name),
    names,
  );
});
