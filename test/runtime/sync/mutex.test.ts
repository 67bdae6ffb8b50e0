import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turnstile } from '../../../runtime/sync/mutex.ts';

test('one at a time, urgent work before the rest, and a failure lets the next one in', async () => {
  const turnstile = new Turnstile();
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
    turnstile.pass(work('bad first')),
    turnstile.pass(work('second')),
    turnstile.pass(work('third')),
    turnstile.pass(work('query'), true),
  ]);
  assert.deepEqual(order, ['bad first', 'query', 'second', 'third']);
  assert.deepEqual(
    all.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
  await turnstile.pass(work('later'));
  assert.equal(order.at(-1), 'later');
});
