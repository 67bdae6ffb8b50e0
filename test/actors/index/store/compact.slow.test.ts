import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, cpSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { IndexSettings } from '../../../../actors/index/actor.ts';
import { givenUpAfterMs } from '../../../../actors/index/store/compactor.ts';
import { type Disk, disk } from '../../../../actors/index/store/disk.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { manualClock } from '../../../../runtime/clock.ts';
import { nodeCommand } from '../../../node-command.ts';
import { everything, folder, type Harness, indexActor, someFootage, store } from '../handlers.ts';

const d = 32;
const hashes = ['aa', 'bb', 'cc', 'dd', 'ee'];
const small: IndexSettings = { leastGarbageRows: 50, compactionStep: { records: 2, bytes: 40 * 48 } };
const mostSteps = 100;
const seedOf = (hash: string) => hashes.indexOf(hash) + 100;
const packs = (cache_dir: string) => readdirSync(join(cache_dir, 'vectors')).sort();
const whole = (generation: number) => [`m-model.${generation}.v16`, `m-model.${generation}.v8`];

/** Five media of 40 frames, each of them stored three times: most of the pack is garbage. */
async function garbage(t: TestContext, settings: IndexSettings = small) {
  const cache_dir = folder(t);
  const index = await indexActor(t, settings);
  for (const round of [0, 50, 100])
    for (const [i, hash] of hashes.entries()) await store(index, cache_dir, hash, someFootage(40, i + round));
  return { cache_dir, index };
}

const step = async (index: Harness, cache_dir: string) =>
  (await index.call('compact', { cache_dir, model_key: 'model' })).done;

/** Steps until the new packs are named by records. */
async function untilPublishing(index: Harness, cache_dir: string): Promise<void> {
  const generations = () => {
    const reading = new Store(cache_dir);
    const found = hashes.map((hash) => reading.visual.stage('model', hash)?.generation);
    return reading.close().then(() => new Set(found));
  };
  for (let steps = 0; steps < mostSteps && (await generations()).size === 1; steps++)
    assert.equal(await step(index, cache_dir), false);
}

/** Every media has its own vectors. */
async function assertWhole(cache_dir: string, wanted: readonly string[] = hashes): Promise<void> {
  const reading = new Store(cache_dir);
  for (const hash of wanted) {
    const own = someFootage(40, seedOf(hash));
    for (const frame of [0, 17, 39]) {
      const stored = reading.visual.vector('model', hash, frame);
      const is = stored?.every((value, i) => Math.abs(value - own[frame * d + i]!) < 2e-5);
      assert.ok(is, `${hash} ${frame}`);
    }
  }
  assert.deepEqual(
    reading.visual.stored('model', wanted),
    wanted.map(() => true),
  );
  await reading.close();
}

async function find(index: Harness, cache_dir: string, hash: string, frame: number) {
  const text = someFootage(40, seedOf(hash)).slice(frame * d, (frame + 1) * d);
  const query = { cache_dir, model_key: 'model', picture: null, text_weight: 1, exclude: null };
  const { matches } = await index.call('search', { ...query, text, scope: everything, max_results: 1 });
  return [matches[0]?.hash_str, matches[0]?.frame_index];
}

function probe(cache_dir: string): string {
  const program = fileURLToPath(new URL('writer-process.ts', import.meta.url));
  const [node, ...flags] = nodeCommand;
  return execFileSync(node, [...flags, program, cache_dir, 'probe'], { encoding: 'utf8' });
}

test('packs of which most is garbage are rewritten in steps, between which everything is found', async (t) => {
  const { cache_dir, index } = await garbage(t);
  const load = { cache_dir, model_key: 'model', hashes: null };
  const loaded = { media: 5, vectors: 200, missing: [], unreadable: [] };
  assert.deepEqual(await index.load(load), loaded);
  assert.deepEqual(packs(cache_dir), whole(1));
  let [steps, done] = [0, false];
  for (; steps < mostSteps && !done; steps++) {
    done = await step(index, cache_dir);
    for (const hash of hashes) assert.deepEqual(await find(index, cache_dir, hash, 17), [hash, 17]);
    assert.deepEqual(await index.load(load), loaded);
    await assertWhole(cache_dir);
  }
  assert.ok(done && steps > 8, `${steps} steps`);
  assert.deepEqual(packs(cache_dir), whole(2));
  assert.equal(statSync(join(cache_dir, 'vectors', 'm-model.2.v8')).size, 64 + 200 * 48);
  const { models } = await index.call('held_models', { cache_dir });
  assert.deepEqual(models, [{ model_key: 'model', dimensions: d, rows: 200, dead: 0 }]);
  await index.call('drop', {});
  assert.deepEqual(await index.load(load), loaded);
  assert.equal(await index.compact(cache_dir), 1);
  assert.deepEqual(packs(cache_dir), whole(2));
});

test('a crash after any step loses nothing, and the next compaction makes one pack again', async (t) => {
  const { cache_dir, index } = await garbage(t);
  const left: string[] = [];
  for (let done = false; !done && left.length < mostSteps; ) {
    const copy = folder(t);
    cpSync(cache_dir, copy, { recursive: true });
    left.push(copy);
    done = await step(index, cache_dir);
  }
  const ends = [];
  for (const crashed of left) {
    await assertWhole(crashed);
    const next = await indexActor(t, small);
    await store(next, crashed, 'aa', someFootage(40, seedOf('aa')));
    await assertWhole(crashed);
    await next.compact(crashed);
    await assertWhole(crashed);
    const generations = new Set(packs(crashed).map((name) => name.split('.')[1]));
    ends.push(generations.size);
    await next.close();
  }
  assert.deepEqual(
    ends,
    ends.map(() => 1),
  );
});

