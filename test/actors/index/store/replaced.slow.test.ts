import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { framesUpTo, mediaRecord, preview } from '../footage.ts';
import { everything, type Harness, indexActor, someFootage, store } from '../handlers.ts';
import { find, loadAll, segments, transcribe } from '../transcripts/speech.ts';

const d = 32;
const one = someFootage(20, 1);
const other = someFootage(20, 2);

const load = (index: Harness, cache_dir: string) =>
  index.load({ cache_dir, model_key: 'model', hashes: null });

async function search(index: Harness, cache_dir: string): Promise<string[]> {
  const like = { text: one.slice(0, d), picture: null, text_weight: 1, exclude: null };
  const request = { cache_dir, model_key: 'model', ...like, scope: everything, max_results: 50 };
  const { matches } = await index.call('search', request);
  return [...new Set(matches.map(({ hash_str }) => hash_str))].sort();
}

async function begin(index: Harness, cache_dir: string, hash: string): Promise<number> {
  const request = { cache_dir, hash_str: hash, model_key: 'model', dimensions: d };
  const { stage } = await index.call('begin', request);
  const frames = framesUpTo(20);
  const previews = frames.map((frame) => preview(frame));
  await index.call('append', { stage, frames, vectors: Float32Array.from(other), previews });
  return stage;
}

const commit = (index: Harness, stage: number, hash: string) =>
  index.call('commit', { stage, media: mediaRecord(hash) });

/** What another process finds in a folder. */
async function storedIn(t: TestContext, cache_dir: string): Promise<string[]> {
  const reader = new Store(cache_dir);
  t.after(() => reader.close());
  const hashes = ['aa', 'bb', 'cc'];
  const stored = reader.visual.stored('model', hashes);
  return hashes.filter((_, i) => stored[i]);
}

/** A folder with `aa`, and where it can be moved to. */
async function library(t: TestContext) {
  const parent = temporaryFolder(t);
  const cache_dir = join(parent, 'analysis');
  const index = await indexActor(t);
  await store(index, cache_dir, 'aa', one);
  return { index, cache_dir, away: join(parent, 'away') };
}

/** A folder of the same kind with `bb` in it, closed. */
async function another(t: TestContext): Promise<string> {
  const made = temporaryFolder(t);
  const index = await indexActor(t);
  await store(index, made, 'bb', other);
  await transcribe(index, made, 'bb', segments([' there']));
  await index.close();
  return made;
}

test('a stage whose folder was swapped for an empty one is refused, and the next is stored where the path leads', async (t) => {
  const { index, cache_dir, away } = await library(t);
  const stage = await begin(index, cache_dir, 'bb');
  renameSync(cache_dir, away);
  mkdirSync(cache_dir);
  await assert.rejects(
    commit(index, stage, 'bb'),
    (error) => storeErrors.STORE_REPLACED.is(error) && error.message.includes(cache_dir),
  );
  assert.deepEqual(await storedIn(t, away), ['aa']);
  await store(index, cache_dir, 'cc', other);
  assert.deepEqual(await storedIn(t, cache_dir), ['cc']);
  assert.ok(index.lines.some(({ message }) => message === 'An analysis folder changed while it was open'));
});

test('frames for a folder that was swapped are refused as they come, and so are those of other stages', async (t) => {
  const { index, cache_dir, away } = await library(t);
  const stages = [await begin(index, cache_dir, 'bb'), await begin(index, cache_dir, 'cc')];
  renameSync(cache_dir, away);
  mkdirSync(cache_dir);
  const more = { frames: [20], vectors: Float32Array.from(one.slice(0, d)), previews: [] };
  await assert.rejects(index.call('append', { stage: stages[0]!, ...more }), storeErrors.STORE_REPLACED.is);
  await store(index, cache_dir, 'aa', one);
  await assert.rejects(index.call('append', { stage: stages[1]!, ...more }), storeErrors.STAGE_LOST.is);
  await assert.rejects(commit(index, stages[1]!, 'cc'), storeErrors.STAGE_LOST.is);
  assert.deepEqual(await storedIn(t, cache_dir), ['aa']);
});

test('a folder that is gone is not made anew in the middle of work, and one that comes back goes on', async (t) => {
  const { index, cache_dir, away } = await library(t);
  await load(index, cache_dir);
  renameSync(cache_dir, away);
  for (let i = 0; i < 2; i++) {
    await assert.rejects(begin(index, cache_dir, 'bb'), storeErrors.STORE_UNAVAILABLE.is);
    await assert.rejects(transcribe(index, cache_dir, 'bb', []), storeErrors.STORE_UNAVAILABLE.is);
    await assert.rejects(load(index, cache_dir), storeErrors.STORE_UNAVAILABLE.is);
  }
  renameSync(away, cache_dir);
  await store(index, cache_dir, 'bb', other);
  assert.deepEqual(await storedIn(t, cache_dir), ['aa', 'bb']);
  await load(index, cache_dir);
  assert.deepEqual(await search(index, cache_dir), ['aa', 'bb']);
});

