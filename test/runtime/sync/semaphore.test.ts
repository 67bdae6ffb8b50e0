import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from '../../../runtime/sync/locks.ts';

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
