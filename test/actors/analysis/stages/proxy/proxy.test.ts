// Proxies as tasks: how they are begun, shared and resumed.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { mediaErrors } from '../../../../../actors/decoder/contract.ts';
import type { ProxySpec } from '../../../../../actors/exporter/proxies/contract.ts';
import { storeErrors } from '../../../../../actors/index/store/contract.ts';
import { engineErrors } from '../../../../../runtime/errors.ts';
import { exportEngine } from '../clips/export-engine.ts';
import { page } from '../task-engine.ts';

/** Makes a proxy when the test lets it. */
class FakeProxies {
  readonly asked: ProxySpec[] = [];
  readonly ready = new Set<string>();
  before: () => Promise<void> | void = () => {};

  async find({ hash_str }: Pick<ProxySpec, 'hash_str'>) {
    return this.ready.has(hash_str) ? { path: `/${hash_str}.mp4`, size_bytes: 7 } : null;
  }

  async make(wish: ProxySpec, signal: AbortSignal, report: (fraction: number) => void) {
    this.asked.push(wish);
    report(0.5);
    await Promise.race([
      this.before(),
      new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
    ]);
    if (signal.aborted) throw engineErrors.CANCELLED();
    this.ready.add(wish.hash_str);
    const path = `/${wish.hash_str}.mp4`;
    return { path, size_bytes: 7, frames: 100, width: 640, height: 360, duration_seconds: 4 };
  }
}

async function engineOf(t: TestContext, options: Parameters<typeof exportEngine>[2] = {}) {
  const proxies = new FakeProxies();
  const engine = await exportEngine(t, [{ name: 'a.mp4', frames: 4 }], { ...options, proxies });
  const ask = async (hash_str: string, max_side = 1280) => {
    const media_path = `/films/${hash_str}.mxf`;
    const request = { cache_dir: engine.w.folder, hash_str, media_path, max_side };
    return (await engine.tasks.begin('proxy', request)).task_id;
  };
  return { ...engine, proxies, ask };
}

test('a proxy is a task: its result says what was made, its room how far it is', async (t) => {
  const { ask, ended, tasks, emitted, w } = await engineOf(t);
  const task_id = await ask('aa');
  assert.equal(await ended(task_id), 'completed');
  const { results, counts, request } = await tasks.get(task_id, page);
  assert.deepEqual([counts.files, counts.jobs_done, request.types], [0, 1, ['proxy']]);
  assert.equal(request.cache_dir, w.folder);
  const [{ path, outcome, proxy }] = results as [(typeof results)[number]];
  assert.deepEqual([path, outcome], ['/films/aa.mxf', 'analyzed']);
  assert.deepEqual(proxy, { hash_str: 'aa', size_bytes: 7, frames: 100, width: 640, height: 360 });
  assert.ok(emitted.some(({ type, progress }) => type === 'proxy' && progress === 50));
});

test('who asks for what is being made gets its task; another film waits, and an export behind it', async (t) => {
  const { ask, begin, ended, proxies, tasks, emitted } = await engineOf(t);
  const held = Promise.withResolvers<void>();
  proxies.before = () => held.promise;
  const [first, second] = await Promise.all([ask('aa'), ask('aa')]);
  assert.equal(first, second);
  assert.equal(await ask('aa'), first);
  const other = await ask('bb');
  const clips = await begin('a');
  assert.equal(await ask('bb'), other);
  assert.equal(await begin('a'), clips);
  const standing = async (id: string) => {
    const { state, queue_position, waits_for } = await tasks.get(id, page);
    return [state, queue_position, waits_for];
  };
  assert.deepEqual(await standing(other), ['queued', 1, first]);
  assert.deepEqual(await standing(clips), ['queued', 2, first]);
  const told = emitted.filter(({ task_id }) => task_id === clips);
  assert.deepEqual(
    told.map(({ type, done, progress, queue_position, waits_for }) => [
      type,
      done,
      progress,
      queue_position,
      waits_for,
    ]),
    [['clips', false, 0, 2, first]],
  );
  held.resolve();
  for (const id of [first, other, clips]) assert.equal(await ended(id), 'completed');
  const wishes = proxies.asked.map(({ hash_str }) => hash_str);
  assert.deepEqual(wishes, ['aa', 'bb']);
  const last = emitted.filter(({ task_id }) => task_id === clips).at(-1);
  assert.deepEqual([last?.done, last?.queue_position], [true, undefined]);
});

test('a cancelled proxy is begun anew by a resume, and by whoever asks again', async (t) => {
  const { ask, ended, again, proxies, tasks } = await engineOf(t);
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  proxies.before = () => {
    begun.resolve();
    return held.promise;
  };
  const task_id = await ask('aa');
  await begun.promise;
  assert.deepEqual(await tasks.cancel(task_id), { stopped: true, task_id });
  assert.equal(await ended(task_id), 'cancelled');
  held.resolve();
  again(task_id);
  await tasks.resume(task_id);
  assert.equal(await ended(task_id), 'completed');
  const another = await ask('aa');
  assert.notEqual(another, task_id);
  await ended(another);
  assert.equal(proxies.asked.length, 3);
});

test('where it was made before the engine could record it, a resume finds it', async (t) => {
  const alive = new Set(['one', 'two']);
  const { ask, proxies, tasks, w } = await engineOf(t, { alive });
  proxies.before = () => new Promise(() => {});
  const task_id = await ask('aa');
  alive.delete('one');
  const next = await engineOf(t, { alive, token: 'two', home: w.folder });
  next.proxies.ready.add('aa');
  await next.tasks.resume(task_id);
  assert.equal(await next.ended(task_id), 'completed');
  await tasks.stop();
});

test('a film that is gone when its turn comes, and a full disk, fail that proxy alone', async (t) => {
  const { ask, ended, proxies, tasks } = await engineOf(t);
  const held = Promise.withResolvers<void>();
  proxies.before = () => held.promise;
  const first = await ask('aa');
  const [gone, full, last] = [await ask('bb'), await ask('cc'), await ask('dd')];
  const make = proxies.make.bind(proxies);
  proxies.make = async (wish, signal, report) => {
    if (wish.hash_str === 'bb') throw mediaErrors.FILE_UNREADABLE('/films/bb.mxf: does not exist');
    if (wish.hash_str === 'cc') throw storeErrors.STORE_FULL('/proxies: the disk is full');
    return make(wish, signal, report);
  };
  held.resolve();
  assert.equal(await ended(first), 'completed');
  assert.deepEqual(
    [await ended(gone), await ended(full), await ended(last)],
    ['failed', 'failed', 'completed'],
  );
  assert.match((await tasks.get(gone, page)).error?.message ?? '', /bb.mxf: does not exist/);
  assert.match((await tasks.get(full, page)).error?.message ?? '', /the disk is full/);
});
