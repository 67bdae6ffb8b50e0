import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { UnfinishedWork } from '../../../actors/analysis/contract.ts';
import { decoderContract, modifiedMs } from '../../../actors/decoder/contract.ts';
import { definition } from '../../../actors/index/actor.ts';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import { volumeOf } from '../../../actors/index/store/footage-path.ts';
import { libraryErrors } from '../../../actors/library/contract.ts';
import { createLibrary } from '../../../actors/library/library.ts';
import { actor } from '../../../runtime/actor.ts';
import { createLog } from '../../../runtime/log.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { startInMemory } from '../../runtime/memory.ts';
import { mediaRecord, preview } from '../index/footage.ts';
import { someFootage } from '../index/handlers.ts';
import { callsOf, readNode, summarise, tree } from '../index/summaries/trees.ts';
import { noRootsHere } from './fake-roots.ts';

const never = new AbortController().signal;
const hashOf = (path: string) =>
  path
    .replace(/^.*\//, '')
    .replace(/[^\w-]|mp4/g, '')
    .replace(/[^a-f0-9-]/g, '0');

/** The content of a file is named by its name, so that copies are one. */
const fakeProber = actor<typeof decoderContract, unknown>({
  contract: decoderContract,
  create: () => ({
    handlers: {
      identify: ({ path }: { path: string }) => {
        const stats = statSync(path, { bigint: true });
        const facts = { size_bytes: Number(stats.size), mtime_ms: modifiedMs(stats), inode: '1' };
        return { hash_str: hashOf(path), ...facts };
      },
      digest: ({ path }: { path: string }) => {
        const content = readFileSync(path, 'utf8');
        const digest = createHash('sha256').update(content).digest('hex');
        return { digest, parts: 1, size_bytes: content.length, mtime_ms: 1, inode: '1' };
      },
    } as never,
  }),
});

/** A library on a real index, with files that are really there. */
async function library(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'framehound-library-'));
  const clock = manualClock();
  const log = createLog('test', () => {});
  const pool = createSlotPool(4, 8);
  const supervisor = createSupervisor({ clock, log, pool });
  t.after(async () => {
    await supervisor.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const index = await supervisor.add({
    name: 'index',
    contract: definition.contract,
    turnLimitMs: 60_000,
    start: () => startInMemory(definition, { log, memory: pool.memory }),
  });
  const prober = await supervisor.add({
    name: 'prober',
    contract: decoderContract,
    turnLimitMs: 60_000,
    start: () => startInMemory(fakeProber, { log, memory: pool.memory, settings: {} }),
  });
  let work: UnfinishedWork | null = null;
  const cache_dir = join(root, 'analysis');
  mkdirSync(cache_dir);
  const whole = createLibrary({
    index,
    prober,
    proxies: { remove: async () => {} },
    tasks: { unfinished: async () => work, list: async () => [], failures: async () => [] },
    roots: noRootsHere,
    modelsFolder: join(root, 'models'),
  });
  const place = (name: string) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, name);
    return path;
  };
  /** Analyses a file; `volume` null: as an earlier version did, which kept none. */
  const analyse = async (path: string, volume?: string | null) => {
    const hash = hashOf(path);
    const at = volume === undefined ? await volumeOf(path) : volume;
    const media = { ...mediaRecord(hash, path), ...(at !== null && { volume: at }) };
    const begin = { cache_dir, hash_str: hash, model_key: 'model', dimensions: 32 };
    const { stage } = await index.ask('begin', begin, {});
    const previews = [preview(0), preview(1)];
    await index.ask('append', { stage, frames: [0, 1], vectors: someFootage(2, 1), previews }, {});
    await index.ask('commit', { stage, media }, {});
    return path;
  };
  return {
    root,
    cache_dir,
    index,
    place,
    analyse,
    add: (name: string) => analyse(place(name)),
    work: (paths: readonly string[] | null) => {
      work = paths && { cache_dir, paths: new Set(paths) };
    },
    paths: async () => {
      const page = { cache_dir, offset: 0, limit: 100 };
      const { media } = await whole.list(page, never);
      return media.map(({ media_path }) => media_path.slice(root.length + 1));
    },
    forget: (...media_paths: string[]) => whole.forget({ cache_dir, media_paths, dry_run: false }, never),
    prune: (dry_run = false) => whole.prune({ cache_dir, dry_run }, never),
    move: (from: string, to: string, dry_run = false) => whole.move({ cache_dir, from, to, dry_run }, never),
    whole,
  };
}

