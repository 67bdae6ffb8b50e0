import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { loadInSteps } from '../../../../actors/search/loaded-data.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord, preview } from '../footage.ts';
import { bundlesOf, everything, type Harness, indexActor, pathsOf, someFootage, store } from '../handlers.ts';

const mark = {
  model_key: 'm',
  language: null,
  spoken: 'en',
  channels: null,
  detect_speakers: true,
  speaker_count: 'auto',
};
const segments = (text: string) => [{ start_seconds: 0, end_seconds: 1, text, speaker: 'SPEAKER_00' }];

async function speak(index: Harness, cache_dir: string, hash: string, text: string) {
  await index.call('transcribe', { cache_dir, media: mediaRecord(hash), mark, segments: segments(text) });
}

async function loadSpeech(index: Harness, cache_dir: string) {
  await loadInSteps(
    (load) => index.call('load_transcripts', { cache_dir, load }),
    () => {},
  );
}

const list = (index: Harness, cache_dir: string, under: string | null = null) =>
  index.call('held_media', { cache_dir, under, offset: 0, limit: 100 });

const found = async (index: Harness, cache_dir: string, vectors: Float32Array<ArrayBuffer>) => {
  const picture = vectors.slice(0, 32);
  const request = { cache_dir, model_key: 'model', text: null, picture, text_weight: 1, exclude: null };
  const { matches } = await index.call('search', { ...request, scope: everything, max_results: 50 });
  return [...new Set(matches.map(({ path }) => path))].sort();
};

const heard = async (index: Harness, cache_dir: string, query: string) => {
  const scope = { hashes: null, ranges: {}, filters: [] };
  const request = { cache_dir, query, speaker_name: null, scope, max_results: 50 };
  return (await index.call('search_transcripts', request)).matches.map(({ path }) => path);
};

async function twoFilms(t: TestContext) {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t, { now: () => 1_700_000_000_000 });
  const [one, two] = [someFootage(30, 1), someFootage(40, 2)];
  await store(index, cache_dir, 'aa', one.slice());
  await store(index, cache_dir, 'bb', two.slice());
  await speak(index, cache_dir, 'aa', ' hello there');
  await speak(index, cache_dir, 'bb', ' hello you');
  const assignments = [{ speaker: 'SPEAKER_00', name: 'Ada' }];
  await index.call('name_speakers', { cache_dir, hash_str: 'aa', assignments });
  await index.load({ cache_dir, model_key: 'model', hashes: null });
  await loadSpeech(index, cache_dir);
  return { cache_dir, index, one, two };
}

test('a listing says what is stored of each media, by which model and when, a page at a time', async (t) => {
  const { cache_dir, index } = await twoFilms(t);
  const { total, media } = await list(index, cache_dir);
  assert.equal(total, 2);
  const [first] = media;
  const stored_ms = 1_700_000_000_000;
  assert.deepEqual(
    { path: first?.path, results: first?.results, unreadable: first?.unreadable },
    {
      path: '/footage/aa.mp4',
      results: [
        { type: 'video', model_key: 'model', count: 30, stored_ms },
        { type: 'previews', model_key: null, count: 30, stored_ms: null, bytes: first?.results[1]?.bytes },
        { type: 'speech', model_key: 'm', count: 1, stored_ms, speech: { language: 'en', speakers: 1 } },
      ],
      unreadable: [],
    },
  );
  assert.ok(first!.results[1]!.bytes! > 0);
  const page = await index.call('held_media', { cache_dir, under: null, offset: 1, limit: 1 });
  assert.deepEqual([page.total, page.media.map(({ path }) => path)], [2, ['/footage/bb.mp4']]);
  assert.equal((await list(index, cache_dir, '/footage')).total, 2);
  assert.equal((await list(index, cache_dir, '/foot')).total, 0);
  assert.equal((await list(index, cache_dir, '/footage/aa.mp4')).total, 1);
});

test('a content of which another one took the place is listed as replaced', async (t) => {
  const { cache_dir, index } = await twoFilms(t);
  await index.call('remember', { cache_dir, media: mediaRecord('cc', '/footage/aa.mp4') });
  const { media } = await list(index, cache_dir);
  assert.deepEqual(
    media.map(({ hash_str, path, replaced }) => [hash_str, path, replaced]),
    [
      ['aa', '/footage/aa.mp4', true],
      ['cc', '/footage/aa.mp4', false],
      ['bb', '/footage/bb.mp4', false],
    ],
  );
});

