import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { disk, type StoreDisk } from '../../../../actors/index/store/disk.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { framesUpTo, mediaRecord, preview } from '../footage.ts';
import { bundlesOf, indexActor, openIn, someFootage, store } from '../handlers.ts';

const d = 32;
const row = (vectors: Float32Array, frame: number) => vectors.slice(frame * d, (frame + 1) * d);

/** A disk that is full after some bytes, until it is given more. */
function smallDisk(bytes: number): StoreDisk & { left: number } {
  return {
    left: bytes,
    write(fd, data, position) {
      if (this.left <= 0)
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      const written = disk.write(fd, data.subarray(0, Math.min(this.left, data.byteLength)), position);
      this.left -= written;
      return written;
    },
    flush: disk.flush,
  };
}

test('a disk that fills up anywhere in a stage is an error, what was stored stays, and it goes on with more space', async (t) => {
  for (const bytes of [0, 30, 300, 1500, 4500, 7000]) {
    const cache_dir = temporaryFolder(t);
    const first = await indexActor(t);
    await store(first, cache_dir, 'aa', someFootage(30, 1));
    await first.close();
    const on = smallDisk(bytes);
    const index = await indexActor(t, { on });
    await assert.rejects(store(index, cache_dir, 'bb', someFootage(60, 2)), (error) => {
      return storeErrors.STORE_FULL.is(error) && error.message.includes(cache_dir);
    });
    const load = { cache_dir, model_key: 'model', hashes: null };
    assert.deepEqual(await index.load(load), { media: 1, vectors: 30, missing: [], unreadable: [] });
    on.left = 1e9;
    await store(index, cache_dir, 'bb', someFootage(60, 2));
    assert.deepEqual(await index.load(load), { media: 2, vectors: 90, missing: [], unreadable: [] });
    assert.deepEqual(openIn(cache_dir), []);
  }
});

function mounted(at: string, size = '1m'): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('a real file system of 1 MB fills up without a crash or a loss', async (t) => {
  const cache_dir = mkdtempSync(join(tmpdir(), 'framehound-index-'));
  const isMounted = mounted(cache_dir);
  t.after(() => {
    // Lazily: the actor closes its files after this.
    if (isMounted) execFileSync('umount', ['-l', cache_dir]);
    rmSync(cache_dir, { recursive: true, force: true });
  });
  if (!isMounted) return t.skip('a small file system can be mounted by root only');
  const index = await indexActor(t);
  let stored = 0;
  const fill = async () => {
    for (; stored < 10_000; stored++)
      await store(index, cache_dir, (stored + 1).toString(16), someFootage(100, stored));
  };
  await assert.rejects(fill, storeErrors.STORE_FULL.is);
  assert.ok(stored > 3);
  const load = { cache_dir, model_key: 'model', hashes: null };
  assert.deepEqual(await index.load(load), {
    media: stored,
    vectors: stored * 100,
    missing: [],
    unreadable: [],
  });
  // The last bytes are taken too, so that also the records cannot grow any more.
  const tooMuch = () => writeFileSync(join(cache_dir, 'filler'), Buffer.alloc(1 << 20));
  assert.throws(tooMuch, /ENOSPC/);
  await assert.rejects(store(index, cache_dir, 'ffff', someFootage(100, 1)), storeErrors.STORE_FULL.is);
  await index.close();
  const again = await indexActor(t);
  assert.equal((await again.load(load)).vectors, stored * 100);
});

test('a disk with a few pages left is called full every time, not damaged', async (t) => {
  const cache_dir = mkdtempSync(join(tmpdir(), 'framehound-index-'));
  const isMounted = mounted(cache_dir);
  t.after(() => {
    if (isMounted) execFileSync('umount', ['-l', cache_dir]);
    rmSync(cache_dir, { recursive: true, force: true });
  });
  if (!isMounted) return t.skip('a small file system can be mounted by root only');
  const index = await indexActor(t);
  await store(index, cache_dir, 'aa', someFootage(1, 0));
  const { bavail, bsize } = statfsSync(cache_dir);
  writeFileSync(join(cache_dir, 'filler'), Buffer.alloc(bavail * bsize - 5 * bsize));
  // Each of these copies a few pages; a commit that runs out of disk in its middle reads as damage, and so do
  // later ones.
  for (let i = 0; i < 50; i++) {
    await assert.rejects(
      store(index, cache_dir, (i + 0xb0).toString(16), someFootage(1, i)),
      storeErrors.STORE_FULL.is,
    );
  }
  rmSync(join(cache_dir, 'filler'));
  await store(index, cache_dir, 'ff', someFootage(1, 1));
  const load = { cache_dir, model_key: 'model', hashes: null };
  assert.deepEqual(await index.load(load), { media: 2, vectors: 2, missing: [], unreadable: [] });
});

test('media are forgotten on a disk without a single free byte', async (t) => {
  const cache_dir = mkdtempSync(join(tmpdir(), 'framehound-index-'));
  const isMounted = mounted(cache_dir, '24m');
  t.after(() => {
    if (isMounted) execFileSync('umount', ['-l', cache_dir]);
    rmSync(cache_dir, { recursive: true, force: true });
  });
  if (!isMounted) return t.skip('a small file system can be mounted by root only');
  const index = await indexActor(t);
  const hashes = Array.from({ length: 8 }, (_, i) => (i + 0xb0).toString(16));
  for (const [i, hash] of hashes.entries()) await store(index, cache_dir, hash, someFootage(10, i));
  const fill = (name: string) => {
    assert.throws(() => writeFileSync(join(cache_dir, name), Buffer.alloc(24 << 20)), /ENOSPC/);
    return Number(statfsSync(cache_dir).bavail);
  };
  for (const [i, hash] of hashes.entries()) {
    assert.equal(fill(`filler-${i}`), 0);
    await index.call('remove_media', { cache_dir, hashes: [hash] });
    const { media } = await index.load({ cache_dir, model_key: 'model', hashes: null });
    assert.equal(media, hashes.length - 1 - i);
  }
  await assert.rejects(store(index, cache_dir, 'ff', someFootage(1, 1)), storeErrors.STORE_FULL.is);
});

