import assert from 'node:assert/strict';
import test from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { contextErrors, type SearchContext, TextSearch } from '../../../../actors/search/contract.ts';
import { visualModelErrors } from '../../../../actors/search/models/contract.ts';
import { VisualData } from '../../../../actors/search/visual/visual-data.ts';
import { filled } from '../../../filled.ts';
import { world } from '../../analysis/fakes.ts';

type Location = ConstructorParameters<typeof VisualData>[0];

const question = filled(TextSearch, { cache_dir: '/cache', query: 'four', max_results: 5 });

test('nothing is loaded and nothing is found before there is a visual model', async () => {
  const w = await world([{ name: 'a', frames: 3 }]);
  await assert.rejects(w.search.load('/cache'), visualModelErrors.NO_VISUAL_MODEL.is);
  await assert.rejects(w.search.text(question), visualModelErrors.NO_VISUAL_MODEL.is);
  const loading = w.search.models.load('fake');
  assert.equal(w.search.models.state.load_status, 'loading');
  assert.throws(() => w.search.models.active(), visualModelErrors.MODELS_LOADING.is);
  await assert.rejects(w.search.models.load('other'), visualModelErrors.MODELS_LOADING.is);
  assert.equal((await loading).model_key, 'fake');
  await assert.rejects(w.search.text(question), storeErrors.NOT_LOADED.is);
  await w.search.load('/cache');
  await w.run();
  assert.equal((await w.search.text(question)).matches.length, 1);
  await w.end();
});

test('media is added to the folder that is loaded, and to no other', async () => {
  const w = await world([{ name: 'a', frames: 3 }]);
  await w.run();
  await w.search.models.load('fake');
  const report = await w.search.loadMedia('/cache/', [...w.paths, '/unknown']);
  assert.deepEqual(report.missing, ['/unknown']);
  assert.equal(w.search.loaded?.cache_dir, '/cache');
  await assert.rejects(w.search.loadMedia('/other', w.paths), contextErrors.CONTEXT_MISMATCH.is);
  assert.equal((await w.search.text(question)).matches.length, 1);
  await w.search.load('/other');
  await assert.rejects(w.search.text(question), storeErrors.NOT_LOADED.is);
  await w.end();
});

test('some media are loaded and searched without a look at all that the folder knows', async () => {
  const w = await world([{ name: 'a', frames: 3 }]);
  await w.run();
  await w.open();
  await w.search.loadMedia('/cache', w.paths);
  await w.search.frame({ ...question, media_path: w.paths[0]!, time_seconds: 1 });
  assert.equal(w.state.listed, 0);
  await w.end();
});

test('a load that another folder overtakes says so, and the other folder is what is loaded', async () => {
  const w = await world([]);
  await w.search.models.load('fake');
  const first = assert.rejects(w.search.load('/first'), contextErrors.CONTEXT_CHANGED.is);
  const second = w.search.load('/second');
  await Promise.all([first, second]);
  assert.equal(w.search.loaded?.cache_dir, '/second');
  await w.end();
});

test('nothing is added to a folder that is giving way to another one', async () => {
  const load = { done: true, load: 1, media: 0, vectors: 0, missing: [], unreadable: [] };
  const data = new VisualData({ index: { ask: async () => load } } as unknown as Location);
  await data.load({ cache_dir: '/mine', model_key: 'fake' });
  const other = data.load({ cache_dir: '/other', model_key: 'fake' });
  const adding = data.loadMedia({ cache_dir: '/mine', model_key: 'fake' }, ['abc']);
  await assert.rejects(adding, contextErrors.CONTEXT_MISMATCH.is);
  await other;
  assert.equal(data.current?.cache_dir, '/other');
});

test('a search that another folder overtakes does not bring its own folder back', async () => {
  const load = { done: true, load: 1, media: 0, vectors: 0, missing: [], unreadable: [] };
  const location = { index: { ask: async () => load } } as unknown as Location;
  const data = new VisualData(location);
  const [mine, other] = ['/mine', '/other'].map((cache_dir) => ({ cache_dir, model_key: 'fake' })) as [
    SearchContext,
    SearchContext,
  ];
  for (const overtake of [() => data.load(other), async () => void data.load(other)]) {
    await data.load(mine);
    let asked = 0;
    const search = async () => {
      if (asked++ > 0) return;
      await overtake();
      throw storeErrors.NOT_LOADED();
    };
    await assert.rejects(data.within(mine, search), storeErrors.NOT_LOADED.is);
    await new Promise(setImmediate);
    assert.equal(data.current?.cache_dir, '/other');
  }
});

