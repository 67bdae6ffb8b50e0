import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import { contextErrors } from '../../../actors/search/contract.ts';
import {
  createTranscriptData,
  type DataKind,
  LoadedData,
  type LoadedReport,
  type LoadKey,
} from '../../../actors/search/loaded-data.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const [mine, other] = [{ cache_dir: '/mine' }, { cache_dir: '/other' }];
const whole: LoadedReport = { unreadable: [] };

/** Every load waits until the test ends it. */
function heldLoads() {
  const loads: { folder: string; done: (report: LoadedReport) => void; fail: (error: Error) => void }[] = [];
  const kind: DataKind<LoadKey, LoadedReport> = {
    same: (a, b) => a.cache_dir === b.cache_dir,
    load: ({ cache_dir: folder }) => {
      const { promise, resolve: done, reject: fail } = Promise.withResolvers<LoadedReport>();
      loads.push({ folder, done, fail });
      return promise;
    },
    open: async () => {},
    superseded: ({ cache_dir }) => contextErrors.CONTEXT_CHANGED(cache_dir),
    notLoaded: ({ cache_dir }) => storeErrors.NOT_LOADED(cache_dir),
  };
  return { data: new LoadedData(kind), loads };
}

async function loaded() {
  const held = heldLoads();
  const loading = held.data.load(mine);
  held.loads.shift()?.done({ unreadable: ['broken'] });
  await loading;
  return held;
}

test('what is loaded is named when the load has ended, with what was damaged', async () => {
  const { data, loads } = heldLoads();
  const loading = data.load({ cache_dir: '/mine/../mine' });
  assert.deepEqual([data.current, data.newest], [null, mine]);
  loads[0]!.done({ unreadable: ['broken'] });
  await loading;
  assert.deepEqual([data.current, data.newest, data.damaged], [mine, mine, ['broken']]);
  await data.require(mine);
  await assert.rejects(data.require(other), storeErrors.NOT_LOADED.is);
});

test('of two loads the newer one counts, also when it asks for what is loaded already', async () => {
  const { data, loads } = await loaded();
  const superseded = data.load(other);
  const newer = data.load(mine);
  for (const { done } of loads) done(whole);
  await assert.rejects(superseded, contextErrors.CONTEXT_CHANGED.is);
  await newer;
  assert.deepEqual(data.current, mine);
});

test('two loads of the same folder share its epoch, and both succeed', async () => {
  const { data, loads } = heldLoads();
  const both = [data.load(mine), data.load(mine)];
  for (const { done } of loads) done(whole);
  await Promise.all(both);
  assert.deepEqual(data.current, mine);
});

test('after a load that failed, what was loaded before is still there', async () => {
  const { data, loads } = await loaded();
  const failing = data.load(other);
  loads[0]!.fail(storeErrors.STORE_UNAVAILABLE());
  await assert.rejects(failing, storeErrors.STORE_UNAVAILABLE.is);
  assert.deepEqual([data.current, data.newest, data.damaged], [mine, mine, ['broken']]);
});

test('what is added is superseded by a newer load, and otherwise adds to what is damaged', async () => {
  const { data } = await loaded();
  await data.add(mine, async () => ({ unreadable: ['torn', 'broken'] }));
  assert.deepEqual(data.damaged, ['broken', 'torn']);
  const adding = data.add(mine, async () => {
    data.clear();
    return whole;
  });
  await assert.rejects(adding, contextErrors.CONTEXT_CHANGED.is);
  assert.deepEqual([data.current, data.damaged], [null, []]);
});

test('data that the index lost is loaded again once', async () => {
  const { data, loads } = await loaded();
  let calls = 0;
  const found = data.within(mine, async () => {
    if (calls++ === 0) throw storeErrors.NOT_LOADED();
    return calls;
  });
  await new Promise(setImmediate);
  loads[0]!.done(whole);
  assert.equal(await found, 2);
  const lost = data.within(mine, () => Promise.reject(storeErrors.NOT_LOADED()));
  await new Promise(setImmediate);
  loads[1]!.done(whole);
  await assert.rejects(lost, storeErrors.NOT_LOADED.is);
});

test('data that a newer load takes the place of is not loaded again', async () => {
  const { data, loads } = await loaded();
  let newer: Promise<unknown> = Promise.resolve();
  const within = data.within(mine, async () => {
    newer = data.load(other);
    throw storeErrors.NOT_LOADED();
  });
  await assert.rejects(within, storeErrors.NOT_LOADED.is);
  assert.deepEqual(
    loads.map(({ folder }) => folder),
    ['/other'],
  );
  loads[0]!.done(whole);
  await newer;
});