test('stages written side by side do not mix', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const films = ['aa', 'bb', 'cc'].map((hash, i) => ({ hash, vectors: someFootage(1300, i) }));
  const stages: number[] = [];
  for (const { hash } of films) {
    const begun = await index.call('begin', { cache_dir, hash_str: hash, model_key: 'model', dimensions: d });
    stages.push(begun.stage);
  }
  for (let frame = 0; frame < 1300; frame += 100) {
    for (const [i, { vectors }] of films.entries()) {
      const frames = framesUpTo(100, frame);
      const part = vectors.slice(frame * d, (frame + 100) * d);
      await index.call('append', {
        stage: stages[i]!,
        frames,
        vectors: part,
        previews: frames.map((f) => preview(f)),
      });
    }
  }
  await index.call('abort', { stage: stages[1]! });
  for (const i of [2, 0])
    await index.call('commit', { stage: stages[i]!, media: mediaRecord(films[i]!.hash) });
  const report = await index.load({ cache_dir, model_key: 'model', hashes: null });
  assert.deepEqual(report, { media: 2, vectors: 2600, missing: [], unreadable: [] });
  for (const { hash, vectors } of [films[0]!, films[2]!]) {
    for (const frame of [0, 511, 512, 1024, 1299]) {
      const { vector } = await index.call('vector', {
        cache_dir,
        model_key: 'model',
        hash_str: hash,
        frame_index: frame,
      });
      assert.ok(
        vector!.every((value, k) => Math.abs(value - row(vectors, frame)[k]!) < 2e-5),
        `${hash} ${frame}`,
      );
      const query = {
        cache_dir,
        model_key: 'model',
        text: row(vectors, frame),
        picture: null,
        text_weight: 1,
        exclude: null,
      };
      const { matches } = await index.call('search', {
        ...query,
        scope: { hashes: null, ranges: {}, filters: [] },
        max_results: 1,
      });
      assert.deepEqual([matches[0]!.hash_str, matches[0]!.frame_index], [hash, frame]);
    }
  }
});

test('the bundles of a film go when it is analysed again, and a still has none', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await store(index, cache_dir, 'aa', someFootage(5, 1));
  await store(index, cache_dir, 'aa', someFootage(6, 1));
  for (const kind of ['vectors', 'previews'] as const)
    assert.equal(bundlesOf(cache_dir, 'aa', kind).length, 1);
  await store(index, cache_dir, 'bb', someFootage(1, 1));
  for (const kind of ['vectors', 'previews'] as const) assert.deepEqual(bundlesOf(cache_dir, 'bb', kind), []);
  const frames = [0, 1].map((frame_index) => ({ hash_str: 'bb', frame_index }));
  assert.deepEqual((await index.call('previews', { cache_dir, frames })).previews, [preview(0), null]);
});

test('a model whose vectors changed their length counts the old stages as missing', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await store(index, cache_dir, 'aa', someFootage(5, 1));
  await store(index, cache_dir, 'bb', someFootage(5, 1, 48), { dimensions: 48 });
  const request = { cache_dir, model_key: 'model', hashes: ['aa', 'bb'] };
  assert.deepEqual((await index.call('stored', request)).stored, [false, true]);
  const report = await index.load(request);
  assert.deepEqual(report, { media: 1, vectors: 5, missing: ['aa'], unreadable: [] });
});

test('a stage in progress is dropped when the same one begins again', async (t) => {
  const store = new Store(temporaryFolder(t));
  t.after(() => store.close());
  const first = store.begin('aa', 'model', d);
  store.append(first, { frames: [0], vectors: someFootage(1, 1), previews: [preview(0)] });
  const second = store.begin('aa', 'model', d);
  assert.throws(
    () => store.append(first, { frames: [1], vectors: someFootage(1, 1), previews: [] }),
    storeErrors.STAGE_LOST.is,
  );
  store.append(second, { frames: [0, 1], vectors: someFootage(2, 1), previews: [] });
  assert.equal(store.commit(second, mediaRecord('aa')), 2);
});

test('ten hours of frames are appended in bounded memory', async (t) => {
  const store = new Store(temporaryFolder(t));
  t.after(() => store.close());
  const stage = store.begin('aa', 'model', 256);
  const vectors = someFootage(120, 1, 256);
  const append = (from: number, to: number) => {
    for (let frame = from; frame < to; frame += 120)
      store.append(stage, { frames: framesUpTo(120, frame), vectors: vectors, previews: [] });
  };
  append(0, 3600);
  const before = process.memoryUsage();
  append(3600, 36_000);
  const after = process.memoryUsage();
  const grown = after.arrayBuffers - before.arrayBuffers;
  // 36,000 vectors are 37 MB as floats; what may grow is what the collector has not come to yet.
  assert.ok(grown < 16e6, `${grown} bytes`);
  assert.equal(store.commit(stage, mediaRecord('aa')), 36_000);
});