test('only what is really analysed is counted in a folder, not what is known and failed', async (t) => {
  const { cache_dir, index } = await twoFilms(t);
  await index.call('remember', { cache_dir, media: mediaRecord('cc', '/footage/broken.mp4') });
  await index.call('remember', { cache_dir, media: mediaRecord('dd', '/other/deep/broken.mp4') });
  await speak(index, cache_dir, 'ee', ' only heard');
  const names = ['footage', 'other', 'nothing'];
  const { counts } = await index.call('held_below', { cache_dir, within: '/', names });
  assert.deepEqual(counts, [3, 0, 0]);
  const { folders } = await index.call('held_folders', { cache_dir });
  assert.deepEqual(folders, [
    { path: '/footage', analysed: 3 },
    { path: '/other/deep', analysed: 0 },
  ]);
});

test('what is removed is stored, listed and found no more; the rest stays', async (t) => {
  const { cache_dir, index, one, two } = await twoFilms(t);
  assert.deepEqual(await found(index, cache_dir, one), ['/footage/aa.mp4', '/footage/bb.mp4']);
  await index.call('remove_media', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(await found(index, cache_dir, one), ['/footage/bb.mp4']);
  assert.deepEqual(await found(index, cache_dir, two), ['/footage/bb.mp4']);
  assert.deepEqual(await heard(index, cache_dir, 'hello'), ['/footage/bb.mp4']);
  assert.deepEqual(
    (await list(index, cache_dir)).media.map(({ hash_str }) => hash_str),
    ['bb'],
  );
  const { by_path, by_hash } = await index.call('find', {
    cache_dir,
    paths: ['/footage/aa.mp4'],
    hashes: ['aa'],
  });
  assert.deepEqual([by_path, by_hash], [[null], [null]]);
  const previews = readdirSync(join(cache_dir, 'previews'), { recursive: true }).map(String);
  assert.ok(!previews.some((name) => name.includes('aa.')), previews.join());
  const { models } = await index.call('held_models', { cache_dir });
  assert.deepEqual(models, [{ model_key: 'model', dimensions: 32, rows: 40, dead: 0 }]);
  // Analysed again it has no names of before.
  await speak(index, cache_dir, 'aa', ' again');
  const { transcripts } = await index.call('transcripts', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(transcripts[0]?.names, {});
});

test('paths are right after many removals, with changes by another process between them', async (t) => {
  const cache_dir = temporaryFolder(t);
  const [index, other] = [await indexActor(t), await indexActor(t)];
  const remember = (by: Harness, hash: string, path: string) =>
    by.call('remember', { cache_dir, media: mediaRecord(hash, path) });
  const hashes = ['aa', 'bb', 'cc', 'dd'];
  for (const hash of hashes) await remember(index, hash, `/footage/${hash}.mp4`);
  const paths = () => pathsOf(index, cache_dir, hashes);
  await index.call('remove_media', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(await paths(), [[], ['/footage/bb.mp4'], ['/footage/cc.mp4'], ['/footage/dd.mp4']]);
  await remember(other, 'dd', '/footage/bb.mp4');
  await index.call('remove_media', { cache_dir, hashes: ['bb'] });
  await other.call('remove_media', { cache_dir, hashes: ['cc'] });
  await remember(index, 'aa', '/footage/aa.mp4');
  const both = ['/footage/bb.mp4', '/footage/dd.mp4'];
  assert.deepEqual(await paths(), [['/footage/aa.mp4'], [], [], both]);
  assert.deepEqual(
    (await list(index, cache_dir)).media.map(({ path }) => path),
    ['/footage/aa.mp4', ...both],
  );
});

test('another process that has it loaded finds it no more', async (t) => {
  const { cache_dir, index, one } = await twoFilms(t);
  const other = await indexActor(t);
  await other.call('remove_media', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(await found(index, cache_dir, one), ['/footage/bb.mp4']);
  assert.deepEqual(await heard(index, cache_dir, 'hello'), ['/footage/bb.mp4']);
  assert.deepEqual(await pathsOf(index, cache_dir, ['aa']), [[]]);
});

test('vectors and previews of removed media leave the disk at once', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await store(index, cache_dir, 'aa', someFootage(60, 1));
  await store(index, cache_dir, 'bb', someFootage(20, 2));
  await index.call('remove_media', { cache_dir, hashes: ['aa'] });
  const { models } = await index.call('held_models', { cache_dir });
  assert.deepEqual(models, [{ model_key: 'model', dimensions: 32, rows: 20, dead: 0 }]);
  for (const kind of ['vectors', 'previews'] as const) {
    assert.deepEqual(bundlesOf(cache_dir, 'aa', kind), []);
    assert.equal(bundlesOf(cache_dir, 'bb', kind).length, 1);
  }
  const load = { cache_dir, model_key: 'model', hashes: null };
  assert.deepEqual(await index.load(load), { media: 1, vectors: 20, missing: [], unreadable: [] });
});

test('a media that is being written is not removed, and a folder that another process writes is left alone', async (t) => {
  const { cache_dir, index } = await twoFilms(t);
  const begin = { cache_dir, hash_str: 'aa', model_key: 'model', dimensions: 32 };
  const { stage } = await index.call('begin', begin);
  await assert.rejects(index.call('remove_media', { cache_dir, hashes: ['aa'] }), (error: Error) => {
    return storeErrors.MEDIA_IN_WORK.is(error) && error.message.includes('/footage/aa.mp4');
  });
  // Another content may go meanwhile, and the stage goes on.
  await index.call('remove_media', { cache_dir, hashes: ['bb'] });
  await index.call('append', { stage, frames: [0], vectors: someFootage(1, 3), previews: [] });
  await index.call('commit', { stage, media: mediaRecord('aa') });
  const { models } = await index.call('held_models', { cache_dir });
  assert.deepEqual(models, [{ model_key: 'model', dimensions: 32, rows: 1, dead: 0 }]);
});

const span = (hash_str: string, stage = 'speech') => ({
  stage,
  hash_str,
  model_key: 'model',
  path: `/footage/${hash_str}.mp4`,
  settings: '{}',
  task_id: 'one',
  task_only: false,
});
const spansIn = (cache_dir: string) =>
  readdirSync(join(cache_dir, 'open'))
    .map((name) => name.replace(/\..*/, ''))
    .sort();

test('what is kept of interrupted work goes with its content, and with no other', async (t) => {
  const { cache_dir, index } = await twoFilms(t);
  const numbered = 'aa-5a3c1-2';
  for (const hash of ['aa', 'aa-5a3c1', numbered]) {
    await index.call('remember', { cache_dir, media: mediaRecord(hash) });
    await index.call('keep_span', { cache_dir, span: span(hash), position: 1, bytes: Uint8Array.of(1) });
  }
  const begin = { cache_dir, hash_str: 'aa', model_key: 'model', dimensions: 32, span: span('aa', 'visual') };
  const { stage } = await index.call('begin', begin);
  const frames = { frames: [0], vectors: someFootage(1, 3), previews: [preview(0)] };
  await index.call('append', { stage, ...frames, keep: true });
  // The vectors and previews of the picture, and the log of the speech.
  const all = ['aa', 'aa', 'aa', 'aa-5a3c1', numbered];
  assert.deepEqual(spansIn(cache_dir), all);
  const refused = index.call('remove_media', { cache_dir, hashes: ['aa'] });
  await assert.rejects(refused, storeErrors.MEDIA_IN_WORK.is);
  assert.deepEqual(spansIn(cache_dir), all);
  await index.call('abort', { stage });
  await index.call('remove_media', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(spansIn(cache_dir), ['aa-5a3c1', numbered]);
  await index.call('remove_media', { cache_dir, hashes: [numbered] });
  assert.deepEqual(spansIn(cache_dir), ['aa-5a3c1']);
});

test('paths that move are known by their new names only, also where they are loaded', async (t) => {
  const { cache_dir, index, one } = await twoFilms(t);
  await index.call('remember', { cache_dir, media: mediaRecord('dd', '/new/bb.mp4') });
  const move = (name: string) => ({ from: `/footage/${name}`, to: `/new/${name}`, volume: '/new' });
  const moves = [move('aa.mp4'), move('bb.mp4'), move('nothing.mp4')];
  // Another content is known where bb would go: it stays.
  assert.deepEqual(await index.call('move_paths', { cache_dir, moves }), { stayed: ['/footage/bb.mp4'] });
  assert.deepEqual(await found(index, cache_dir, one), ['/footage/bb.mp4', '/new/aa.mp4']);
  const { by_path, by_hash } = await index.call('find', {
    cache_dir,
    paths: ['/footage/aa.mp4', '/new/aa.mp4'],
    hashes: ['aa'],
  });
  assert.deepEqual(
    [by_path[0], by_path[1]?.identity.hash_str, by_path[1]?.volume, by_hash[0]?.path],
    [null, 'aa', '/new', '/new/aa.mp4'],
  );
  await assert.rejects(heard(index, cache_dir, 'hello'), storeErrors.NOT_LOADED.is);
  await loadSpeech(index, cache_dir);
  assert.deepEqual(await heard(index, cache_dir, 'hello'), ['/footage/bb.mp4', '/new/aa.mp4']);
});