test('a model that gives way to the one in use is named, and what was loaded by that one stays', async () => {
  const w = await world([]);
  await w.open();
  const state = await w.search.models.load('big');
  assert.equal(state.model_key, 'fake');
  assert.equal(state.fallback_from, 'big');
  assert.equal(state.requested_model_key, 'big');
  assert.equal(w.search.loaded?.cache_dir, '/cache');
  await w.end();
});

test('another model clears what was loaded, which has to be loaded again', async () => {
  const w = await world([{ name: 'a', frames: 3 }]);
  await w.run();
  await w.open();
  assert.equal((await w.search.text(question)).matches.length, 1);
  await w.search.models.load('second');
  assert.equal(w.search.loaded, null);
  await assert.rejects(w.search.text(question), storeErrors.NOT_LOADED.is);
  await w.search.loadMedia('/cache', w.paths);
  assert.deepEqual(w.search.loaded, { cache_dir: '/cache', model_key: 'second' });
  assert.equal((await w.search.text(question)).matches.length, 1);
  await w.end();
});

test('a load that a change of the model overtakes says so, and nothing is loaded', async () => {
  const report = { done: true, load: 1, media: 1, vectors: 1, missing: [], unreadable: [] };
  const request = { cache_dir: '/cache', model_key: 'fake' };
  for (const add of [false, true]) {
    const held = Promise.withResolvers<typeof report>();
    let loads: Promise<unknown> = Promise.resolve(report);
    const ask = async (name: string) => (name === 'load' ? loads : {});
    const data = new VisualData({ index: { ask } } as unknown as Location);
    if (add) await data.load(request);
    loads = held.promise;
    const loading = add ? data.loadMedia(request, ['a']) : data.load(request);
    const overtaken = assert.rejects(loading, contextErrors.CONTEXT_CHANGED.is);
    await data.drop();
    held.resolve(report);
    await overtaken;
    assert.equal(data.current, null);
  }
});

test('a load tells which files only an older version of the model has looked at', async () => {
  const asked: unknown[] = [];
  const ask = async (name: string, request: unknown) => {
    if (name !== 'outdated')
      return { done: true, load: null, media: 0, vectors: 0, missing: [], unreadable: [] };
    asked.push(request);
    return { hashes: ['a'], count: 7 };
  };
  const data = new VisualData({ index: { ask } } as unknown as Location);
  await data.load({ cache_dir: '/cache', model_key: 'fake' });
  assert.deepEqual([data.outdated, asked], [{ hashes: [], count: 0 }, []]);
  await data.load({ cache_dir: '/cache', model_key: 'starter-visual-3' });
  assert.deepEqual(data.outdated, { hashes: ['a'], count: 7 });
  assert.deepEqual(asked, [
    {
      cache_dir: '/cache',
      model_key: 'starter-visual-3',
      older: ['starter-visual', 'starter-visual-2'],
      most: 5,
    },
  ]);
});

test('what was analysed again and is added is not outdated any more', async () => {
  let count = 1;
  const load = { done: true, load: null, media: 0, vectors: 0, missing: [], unreadable: [] };
  const ask = async (name: string) =>
    name === 'outdated' ? { hashes: ['a'].slice(1 - count), count } : load;
  const data = new VisualData({ index: { ask } } as unknown as Location);
  const request = { cache_dir: '/cache', model_key: 'starter-visual-3' };
  await data.load(request);
  assert.deepEqual(data.outdated, { hashes: ['a'], count: 1 });
  count = 0;
  await data.loadMedia(request, ['a']);
  assert.deepEqual(data.outdated, { hashes: [], count: 0 });
});

test('what is outdated in a folder is not told of the one that took its place', async () => {
  const load = { done: true, load: null, media: 0, vectors: 0, missing: [], unreadable: [] };
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<{ hashes: string[]; count: number }>();
  const ask = async (name: string, { cache_dir }: { cache_dir: string }) => {
    if (name !== 'outdated') return load;
    if (cache_dir === '/other') return { hashes: [], count: 0 };
    asked.resolve();
    return held.promise;
  };
  const data = new VisualData({ index: { ask } } as unknown as Location);
  const late = data.load({ cache_dir: '/mine', model_key: 'starter-visual-3' });
  await asked.promise;
  await data.load({ cache_dir: '/other', model_key: 'starter-visual-3' });
  held.resolve({ hashes: ['a'], count: 1 });
  await assert.rejects(late, contextErrors.CONTEXT_CHANGED.is);
  assert.deepEqual(data.outdated, { hashes: [], count: 0 });
});
