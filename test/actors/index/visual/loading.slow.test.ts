import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Store } from '../../../../actors/index/store/store.ts';
import { VisualIndex } from '../../../../actors/index/visual/visual-index.ts';
import { createLog } from '../../../../runtime/log.ts';
import { draws } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { until } from '../../../until.ts';
import { framesUpTo, mediaRecord } from '../footage.ts';
import { everything, indexActor, someFootage, store } from '../handlers.ts';

const d = 32;
const film = someFootage(600, 1);

function storeAll(library: Store, media: number, frames: number, vectors = film, dimensions = d): void {
  const hashes = Array.from({ length: media }, (_, i) => (i + 1).toString(16));
  for (const hash of hashes) {
    const stage = library.begin(hash, 'model', dimensions);
    library.append(stage, {
      frames: framesUpTo(frames),
      vectors: vectors.slice(0, frames * dimensions),
      previews: [],
    });
    library.commit(stage, mediaRecord(hash));
  }
}

function openStore(t: TestContext): Store {
  const library = new Store(temporaryFolder(t));
  t.after(() => library.close());
  return library;
}

async function loadAll(index: VisualIndex, library: Store) {
  let next: number | null = null;
  let steps = 0;
  const report = await until(() => {
    steps++;
    const step = index.load(library, 'model', null, next, () => {});
    next = step.load;
    return step.done && step;
  });
  return { steps, ...report };
}

test('vectors that were analysed again take the place of the old ones in memory', async (t) => {
  const library = openStore(t);
  const index = new VisualIndex(createLog('index', () => {}));
  t.after(() => index.drop());
  const wide = someFootage(1200, 1, 512);
  const again = async () => {
    storeAll(library, 25, 1200, wide, 512);
    assert.equal((await loadAll(index, library)).vectors, 30_000);
  };
  await again();
  const before = index.of(library, 'model').bank.memoryBytes;
  for (let i = 0; i < draws(2); i++) {
    await again();
    const { bank } = index.of(library, 'model');
    assert.equal(bank.rows, 30_000);
    // 16 MB are loaded, 4 MB are read in a step.
    assert.ok(bank.memoryBytes < before + 6e6, `${bank.memoryBytes} after ${before}`);
  }
});

test('vectors that are stored later take the place in memory of those that were removed', async (t) => {
  const library = openStore(t);
  const index = new VisualIndex(createLog('index', () => {}));
  t.after(() => index.drop());
  storeAll(library, 10, 600);
  await loadAll(index, library);
  const { bank } = index.of(library, 'model');
  library.remove(['1', '2', '3'], () => {});
  index.of(library, 'model');
  assert.equal(bank.rows, 7 * 600);
  const before = bank.memoryBytes;
  storeAll(library, 3, 600);
  assert.equal((await loadAll(index, library)).vectors, 6000);
  assert.deepEqual([bank.rows, bank.memoryBytes], [6000, before]);
});

test('a load goes on in steps; searches in between find what was loaded, and nothing of a folder that is not whole', async (t) => {
  const library = openStore(t);
  storeAll(library, 600, 1);
  const index = await indexActor(t);
  const { folder: cache_dir } = library;
  const request = { cache_dir, model_key: 'model', hashes: null };
  const like = { text: film.slice(0, d), picture: null, text_weight: 1, exclude: null };
  const search = async () => {
    const query = { cache_dir, model_key: 'model', ...like, scope: everything, max_results: 1000 };
    return (await index.call('search', query)).matches.length;
  };
  const first = await index.call('load', request);
  assert.equal(first.done, false);
  await assert.rejects(search(), { code: 'NOT_LOADED' });
  const rest = await index.call('load', { ...request, load: first.load });
  assert.equal(rest.load, first.load);
  await index.load(request);
  assert.equal(await search(), 600);
  // What is stored meanwhile is in the next load, also when this one was left in its middle.
  await index.call('load', request);
  await store(index, cache_dir, 'ffff', film.slice(0, d));
  assert.equal(await search(), 600);
  assert.equal((await index.load(request)).media, 601);
  assert.equal(await search(), 601);
});

test('media that only older models have looked at are listed until they are stored anew', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const stored = async (hash_str: string, model_key: string) => {
    const { stage } = await index.call('begin', { cache_dir, hash_str, model_key, dimensions: d });
    await index.call('append', { stage, frames: framesUpTo(2), vectors: film.slice(0, 2 * d), previews: [] });
    await index.call('commit', { stage, media: mediaRecord(hash_str) });
  };
  await stored('1', 'old');
  await stored('2', 'old');
  await stored('2', 'oldest');
  await stored('0', 'oldest');
  await stored('3', 'new');
  const request = { cache_dir, model_key: 'new', older: ['oldest', 'old'], most: 1 };
  assert.deepEqual(await index.call('outdated', request), { hashes: ['0'], count: 3 });
  await stored('0', 'new');
  await stored('1', 'new');
  assert.deepEqual(await index.call('outdated', request), { hashes: ['2'], count: 1 });
  assert.equal((await index.load({ cache_dir, model_key: 'new', hashes: null })).media, 3);
});
