import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflate } from '../../../runtime/sync/queue.ts';
import { manualClock } from '../manual-clock.ts';

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
