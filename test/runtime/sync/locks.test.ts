import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { test } from 'node:test';
import { threadId, Worker } from 'node:worker_threads';
import { Condition, KeyedLock, Mutex, Semaphore, SharedLock } from '../../../runtime/sync/locks.ts';
import { ThreadLock } from '../../../runtime/sync/thread-lock.ts';
import type { LockThreadData } from './lock-thread.ts';

test('as much runs at once as there are permits, and a failure gives its permit back', async () => {
  const semaphore = new Semaphore(2);
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  let inside = 0;
  let most = 0;
  const all = gates.map(({ promise }) =>
    semaphore.run(async () => {
      inside++;
      most = Math.max(most, inside);
      await promise.finally(() => inside--);
    }),
  );
  const settled = Promise.allSettled(all);
  gates.forEach(({ resolve, reject }, i) => {
    if (i === 1) reject(new Error('bad'));
    else resolve();
  });
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual([most, inside], [2, 0]);
  assert.equal(await semaphore.run(async () => 'free again'), 'free again');
});

test('one at a time, urgent work before the rest, and a failure lets the next one in', async () => {
  const mutex = new Mutex();
  const order: string[] = [];
  let inside = 0;
  const work = (name: string) => async () => {
    inside += 1;
    assert.equal(inside, 1);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(name);
    inside -= 1;
    if (name.startsWith('bad')) throw new Error(name);
  };
  const all = await Promise.allSettled([
    mutex.run(work('bad first')),
    mutex.run(work('second')),
    mutex.run(work('third')),
    mutex.run(work('query'), { urgent: true }),
  ]);
  assert.deepEqual(order, ['bad first', 'query', 'second', 'third']);
  assert.deepEqual(
    all.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
  await mutex.run(work('later'));
  assert.equal(order.at(-1), 'later');
});

test('work on one key waits for its holder, other keys do not', async () => {
  const lock = new KeyedLock();
  const order: string[] = [];
  const hold = async (key: string, name: string) => {
    const release = await lock.acquire(key);
    order.push(name);
    return release;
  };
  const first = await hold('a', 'a1');
  const [second, third] = [hold('a', 'a2'), hold('a', 'a3')];
  (await hold('b', 'b1'))();
  assert.deepEqual(order, ['a1', 'b1']);
  first();
  (await second)();
  (await third)();
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'a3']);
});

test('a wait that fails holds nothing', async () => {
  const lock = new KeyedLock();
  const release = await lock.acquire('a');
  const giveUp = () => Promise.reject(new Error('given up'));
  await assert.rejects(lock.acquire('a', giveUp), /given up/);
  release();
  (await lock.acquire('a', giveUp))();
});

test('a notification wakes everyone who waits, and nobody who comes later', async () => {
  const condition = new Condition();
  const woken: string[] = [];
  const waits = ['a', 'b'].map((name) => condition.wait().then(() => woken.push(name)));
  condition.notifyAll();
  const later = condition.wait().then(() => woken.push('c'));
  await Promise.all(waits);
  assert.deepEqual(woken, ['a', 'b']);
  condition.notifyAll();
  await later;
});

test('an abort ends a wait, and a notification leaves no listener behind', async () => {
  const condition = new Condition();
  const { signal } = new AbortController();
  const notified = condition.wait(signal);
  condition.notifyAll();
  await notified;
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  const stop = new AbortController();
  const aborted = condition.wait(stop.signal);
  stop.abort();
  await aborted;
  await condition.wait(stop.signal);
});

test('many share it, one is alone with it, and whoever waits to be alone goes before those that come later', async () => {
  const lock = new SharedLock();
  const order: string[] = [];
  const first = await lock.share();
  const second = await lock.share();
  const end = Promise.withResolvers<void>();
  const alone = lock.alone(async () => {
    order.push('alone');
    await end.promise;
  });
  const another = lock.alone(async () => void order.push('another'));
  const later = lock.share().then((release) => {
    order.push('later');
    release();
  });
  first();
  await new Promise(setImmediate);
  assert.deepEqual(order, []);
  second();
  await new Promise(setImmediate);
  assert.deepEqual(order, ['alone']);
  end.resolve();
  await Promise.all([alone, another, later]);
  assert.deepEqual(order, ['alone', 'another', 'later']);
});

test('work alone that fails gives it back', async () => {
  const lock = new SharedLock();
  await assert.rejects(
    lock.alone(() => Promise.reject(new Error('no'))),
    /no/,
  );
  (await lock.share())();
});

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
