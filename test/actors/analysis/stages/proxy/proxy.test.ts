// Proxies as tasks: how they are begun, shared and resumed.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { ProxyWish } from '../../../../../actors/exporter/proxies/contract.ts';
import { engineErrors } from '../../../../../runtime/errors.ts';
import { exportEngine, page } from '../clips/export-engine.ts';

/** Makes a proxy when the test lets it. */
class FakeProxies {
  readonly asked: ProxyWish[] = [];
  readonly ready = new Set<string>();
  before: () => Promise<void> | void = () => {};

  async find({ hash_str }: Pick<ProxyWish, 'hash_str'>) {
    return this.ready.has(hash_str) ? { path: `/${hash_str}.mp4`, size_bytes: 7 } : null;
  }

  async make(wish: ProxyWish, signal: AbortSignal, told: (fraction: number) => void) {
    this.asked.push(wish);
    told(0.5);
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
    const asked = { cache_dir: engine.w.folder, hash_str, media_path, max_side };
    return (await engine.tasks.begin('proxy', asked)).task_id;
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

test('who asks for what is being made gets its task, who asks for another film is refused, an export too', async (t) => {
  const { ask, begin, ended, proxies, tasks } = await engineOf(t);
  const held = Promise.withResolvers<void>();
  proxies.before = () => held.promise;
  const [first, second] = await Promise.all([ask('aa'), ask('aa')]);
  assert.equal(first, second);
  assert.equal(await ask('aa'), first);
  await assert.rejects(ask('bb'), { code: 'ANOTHER_TASK', details: { task_id: first } });
  await assert.rejects(begin('a'), { code: 'ANOTHER_TASK' });
  assert.equal((await tasks.list()).length, 1);
  held.resolve();
  assert.equal(await ended(first), 'completed');
  assert.equal(proxies.asked.length, 1);
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
