import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { Condition } from '../../../runtime/sync/locks.ts';

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
