import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflate, createQueue } from '../../../runtime/sync/queue.ts';
import { manualClock } from '../manual-clock.ts';

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

test('conflation tells the latest value of each key, at most every so often, and always the last', () => {
  const clock = manualClock();
  const texts: string[] = [];
  const events = conflate<string, number>(clock, 100, (value, key) =>
    texts.push(`${clock.now()} ${key}${value}`),
  );
  events.put('a', 1);
  events.put('a', 2);
  events.put('b', 3);
  events.put('a', 4);
  clock.advance(99);
  assert.deepEqual(texts, ['0 a1']);
  clock.advance(1);
  assert.deepEqual(texts, ['0 a1', '100 a4', '100 b3']);
  events.put('a', 5);
  events.flush();
  assert.equal(texts.at(-1), '100 a5');
  assert.equal(clock.waiting, 0);
});
