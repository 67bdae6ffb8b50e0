import assert from 'node:assert/strict';
import test from 'node:test';
import { SharedLock } from '../../../runtime/sync/locks.ts';

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