test('a stage that begins ends the compaction: what was copied goes, what has begun to move is moved', async (t) => {
  const { cache_dir, index } = await garbage(t);
  for (let i = 0; i < 5; i++) await step(index, cache_dir);
  assert.deepEqual(packs(cache_dir), [...whole(1), ...whole(2)].sort());
  await store(index, cache_dir, 'ff', someFootage(5, 1), { model_key: 'other' });
  assert.equal(packs(cache_dir).length, 6);
  await store(index, cache_dir, 'ff', someFootage(5, 1));
  assert.deepEqual(packs(cache_dir).slice(0, 2), whole(1));
  await assertWhole(cache_dir);
  await untilPublishing(index, cache_dir);
  await store(index, cache_dir, 'ff', someFootage(5, 2));
  await assertWhole(cache_dir);
  assert.deepEqual(packs(cache_dir).slice(0, 2), whole(2));
  const { models } = await index.call('held_models', { cache_dir });
  assert.deepEqual(models[0], { model_key: 'model', dimensions: d, rows: 210, dead: 5 });
});

test('while a stage of the model is open there is nothing to do', async (t) => {
  const { cache_dir, index } = await garbage(t);
  await index.call('begin', { cache_dir, hash_str: 'aa', model_key: 'model', dimensions: d });
  assert.equal(await index.compact(cache_dir), 1);
  assert.deepEqual(packs(cache_dir), whole(1));
});

test('another process waits for the lease, and gets it when the compaction is done or nobody goes on with it', async (t) => {
  const clock = manualClock();
  const { cache_dir, index } = await garbage(t, { ...small, clock });
  await step(index, cache_dir);
  assert.match(probe(cache_dir), /write STORE_IN_USE/);
  clock.advance(givenUpAfterMs - 1);
  await step(index, cache_dir);
  clock.advance(givenUpAfterMs - 1);
  assert.match(probe(cache_dir), /write STORE_IN_USE/);
  clock.advance(1);
  assert.deepEqual(packs(cache_dir), whole(1));
  assert.match(probe(cache_dir), /write "3"/);
  await untilPublishing(index, cache_dir);
  clock.advance(givenUpAfterMs);
  assert.deepEqual(packs(cache_dir), whole(2));
  assert.match(probe(cache_dir), /write "3"/);
  await assertWhole(cache_dir);
});

test('a disk that is full keeps the old packs and nothing of the new ones', async (t) => {
  let left = Number.POSITIVE_INFINITY;
  const on: Disk = {
    ...disk,
    write: (fd, bytes, position) => {
      left -= bytes.byteLength;
      if (left < 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      return disk.write(fd, bytes, position);
    },
  };
  const { cache_dir, index } = await garbage(t, { ...small, on });
  left = 80 * (48 + 80);
  await index.compact(cache_dir);
  assert.ok(index.lines.some((line) => line.level === 'warn' && /compact/.test(line.message)));
  assert.deepEqual(packs(cache_dir), whole(1));
  await assertWhole(cache_dir);
  assert.match(probe(cache_dir), /write "3"/);
  left = Number.POSITIVE_INFINITY;
  await index.compact(cache_dir);
  assert.deepEqual(packs(cache_dir), whole(2));
});

test('media that are removed meanwhile stay removed, and their rows count as garbage', async (t) => {
  for (const publishing of [false, true]) {
    const { cache_dir, index } = await garbage(t);
    for (let i = 0; i < 6; i++) await step(index, cache_dir);
    if (publishing) await untilPublishing(index, cache_dir);
    await index.call('remove_media', { cache_dir, hashes: ['bb'] });
    const rest = hashes.filter((hash) => hash !== 'bb');
    await assertWhole(cache_dir, rest);
    await index.compact(cache_dir);
    await assertWhole(cache_dir, rest);
    const request = { cache_dir, model_key: 'model', hashes: ['bb'] };
    assert.deepEqual(await index.call('stored', request), { stored: [false] });
    assert.deepEqual(packs(cache_dir), whole(2));
    const { models } = await index.call('held_models', { cache_dir });
    assert.deepEqual(models, [{ model_key: 'model', dimensions: d, rows: 200, dead: 40 }]);
  }
});

test('of a folder that takes the place of this one nothing is removed', async (t) => {
  const { cache_dir, index } = await garbage(t);
  const other = await garbage(t);
  await other.index.compact(other.cache_dir);
  await other.index.close();
  for (let i = 0; i < 5; i++) await step(index, cache_dir);
  renameSync(cache_dir, `${cache_dir}-away`);
  t.after(() => rmSync(`${cache_dir}-away`, { recursive: true, force: true }));
  renameSync(other.cache_dir, cache_dir);
  assert.equal(await step(index, cache_dir), true);
  assert.deepEqual(packs(cache_dir), whole(2));
  await assertWhole(cache_dir);
});

test('broken rows keep the packs as they are: their media is known by them', async (t) => {
  const { cache_dir, index } = await garbage(t);
  const file = join(cache_dir, 'vectors', 'm-model.1.v8');
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.alloc(8, 7), 0, 8, 64 + 450 * 48);
  closeSync(fd);
  await index.compact(cache_dir);
  assert.deepEqual(packs(cache_dir), whole(1));
  assert.ok(index.lines.some(({ message }) => /compact/.test(message)));
});
