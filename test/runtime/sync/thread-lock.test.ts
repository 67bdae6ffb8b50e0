import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { threadId, Worker } from 'node:worker_threads';
import { ThreadLock } from '../../../runtime/sync/thread-lock.ts';
import type { LockThreadData } from './lock-thread.ts';

const program = new URL('./lock-thread.ts', import.meta.url);
const newThread = (workerData: LockThreadData) => new Worker(program, { workerData });
const shared = () => ({
  memory: ThreadLock.memory(),
  counted: new Int32Array(new SharedArrayBuffer(8)),
});

test('threads hold the lock one at a time, more often than it has places', { timeout: 60_000 }, async () => {
  const rounds = 700;
  const { memory, counted } = shared();
  const threads = [1, 2, 3].map(() => newThread({ memory, counted, rounds }));
  const ends = await Promise.all(threads.map((thread) => once(thread, 'exit')));
  assert.deepEqual(ends, [[0], [0], [0]]);
  assert.deepEqual([...counted], [3 * rounds, 0]);
});

/** Pieces of work that end when they are told to, and the order in which they began. */
function work() {
  const begun: string[] = [];
  const piece = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const run = async () => {
      begun.push(name);
      await promise;
    };
    return { run, end: resolve };
  };
  return { begun, piece };
}

test('who asks first goes first, and who waits no more is passed over', async () => {
  const lock = new ThreadLock(ThreadLock.memory());
  const { begun, piece } = work();
  const [a, b, c, d] = [piece('a'), piece('b'), piece('c'), piece('d')];
  const leave = new AbortController();
  const first = lock.run(a.run);
  const given = lock.run(b.run, leave.signal);
  const third = lock.run(c.run);
  leave.abort();
  await assert.rejects(given, { code: 'CANCELLED' });
  assert.deepEqual(begun, ['a']);
  // Comes back at once, as a batch after a batch does, and waits for its turn all the same.
  const again = first.then(() => lock.run(d.run));
  a.end();
  c.end();
  await third;
  d.end();
  await again;
  assert.deepEqual(begun, ['a', 'c', 'd']);
  await assert.rejects(lock.run(d.run, leave.signal), { code: 'CANCELLED' });
});

test('work that fails passes the lock on', async () => {
  const lock = new ThreadLock(ThreadLock.memory());
  await assert.rejects(
    lock.run(() => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await lock.run(async () => 7), 7);
});

test('what a thread that has ended held or waited for is given up', { timeout: 60_000 }, async () => {
  const { memory, counted } = shared();
  const lock = new ThreadLock(memory);
  const [holder, waiter] = [1, 2].map(() => newThread({ memory, counted, rounds: 0 })) as [Worker, Worker];
  await Promise.race([once(holder, 'message'), once(waiter, 'message')]);
  const mine = lock.run(async () => threadId);
  const ids = [holder.threadId, waiter.threadId];
  await Promise.all([holder.terminate(), waiter.terminate()]);
  for (const id of ids) lock.abandon(id);
  assert.equal(await mine, threadId);
});