test('a folder that is away for a moment while nothing is asked loses nothing', async (t) => {
  const { index, cache_dir, away } = await library(t);
  await load(index, cache_dir);
  const stage = await begin(index, cache_dir, 'bb');
  renameSync(cache_dir, away);
  renameSync(away, cache_dir);
  await commit(index, stage, 'bb');
  assert.deepEqual(await storedIn(t, cache_dir), ['aa', 'bb']);
  assert.deepEqual(await search(index, cache_dir), ['aa']);
});

const swaps: [string, (cache_dir: string, from: string) => void][] = [
  [
    'deleted and made anew by another process',
    (cache_dir, from) => {
      rmSync(cache_dir, { recursive: true });
      cpSync(from, cache_dir, { recursive: true });
    },
  ],
  [
    'swapped by renaming',
    (cache_dir, from) => {
      renameSync(cache_dir, `${cache_dir}-old`);
      renameSync(from, cache_dir);
    },
  ],
  [
    'with only its records replaced',
    (cache_dir, from) => {
      copyFileSync(join(from, 'records.mdb'), join(cache_dir, 'new'));
      renameSync(join(cache_dir, 'new'), join(cache_dir, 'records.mdb'));
      cpSync(join(from, 'vectors'), join(cache_dir, 'vectors'), { recursive: true });
    },
  ],
  [
    'with a backup copied over its records',
    (cache_dir, from) => {
      cpSync(join(from, 'vectors'), join(cache_dir, 'vectors'), { recursive: true });
      copyFileSync(join(from, 'records.mdb'), join(cache_dir, 'records.mdb'));
    },
  ],
];
for (const [name, swap] of swaps) {
  test(`a folder ${name} is read as it is, and nothing is answered from the old one`, async (t) => {
    const { index, cache_dir } = await library(t);
    await transcribe(index, cache_dir, 'aa', segments([' here']));
    // A backup is older: it has seen fewer transactions.
    for (let i = 0; i < 9; i++) await transcribe(index, cache_dir, 'aa', segments([' here']));
    await load(index, cache_dir);
    await loadAll(index, cache_dir);
    assert.deepEqual(
      [await search(index, cache_dir), await find(index, cache_dir, 'here')],
      [['aa'], ['aa:0']],
    );
    swap(cache_dir, await another(t));
    await assert.rejects(search(index, cache_dir), storeErrors.NOT_LOADED.is);
    await assert.rejects(find(index, cache_dir, 'here'), storeErrors.NOT_LOADED.is);
    const { media } = await index.call('media', { cache_dir });
    assert.deepEqual(
      media.map(({ identity }) => identity.hash_str),
      ['bb'],
    );
    await load(index, cache_dir);
    await loadAll(index, cache_dir);
    assert.deepEqual(
      [await search(index, cache_dir), await find(index, cache_dir, 'there')],
      [['bb'], ['bb:0']],
    );
    await store(index, cache_dir, 'cc', other);
    assert.deepEqual(await storedIn(t, cache_dir), ['bb', 'cc']);
  });
}

test('bundles that were deleted under an open stage fail its commit with a reason that passes by itself', async (t) => {
  const { index, cache_dir } = await library(t);
  const stages = [await begin(index, cache_dir, 'bb'), await begin(index, cache_dir, 'cc')];
  rmSync(join(cache_dir, 'open'), { recursive: true });
  for (const [i, hash] of ['bb', 'cc'].entries())
    await assert.rejects(commit(index, stages[i]!, hash), storeErrors.STORE_REPLACED.is);
  await store(index, cache_dir, 'bb', other);
  assert.deepEqual(await storedIn(t, cache_dir), ['aa', 'bb']);
});

test('records that are cut while they are open are refused by name, and work again when they are whole', async (t) => {
  for (const left of [0, 1, 4096, 8192, 12_288, 20_000]) {
    const { index, cache_dir } = await library(t);
    const file = join(cache_dir, 'records.mdb');
    await transcribe(index, cache_dir, 'aa', segments(Array.from({ length: 2000 }, () => ' many words')));
    const stage = await begin(index, cache_dir, 'bb');
    const whole = readFileSync(file);
    truncateSync(file, left);
    const damaged = (error: unknown) =>
      storeErrors.STORE_DAMAGED.is(error) &&
      error.message.includes('records.mdb') &&
      /backup/.test(error.message);
    await assert.rejects(commit(index, stage, 'bb'), damaged);
    for (let i = 0; i < 2; i++) {
      await assert.rejects(index.call('transcripts', { cache_dir, hashes: ['aa'] }), damaged);
      await assert.rejects(begin(index, cache_dir, 'bb'), damaged);
    }
    writeFileSync(file, whole);
    const { transcripts } = await index.call('transcripts', { cache_dir, hashes: ['aa'] });
    assert.equal(transcripts[0]?.segments.length, 2000);
  }
});