test('forget takes a file by its path, by a link, by its content, and a folder whole; the rest stays', async (t) => {
  const l = await library(t);
  const [a, b] = [await l.add('films/a.mp4'), await l.add('films/b.mp4')];
  await l.add('more/c.mp4');
  await l.add('more/d.mp4');
  symlinkSync(a, join(l.root, 'link'));
  const { forgotten, unknown } = await l.forget(join(l.root, 'link'), '/nothing.mp4');
  assert.deepEqual([forgotten.map(({ media_paths }) => media_paths), unknown], [[[a]], ['/nothing.mp4']]);
  assert.equal(forgotten[0]?.frames, 2);
  const elsewhere = l.place('elsewhere/b.mp4');
  assert.deepEqual((await l.forget(elsewhere)).forgotten[0]?.media_paths, [b]);
  assert.deepEqual(await l.paths(), ['more/c.mp4', 'more/d.mp4']);
  await l.forget(join(l.root, 'more'));
  assert.deepEqual(await l.paths(), []);
  await assert.rejects(l.forget(a), libraryErrors.NOT_IN_LIBRARY.is);
});

test('a copy is the same content: both paths go, and the answer names both', async (t) => {
  const l = await library(t);
  const [a, copy] = [await l.add('films/a.mp4'), await l.add('copies/a.mp4')];
  const { forgotten } = await l.forget(a);
  assert.deepEqual(forgotten[0]?.media_paths, [copy, a]);
  assert.deepEqual(await l.paths(), []);
});

test('of two contents of one hash the one that lies at the path is forgotten, and the other stays', async (t) => {
  const l = await library(t);
  const remember = (name: string, hash: string) => {
    const path = l.place(name);
    const { identity, ...media } = mediaRecord(hash, path);
    const content_digest = createHash('sha256').update(name).digest('hex');
    const record = { ...media, identity: { ...identity, content_digest } };
    return l.index.ask('remember', { cache_dir: l.cache_dir, media: record }, {}).then(() => path);
  };
  const first = await remember('stems/a.mp4', 'a-5');
  const second = await remember('stems/b.mp4', 'a-5-2');
  // At another path, by its content.
  const moved = join(l.root, 'a-5.mp4');
  renameSync(second, moved);
  const { forgotten } = await l.forget(moved);
  assert.deepEqual(
    forgotten.map(({ hash_str, media_paths }) => [hash_str, media_paths]),
    [['a-5-2', [second]]],
  );
  assert.deepEqual(await l.paths(), ['stems/a.mp4']);
  renameSync(moved, second);
  await remember('stems/b.mp4', 'a-5-2');
  assert.equal((await l.forget(first)).forgotten[0]?.hash_str, 'a-5');
  assert.deepEqual(await l.paths(), ['stems/b.mp4']);
});

test('what is kept of interrupted work is counted, and goes with its media', async (t) => {
  const l = await library(t);
  const [a, b] = [await l.add('films/a.mp4'), await l.add('films/b.mp4')];
  for (const path of [a, b]) {
    const span = {
      stage: 'speech',
      hash_str: hashOf(path),
      model_key: 'm',
      path,
      settings: '',
      task_id: '1',
    };
    const kept = { span: { ...span, task_only: false }, position: 1, bytes: new Uint8Array(5000) };
    await l.index.ask('keep_span', { cache_dir: l.cache_dir, ...kept }, {});
  }
  const unfinished = async () => {
    const { analysis } = await l.whole.disk(l.cache_dir, never);
    const { bytes, records_bytes, vectors_bytes, previews_bytes, unfinished_bytes } = analysis;
    assert.equal(bytes, records_bytes + vectors_bytes + previews_bytes + unfinished_bytes);
    return Math.floor(unfinished_bytes / 5000);
  };
  assert.equal(await unfinished(), 2);
  l.work([a]);
  await assert.rejects(l.forget(a), libraryErrors.IN_WORK.is);
  assert.equal(await unfinished(), 2);
  l.work(null);
  await l.forget(a);
  assert.equal(await unfinished(), 1);
  rmSync(b);
  l.place('films/notes.txt');
  await l.prune();
  assert.equal(await unfinished(), 0);
});

test('a dry run changes nothing', async (t) => {
  const l = await library(t);
  const a = await l.add('films/a.mp4');
  const { forgotten, dry_run } = await l.whole.forget(
    { cache_dir: l.cache_dir, media_paths: [a], dry_run: true },
    never,
  );
  assert.deepEqual([forgotten.length, dry_run, await l.paths()], [1, true, ['films/a.mp4']]);
});

