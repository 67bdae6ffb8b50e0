import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { Condition, KeyedLock, Mutex, Semaphore, SharedLock } from '../../../runtime/sync/locks.ts';

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
