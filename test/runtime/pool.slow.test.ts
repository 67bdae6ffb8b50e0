// Tasks in threads that end, are ended, or never start.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { engineErrors } from '../../runtime/errors.ts';
import { createPool, type PoolOptions, poolErrors } from '../../runtime/pool.ts';
import { until } from '../until.ts';
import { engine } from './engine.ts';
import type { Job, job } from './pool-jobs.ts';

const never = new AbortController().signal;
const begun = () => new Int32Array(new SharedArrayBuffer(4));
const task = (does: Job['does'] = 'answer'): Job => ({ does, begun: begun() });

function open(t: TestContext, options: Partial<PoolOptions> = {}) {
  const pool = createPool<Job, ReturnType<typeof job>>({
    module: new URL('./pool-jobs.ts', import.meta.url),
    name: 'job',
    threads: 1,
    mostMegabytes: 64,
    ...options,
  });
  t.after(pool.close);
  return pool;
}

/** Resolves when the job runs. */
async function spinning(pool: ReturnType<typeof open>, signal: AbortSignal) {
  const spin = task('spin');
  const result = pool.run(spin, signal);
  result.catch(() => {});
  await until(() => Atomics.load(spin.begun, 0) === 1);
  return { result };
}

test('buffers are moved to the thread', async (t) => {
  const bytes = new Uint8Array(5);
  assert.equal((await open(t).run({ ...task(), bytes }, never, [bytes.buffer])).bytes, 5);
  assert.equal(bytes.length, 0);
});

test('a thread that ends fails its task retryably, and the next task runs', async (t) => {
  const pool = open(t);
  await assert.rejects(pool.run(task('exit'), never), poolErrors.THREAD_ENDED.is);
  assert.ok((await pool.run(task(), never)).threadId > 0);
});

test('a task that does not fit the memory of a thread fails alone', async (t) => {
  const pool = open(t);
  await assert.rejects(pool.run(task('fill'), never), poolErrors.OUT_OF_MEMORY.is);
  assert.ok((await pool.run(task(), never)).threadId > 0);
});

test('what the function throws arrives, and its thread goes on', async (t) => {
  const pool = open(t);
  const before = await pool.run(task(), never);
  await assert.rejects(pool.run(task('throw'), never), { name: 'TypeError', message: 'no such job' });
  assert.equal((await pool.run(task(), never)).threadId, before.threadId);
});

test('a thread that cannot start fails its task, and the process goes on', async (t) => {
  const pool = open(t, { module: new URL('./there-is-none.ts', import.meta.url) });
  await assert.rejects(pool.run(task(), never), poolErrors.THREAD_ENDED.is);
  await assert.rejects(pool.run(task(), never), poolErrors.THREAD_ENDED.is);
});

test('cancelling ends the thread, and the task that waits for it runs', async (t) => {
  const pool = open(t);
  const gone = new AbortController();
  const { result } = await spinning(pool, gone.signal);
  const waiting = pool.run(task(), never);
  gone.abort();
  await assert.rejects(result, engineErrors.CANCELLED.is);
  assert.ok((await waiting).threadId > 0);
});

test('a task that is cancelled while it waits never begins', async (t) => {
  const pool = open(t);
  const [gone, later] = [new AbortController(), new AbortController()];
  const { result } = await spinning(pool, gone.signal);
  const waiting = task();
  const cancelled = pool.run(waiting, later.signal);
  later.abort();
  await assert.rejects(cancelled, engineErrors.CANCELLED.is);
  gone.abort();
  await assert.rejects(result, engineErrors.CANCELLED.is);
  await pool.run(task(), never);
  assert.equal(Atomics.load(waiting.begun, 0), 0);
});

test('more tasks than may wait are BUSY', async (t) => {
  const pool = open(t, { waiting: 1 });
  const { result } = await spinning(pool, never);
  const waiting = pool.run(task(), never);
  await assert.rejects(pool.run(task(), never), engineErrors.BUSY.is);
  await Promise.all([
    assert.rejects(result, engineErrors.CANCELLED.is),
    assert.rejects(waiting, engineErrors.CANCELLED.is),
    pool.close(),
  ]);
});

test('a pool that is closed takes no more tasks', async (t) => {
  const pool = open(t);
  await pool.close();
  await assert.rejects(pool.run(task(), never), /the pool is closed/);
});

test('eight cooperative stops from mid-work end every thread cleanly', async () => {
  for (let i = 0; i < 8; i++) {
    const { supervisor, inThread, pool, lines } = engine();
    const ref = await inThread();
    const calls = [
      assert.rejects(ref.ask('wait', { block: i % 2 === 0 }), engineErrors.CANCELLED.is),
      assert.rejects(async () => {
        for await (const { n } of ref.feed('fill', { to: 1e9 })) if (n === 3) void supervisor.stop();
      }, engineErrors.CANCELLED.is),
    ];
    if (i % 2 === 0) void supervisor.stop();
    await Promise.all(calls);
    assert.deepEqual(await supervisor.stop(), []);
    assert.equal(pool.free, pool.count);
    assert.deepEqual(
      lines.filter((line) => line.level === 'error'),
      [],
    );
  }
});