test('what asks for data that is being restored waits; what asks for other data is told at once', async () => {
  const { data, loads } = heldLoads();
  const model = Promise.withResolvers<void>();
  const restoring = data.restore(mine, model.promise);
  assert.equal(data.isRestoring, true);
  const answer = data.within(mine, async () => 'found');
  await assert.rejects(
    data.within(other, async () => 'found'),
    storeErrors.NOT_LOADED.is,
  );
  const stop = new AbortController();
  const left = data.within(mine, async () => 'found', stop.signal);
  stop.abort();
  await assert.rejects(left, engineErrors.CANCELLED.is);
  model.resolve();
  await model.promise.then(() => {});
  assert.equal(loads.length, 1);
  loads[0]!.done(whole);
  await restoring;
  assert.deepEqual([await answer, data.isRestoring, data.current], ['found', false, mine]);
});

test('a restore gives way to what is asked for first, and one that fails leaves nothing loaded', async () => {
  const { data, loads } = heldLoads();
  const model = Promise.withResolvers<void>();
  const restoring = data.restore(mine, model.promise);
  const loading = data.load(other);
  model.resolve();
  await assert.rejects(restoring, contextErrors.CONTEXT_CHANGED.is);
  loads[0]!.done(whole);
  await loading;
  assert.deepEqual([data.current, loads.length], [other, 1]);
  const empty = heldLoads();
  const failed = empty.data.restore(mine, Promise.reject(new Error('no model')));
  const waiting = empty.data.within(mine, async () => 'found');
  await assert.rejects(failed, /no model/);
  await assert.rejects(waiting, storeErrors.NOT_LOADED.is);
});

test('it is told when something else is loaded, or nothing any more, and only then', async () => {
  const told: (LoadKey | null)[] = [];
  const kind: DataKind<LoadKey, LoadedReport> = {
    same: (a, b) => a.cache_dir === b.cache_dir,
    load: async () => whole,
    open: async () => {},
    superseded: ({ cache_dir }) => contextErrors.CONTEXT_CHANGED(cache_dir),
    notLoaded: ({ cache_dir }) => storeErrors.NOT_LOADED(cache_dir),
  };
  const data: LoadedData<LoadKey, LoadedReport> = new LoadedData(kind, () => told.push(data.current));
  await data.load(mine);
  await data.load(mine);
  await data.load(other);
  data.clear();
  data.clear();
  assert.deepEqual(told, [mine, other, null]);
});

test('a folder that is given through a link is the one that is loaded', async (t) => {
  const parent = realpathSync(temporaryFolder(t));
  const [folder, link] = [join(parent, 'folder'), join(parent, 'link')];
  mkdirSync(folder);
  symlinkSync(folder, link, 'junction');
  const { data, loads } = heldLoads();
  const loading = data.load({ cache_dir: link });
  loads[0]!.done(whole);
  await loading;
  for (const cache_dir of [folder, link, `${link}/.`]) await data.require({ cache_dir });
  assert.deepEqual(data.current, { cache_dir: folder });
});

type Index = Parameters<typeof createTranscriptData>[0];

test('transcripts are loaded step by step until the index is done', async () => {
  let steps = 0;
  const ask = async () => ({ done: ++steps === 3, media: steps, segments: 0, unreadable: [] });
  const data = createTranscriptData({ ask } as unknown as Index);
  assert.equal((await data.load({ cache_dir: '/mine' })).media, 3);
  assert.deepEqual(data.current, { cache_dir: '/mine' });
});

test('a load stops between two steps when another folder is asked for', async () => {
  const asked: string[] = [];
  const ask = async (_: string, { cache_dir }: { cache_dir: string }) => {
    asked.push(cache_dir);
    return { done: cache_dir === '/other', media: 1, segments: 0, unreadable: [] };
  };
  const data = createTranscriptData({ ask } as unknown as Index);
  const superseded = assert.rejects(data.load({ cache_dir: '/mine' }), contextErrors.CONTEXT_CHANGED.is);
  await data.load({ cache_dir: '/other' });
  await superseded;
  assert.deepEqual(asked, ['/mine', '/other']);
  assert.deepEqual(data.current, { cache_dir: '/other' });
});
