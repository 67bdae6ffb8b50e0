import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createQueue } from '../../../runtime/sync/queue.ts';

test('a full queue makes the producer wait, an empty one the consumer, and the order stays', async () => {
  const queue = createQueue<number>(2);
  let put = 0;
  const producer = (async () => {
    for (let i = 0; i < 10; i++) if (await queue.put(i)) put++;
    queue.close();
  })();
  const taken: number[] = [];
  for (let value = await queue.take(); value !== undefined; value = await queue.take()) {
    taken.push(value);
    assert.ok(put - taken.length <= 2);
  }
  await producer;
  assert.deepEqual(taken, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a closed queue refuses new values, gives out what it has, and wakes those who wait', async () => {
  const queue = createQueue<string>(1);
  assert.equal(await queue.put('a'), true);
  const refused = queue.put('b');
  queue.close();
  assert.equal(await refused, false);
  assert.deepEqual([await queue.take(), await queue.take()], ['a', undefined]);
  const empty = createQueue<string>(1);
  const waiting = empty.take();
  empty.close();
  assert.equal(await waiting, undefined);
});
