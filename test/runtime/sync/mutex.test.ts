import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mutex } from '../../../runtime/sync/locks.ts';

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
