// Every kind of result is listed, forgotten, carried to another folder and joined with another library: what
// is asked of each here is asked of a new kind too.
import assert from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { Environment } from '../../../actors/index/store/environment.ts';
import { everyKind } from '../../../actors/index/store/kind.ts';
import { kinds } from '../../../actors/index/store/kinds.ts';
import { databaseFile } from '../../../actors/index/store/names.ts';
import { exportLibrary } from '../../../actors/library/transfer/export.ts';
import { importLibrary } from '../../../actors/library/transfer/import.ts';
import type { ThingTrack } from '../../../actors/things/tracks.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { mediaRecord } from '../index/footage.ts';
import { type Harness, indexActor, someFootage, store } from '../index/handlers.ts';
import { cluster, compactFaces, people, storeFaces } from '../index/people/faces.ts';
import { list, readNode, summarise, sweep } from '../index/summaries/trees.ts';
import { link, spoken, suggested, turn } from '../index/voices/spoken.ts';
import { line, storeLines, texts } from '../index/written/lines.ts';

/** A kind of result: `read` answers null where nothing of the content is stored. */
interface StoredKind {
  store(index: Harness, cache_dir: string, hash: string): Promise<unknown>;
  read(index: Harness, cache_dir: string, hash: string): Promise<unknown>;
}

const track = (start: number): ThingTrack => {
  return { class: 'dog', start, end: start + 2, best: start, score: 0.8, box: [0, 0, 0.5, 0.5], colours: [] };
};

const stored: Readonly<Record<string, StoredKind>> = {
  video: {
    store: (index, cache_dir, hash) => store(index, cache_dir, hash, someFootage(8, hash.charCodeAt(0))),
    read: async (index, cache_dir, hash_str) => {
      const { models } = await index.call('analysed_by', { cache_dir, hashes: [hash_str] });
      if (models[0]!.length === 0) return null;
      const page = { cache_dir, model_key: 'model', hash_str, from: 0, most: 100 };
      return index.call('stored_vectors', page);
    },
  },
  previews: {
    store: async () => {},
    read: async (index, cache_dir, hash_str) => {
      const frames = [0, 7].map((frame_index) => ({ hash_str, frame_index }));
      const { previews } = await index.call('previews', { cache_dir, frames });
      return previews.every((preview) => preview === null) ? null : previews;
    },
  },
  speech: {
    store: (index, cache_dir, hash) =>
      spoken(
        index,
        cache_dir,
        hash,
        [turn(0, 0, 5), turn(1, 5, 8)],
        { SPEAKER_00: 1, SPEAKER_01: 2 },
        at(hash),
      ),
    read: async (index, cache_dir, hash) =>
      (await index.call('transcripts', { cache_dir, hashes: [hash] })).transcripts[0],
  },
  voices: {
    store: async () => {},
    read: async (index, cache_dir, hash) => {
      if ((await stored['speech']!.read(index, cache_dir, hash)) === null) return null;
      const { model, suggestions } = await suggested(index, cache_dir, hash, 1);
      const among = suggestions.filter(({ hash_str }) =>
        [hash, hash_str].every((one) => shared.includes(one)),
      );
      return { model, among };
    },
  },
  text: {
    store: (index, cache_dir, hash) =>
      storeLines(index, cache_dir, hash, [line(`Exit ${hash}`, 1), line('B', 3)]),
    read: async (index, cache_dir, hash_str) =>
      index.call('stored_result', { cache_dir, type: 'text', hash_str }),
  },
  things: {
    store: (index, cache_dir, hash) => {
      const found = { type: 'things' as const, items: [track(0), track(4)] };
      const by = { cache_dir, media: mediaRecord(hash), model_key: 'm', from_previews: false };
      return index.call('store_result', { ...by, found });
    },
    read: async (index, cache_dir, hash_str) => {
      const { model_key, tracks } = await index.call('things_of', { cache_dir, hash_str });
      return model_key && tracks;
    },
  },
  sounds: {
    store: (index, cache_dir, hash) => {
      const items = [{ sound: 'music' as const, start: 1, end: 6, confidence: 0.9 }];
      const by = { cache_dir, media: mediaRecord(hash), model_key: 'm', from_previews: false };
      return index.call('store_result', { ...by, found: { type: 'sounds', items } });
    },
    read: async (index, cache_dir, hash_str) =>
      index.call('stored_result', { cache_dir, type: 'sounds', hash_str }),
  },
  faces: {
    store: (index, cache_dir, hash) => storeFaces(index, cache_dir, hash, [[1], [1, 2], [2]]),
    read: async (index, cache_dir, hash_str) => {
      const { faces } = await index.call('things_of', { cache_dir, hash_str });
      return faces.length === 0 ? null : faces;
    },
  },
  summary: {
    store: (index, cache_dir, hash) =>
      summarise(index, cache_dir, hash, { collection: { name: 'All', description: '' } }),
    read: async (index, cache_dir, hash) => {
      const { summaries } = await list(index, cache_dir, [hash]);
      return summaries.length === 0 ? null : readNode(index, cache_dir, hash, '1', null, true);
    },
  },
};
const shared = ['aa', 'bb'];
const at = (hash: string) => ({ path: `/footage/${hash}.mp4` });

