import assert from 'node:assert/strict';
import test from 'node:test';
import { Condition } from '../runtime/sync/locks.ts';
import { until } from './until.ts';

test('what becomes true in a later turn of the event loop is answered', async () => {
  const found: string[] = [];
  setImmediate(() => found.push('late'));
  assert.equal(await until(() => found[0]), 'late');
  assert.equal(await until(async () => found.length), 1);
});

test('a fact with news of its own is asked about once for each of them', async () => {
  const news = new Condition();
  let asked = 0;
  const waiting = until(() => ++asked === 3, { next: (signal) => news.wait(signal) });
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  assert.equal(asked, 1);
  for (const expected of [2, 3]) {
    news.notifyAll();
    await new Promise(setImmediate);
    assert.equal(asked, expected);
  }
  await waiting;
});

test('what never becomes true fails with its own text, with news and without', async () => {
  const door = { isOpen: false };
  const silent = (signal: AbortSignal) => new Condition().wait(signal);
  for (const next of [{}, { next: silent }]) {
    await assert.rejects(
      until(() => door.isOpen, { within: 1, ...next }),
      { name: 'AssertionError', message: 'not true within 1 ms: () => door.isOpen' },
    );
  }
});