test('a file that a task works on is not forgotten, nor is a copy of it, nor is anything else asked with it', async (t) => {
  const l = await library(t);
  const [a, copy, b] = [await l.add('films/a.mp4'), await l.add('copies/a.mp4'), await l.add('films/b.mp4')];
  l.work([a]);
  for (const path of [a, copy, join(l.root, 'films')])
    await assert.rejects(l.forget(b, path), libraryErrors.IN_WORK.is);
  await assert.rejects(l.move(join(l.root, 'films'), join(l.root, 'new')), libraryErrors.IN_WORK.is);
  assert.equal((await l.paths()).length, 3);
  await l.forget(b);
  l.work(null);
  await l.forget(a);
  assert.deepEqual(await l.paths(), []);
});

test('prune forgets what is gone, and only the dead path of what lies elsewhere', async (t) => {
  const l = await library(t);
  const [a, , copy] = [await l.add('films/a.mp4'), await l.add('films/b.mp4'), await l.add('copies/b.mp4')];
  rmSync(a);
  rmSync(copy);
  const dry = await l.prune(true);
  assert.deepEqual([dry.forgotten.length, dry.paths_gone], [1, [copy]]);
  assert.equal((await l.paths()).length, 3);
  const { forgotten, paths_gone, skipped, looked_at } = await l.prune();
  assert.deepEqual(
    [forgotten.map(({ media_paths }) => media_paths), paths_gone, skipped, looked_at],
    [[[a]], [copy], [], 3],
  );
  assert.deepEqual(await l.paths(), ['films/b.mp4']);
  const { by_hash } = await l.index.ask('find', { cache_dir: l.cache_dir, paths: [], hashes: ['b'] }, {});
  assert.equal(by_hash[0]?.path, join(l.root, 'films/b.mp4'));
});

test('a drive that is away prunes nothing, and the answer says which', async (t) => {
  const l = await library(t);
  await l.add('films/a.mp4');
  // A drive was mounted here when it was analysed; now there is an empty folder.
  const drive = join(l.root, 'drive');
  const gone = await l.analyse(l.place('drive/day/c.mp4'), drive);
  await l.analyse(l.place('drive/day/d.mp4'), drive);
  rmSync(join(drive, 'day'), { recursive: true });
  const { forgotten, skipped } = await l.prune();
  assert.deepEqual(forgotten, []);
  assert.deepEqual(skipped, [{ reason: `the volume ${drive} is not mounted`, count: 2, example: gone }]);
  rmSync(drive, { recursive: true });
  assert.equal((await l.prune()).skipped[0]?.count, 2);
  assert.equal((await l.paths()).length, 3);
});

test('of what an earlier version stored only what is certain counts as gone', async (t) => {
  const l = await library(t);
  const old = await l.analyse(l.place('films/a.mp4'), null);
  rmSync(old);
  // The folder is empty, as the place of a drive that is away is.
  assert.match((await l.prune()).skipped[0]?.reason ?? '', /films is empty/);
  l.place('films/notes.txt');
  assert.match((await l.prune()).skipped[0]?.reason ?? '', /no other file of the library/);
  await l.analyse(l.place('films/b.mp4'), null);
  assert.deepEqual((await l.prune()).forgotten[0]?.media_paths, [old]);
  await l.analyse(l.place('x/c.mp4'), null);
  const lost = { ...mediaRecord('cc', '/mnt/no-such-drive/c.mp4') };
  await l.index.ask('remember', { cache_dir: l.cache_dir, media: lost }, {});
  assert.match((await l.prune()).skipped[0]?.reason ?? '', /drive may be disconnected: only \/mnt/);
});

test('move gives paths their new names; what still lies there stays, and a second move goes on', async (t) => {
  const l = await library(t);
  await l.add('old/a.mp4');
  await l.add('old/deep/b.mp4');
  const left = await l.add('old/c.mp4');
  await l.add('older/d.mp4');
  const [from, to] = [join(l.root, 'old'), join(l.root, 'new')];
  await assert.rejects(l.move(from, to), /are still in/);
  mkdirSync(join(to, 'deep'), { recursive: true });
  for (const name of ['a.mp4', 'deep/b.mp4']) renameSync(join(from, name), join(to, name));
  const dry = await l.move(from, to, true);
  assert.deepEqual([dry.moved, dry.missing, dry.stayed.length], [2, 0, 1]);
  const { moved, stayed } = await l.move(from, to);
  assert.deepEqual([moved, stayed], [2, [{ media_path: left, reason: 'the file is still at its old path' }]]);
  assert.deepEqual(await l.paths(), ['new/a.mp4', 'new/deep/b.mp4', 'old/c.mp4', 'older/d.mp4']);
  renameSync(left, join(to, 'c.mp4'));
  assert.equal((await l.move(from, to)).moved, 1);
  await assert.rejects(l.move(from, to), libraryErrors.NOT_IN_LIBRARY.is);
  await assert.rejects(
    l.move(join(l.root, 'older'), to),
    /the footage is still at .*older: move the footage first. Nothing was changed/,
  );
  const page = { cache_dir: l.cache_dir, under: to, offset: 0, limit: 10 };
  assert.equal((await l.whole.list(page, never)).media[0]?.visual[0]?.frames, 2);
});