async function storeAll(index: Harness, cache_dir: string, ...hashes: readonly string[]): Promise<void> {
  for (const hash of hashes)
    for (const kind of Object.values(stored)) await kind.store(index, cache_dir, hash);
}

/** Every kind of a content, as it is read. */
async function resultsOf(index: Harness, cache_dir: string, hash: string) {
  const results: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(stored)) results[name] = await kind.read(index, cache_dir, hash);
  return results;
}

async function heldOf(index: Harness, cache_dir: string, hash: string) {
  const { media } = await index.call('held_media', { cache_dir, under: null, offset: 0, limit: 100 });
  return media.find(({ hash_str }) => hash_str === hash) ?? null;
}

/** A library with two contents of every kind, people with names and linked voices. */
async function setUp(t: TestContext) {
  const base = temporaryFolder(t);
  const [here, there, home] = [join(base, 'here'), join(base, 'there'), join(base, 'home')];
  const index = await indexActor(t);
  await storeAll(index, here, ...shared);
  await link(index, here, ['aa 0', 'bb 0'], { name: 'Ann' });
  await cluster(index, here, shared);
  const carry = async () => {
    const transfer = {
      folder: join(base, 'carried'),
      home,
      roots: join(home, 'roots.json'),
      progress: () => {},
    };
    const { signal } = new AbortController();
    await exportLibrary({ ...transfer, cacheDir: here, signal });
    return importLibrary({ ...transfer, cacheDir: there, signal });
  };
  return { base, index, here, there, carry };
}

/** Every kind of a content, as it is read, and what a list says of it. */
async function snapshot(index: Harness, cache_dir: string, hash: string) {
  return { results: await resultsOf(index, cache_dir, hash), held: await heldOf(index, cache_dir, hash) };
}
type Snapshot = Awaited<ReturnType<typeof snapshot>>;

function assertSame(now: Snapshot, before: Snapshot): void {
  for (const [name, result] of Object.entries(before.results)) {
    assert.notEqual(result, null, `${name} were stored`);
    assert.deepEqual(now.results[name], result, name);
  }
  assert.deepEqual(now.held, before.held);
}

test('a list names every kind of result, with its model and how much there is', async (t) => {
  const { index, here } = await setUp(t);
  const types = kinds.map(({ type }) => type);
  assert.deepEqual(Object.keys(stored).toSorted(), types.toSorted(), 'a kind is missing in this file');
  const { results } = (await heldOf(index, here, 'aa'))!;
  assert.deepEqual(
    results.map(({ type, model_key, count }) => [type, model_key, count]),
    [
      ['video', 'model', 8],
      ['previews', null, 8],
      ['speech', 'subtitles', 2],
      ['voices', 'm@1', 2],
      ['faces', 'yunet+sface', 4],
      ['text', 'm', 2],
      ['things', 'm', 2],
      ['sounds', 'm', 1],
      ['summary', 'extractive', 3],
    ],
  );
});

for (const kind of kinds) {
  test(`damaged ${kind.type} are told, and the other kinds and contents stay`, async (t) => {
    const { index, here } = await setUp(t);
    const [before, other] = [await heldOf(index, here, 'aa'), await snapshot(index, here, 'bb')];
    const environment = Environment.open(databaseFile(here), 'write');
    const [own] = everyKind(environment, [kind]);
    const [key] = own!.keysOf('aa');
    environment.transact((writes) => writes.put(key!, Buffer.from('no record')));
    await environment.close();
    const after = await heldOf(index, here, 'aa');
    assert.deepEqual(after?.unreadable, [own!.model ?? kind.type]);
    const others = before!.results.filter(({ type }) => type !== kind.type);
    assert.deepEqual(after?.results, others);
    assert.deepEqual((await heldOf(index, here, 'bb'))?.results, other.held?.results);
    await index.call('remove_media', { cache_dir: here, hashes: ['aa'] });
    assert.equal(await heldOf(index, here, 'aa'), null, 'what is damaged can be forgotten');
  });
}

