import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedLock } from '../../../runtime/sync/locks.ts';

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