test('a move into a folder of itself can be done twice', async (t) => {
  const l = await library(t);
  const a = await l.add('films/a.mp4');
  const [from, to] = [join(l.root, 'films'), join(l.root, 'films/2024')];
  mkdirSync(to);
  renameSync(a, join(to, 'a.mp4'));
  await l.move(from, to);
  assert.deepEqual(await l.paths(), ['films/2024/a.mp4']);
  await assert.rejects(l.move(from, to), libraryErrors.NOT_MOVED.is);
  assert.deepEqual(await l.paths(), ['films/2024/a.mp4']);
});

test('what is forgotten leaves the disk at once', async (t) => {
  const l = await library(t);
  for (const name of ['a', 'b', 'c']) await l.add(`films/${name}.mp4`);
  const disk = async () => {
    const { models, vectors_bytes } = (await l.whole.disk(l.cache_dir, never)).analysis;
    return { ...models[0], vectors_bytes };
  };
  const before = await disk();
  assert.equal(before.vectors, 6);
  await l.forget(join(l.root, 'films/a.mp4'), join(l.root, 'films/b.mp4'));
  const { vectors, dead_vectors, vectors_bytes } = await disk();
  assert.deepEqual([vectors, dead_vectors], [2, 0]);
  assert.ok(vectors_bytes < before.vectors_bytes / 2, `${vectors_bytes} ${before.vectors_bytes}`);
});

test('disk counts every byte of the folder, by kind and by model', async (t) => {
  const l = await library(t);
  await l.add('films/a.mp4');
  await l.add('films/b.mp4');
  await l.forget(join(l.root, 'films/b.mp4'));
  l.place('models/some/model.onnx');
  const { analysis, models, free_bytes } = await l.whole.disk(l.cache_dir, never);
  const { bytes, records_bytes, vectors_bytes, previews_bytes, unfinished_bytes } = analysis;
  assert.equal(bytes, records_bytes + vectors_bytes + previews_bytes + unfinished_bytes);
  assert.ok(records_bytes > 0 && previews_bytes > 0 && free_bytes > 0);
  assert.deepEqual(analysis.models, [
    { model_key: 'model', vectors: 2, dead_vectors: 0, bytes: vectors_bytes },
  ]);
  assert.equal(models.bytes, 'models/some/model.onnx'.length);
  const gone = join(l.root, 'no-such-folder');
  await assert.rejects(l.whole.disk(gone, never), storeErrors.STORE_UNAVAILABLE.is);
});

test('summaries are counted with the media and on the disk, move with a path, and go with what is forgotten', async (t) => {
  const l = await library(t);
  const [kept, gone] = [await l.add('one/ca.mp4'), await l.add('one/da.mp4')];
  const index = callsOf(l.index);
  const collection = { name: 'All', description: '' };
  for (const path of [kept, gone]) {
    const hash = hashOf(path);
    await summarise(index, l.cache_dir, hash, {
      collection,
      nodes: tree(100),
      media: mediaRecord(hash, path),
    });
  }
  const disk = async () => (await l.whole.disk(l.cache_dir, never)).analysis;
  const { summaries, records_bytes } = await disk();
  assert.deepEqual([summaries.count, summaries.nodes], [2, 2 * tree(100).length]);
  assert.ok(summaries.bytes > 10_000 && summaries.bytes < records_bytes, JSON.stringify(summaries));
  const page = { cache_dir: l.cache_dir, offset: 0, limit: 9 };
  assert.deepEqual(
    (await l.whole.list(page, never)).media.map((one) => one.summaries),
    [1, 1],
  );
  const { forgotten } = await l.forget(gone);
  assert.equal(forgotten[0]?.summaries, 1);
  assert.deepEqual((await disk()).summaries, {
    ...summaries,
    count: 1,
    nodes: summaries.nodes / 2,
    bytes: summaries.bytes / 2,
  });
  renameSync(join(l.root, 'one'), join(l.root, 'two'));
  await l.move(join(l.root, 'one'), join(l.root, 'two'));
  const { summary } = await readNode(index, l.cache_dir, hashOf(kept));
  assert.equal(summary?.media_path, join(l.root, 'two/ca.mp4'));
});