test('what is exported and imported is whole, whatever the kind', async (t) => {
  const { index, here, there, carry } = await setUp(t);
  await carry();
  for (const hash of shared)
    assertSame(await snapshot(index, there, hash), await snapshot(index, here, hash));
  assert.deepEqual(await people(index, there), await people(index, here));
  assert.deepEqual(await texts(index, there, 'exit'), ['Exit aa', 'Exit bb']);
});

test('a library that joins another one brings every kind, and what was there stays', async (t) => {
  const { index, here, there, carry } = await setUp(t);
  await storeAll(index, there, 'cc');
  assert.deepEqual(await texts(index, there, 'exit'), ['Exit cc']);
  const before = await snapshot(index, there, 'cc');
  const { merged } = await carry();
  assert.deepEqual(merged, { imported: 2, known: 0, different: [], clusterings: [] });
  for (const hash of shared)
    assertSame(await snapshot(index, there, hash), await snapshot(index, here, hash));
  assertSame(await snapshot(index, there, 'cc'), before);
  assert.deepEqual(await texts(index, there, 'exit'), ['Exit aa', 'Exit bb', 'Exit cc']);
});

/** Stored there already, of each kind alone: then the analysis that is there stays. */
for (const [name, kind] of Object.entries(stored)) {
  if (['previews', 'voices'].includes(name)) continue;
  test(`a content of which only ${name} are stored is analysed: an import leaves it alone`, async (t) => {
    const { index, there, carry } = await setUp(t);
    await kind.store(index, there, 'aa');
    const { merged } = await carry();
    assert.deepEqual([merged?.imported, merged?.known], [1, 1]);
    const { counts } = await index.call('held_below', { cache_dir: there, within: '/', names: ['footage'] });
    assert.deepEqual(counts, [2]);
    const { folders } = await index.call('held_folders', { cache_dir: there });
    assert.deepEqual(folders, [{ path: '/footage', analysed: 2 }]);
  });
}

test('what is forgotten leaves nothing in the folder, and the rest as it was', async (t) => {
  const { index, here } = await setUp(t);
  const sound = { per_second: 1, values: new Uint8Array(8) };
  await index.call('keep_peaks', { cache_dir: here, hash_str: 'aa', peaks: sound });
  const before = await snapshot(index, here, 'bb');
  await index.call('remove_media', { cache_dir: here, hashes: ['aa'] });
  await sweep(index, here);
  await compactFaces(index, here);
  const after = await snapshot(index, here, 'aa');
  for (const [name, result] of Object.entries(after.results)) assert.equal(result, null, `${name} of aa`);
  assert.equal(after.held, null);
  const others = { ...before.results, voices: { model: 'm@1', among: [] } };
  assertSame(await snapshot(index, here, 'bb'), { ...before, results: others });
  assert.deepEqual(await texts(index, here, 'exit'), ['Exit bb']);
  await index.close();
  const files = readdirSync(here, { recursive: true }).map(String);
  assert.deepEqual(
    files.filter((name) => name.includes('aa.')),
    [],
  );
  assert.deepEqual(await recordsOf(here, 'aa'), []);
});

test('what another engine of a cluster found comes with every kind that it found', async (t) => {
  const { base, index, here } = await setUp(t);
  const [replica, from] = [join(base, 'replica'), join(base, 'from')];
  await index.call('follow', { cache_dir: replica, library: 'one' });
  const worker = await indexActor(t);
  const { summary: _, ...found } = stored;
  for (const kind of Object.values(found)) await kind.store(worker, from, 'aa');
  await worker.close();
  renameSync(from, `${from}-done`);
  const change = { cache_dir: replica, library: 'one', seq: 1, at_ms: 1, write: null };
  await index.call('apply', { ...change, from: `${from}-done` });
  for (const [name, kind] of Object.entries(found)) {
    if (name === 'voices' || name === 'speech') continue;
    assert.deepEqual(await kind.read(index, replica, 'aa'), await kind.read(index, here, 'aa'), name);
  }
  const transcript = await stored['speech']!.read(index, replica, 'aa');
  const named = { ...((await stored['speech']!.read(index, here, 'aa')) as object), names: {} };
  assert.deepEqual(transcript, named);
  assert.equal((await suggested(index, replica, 'aa', 1)).model, 'm@1');
});

/** Keys of the records that speak of a content. */
async function recordsOf(folder: string, hash: string): Promise<string[]> {
  const environment = Environment.open(databaseFile(folder), 'read');
  try {
    const records = [...environment.all()].filter(
      ({ key, value }) => key.split('/').includes(hash) || Buffer.from(value).includes(`"${hash}"`),
    );
    return records.map(({ key }) => key);
  } finally {
    await environment.close();
  }
}
