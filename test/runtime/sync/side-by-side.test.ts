import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineErrors } from '../../../runtime/errors.ts';
import { sideBySide } from '../../../runtime/sync/shared-work.ts';

test('every item is worked on once, a bounded number at the same time', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await sideBySide([1, 2, 3, 4, 5].values(), 2, undefined, async (item) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    done.push(item);
  });
  assert.deepEqual([done.toSorted(), most], [[1, 2, 3, 4, 5], 2]);
});

test('the first failure ends the others and is the one that is thrown', async () => {
  const started: number[] = [];
  const work = (item: number, until: AbortSignal) => {
    started.push(item);
    if (item === 1) return Promise.reject(new Error('first'));
    return new Promise<void>((_, reject) => {
      until.addEventListener('abort', () => reject(new Error('ended')), { once: true });
    });
  };
  await assert.rejects(sideBySide([1, 2, 3].values(), 2, undefined, work), /first/);
  assert.deepEqual(started, [1, 2]);
});

test('an aborted signal ends it before the next item', async () => {
  const stop = new AbortController();
  const seen: number[] = [];
  const work = async (item: number) => {
    seen.push(item);
    stop.abort();
  };
  await assert.rejects(sideBySide([1, 2].values(), 1, stop.signal, work), engineErrors.CANCELLED.is);
  assert.deepEqual(seen, [1]);
});
