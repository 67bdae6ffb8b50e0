import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from './manual-clock.ts';

test('a manual clock runs what falls due in order and nothing that was called off', () => {
  const clock = manualClock();
  const seen: string[] = [];
  clock.after(20, () => seen.push(`b${clock.now()}`));
  clock.after(10, () => {
    seen.push(`a${clock.now()}`);
    clock.after(5, () => seen.push(`c${clock.now()}`));
  });
  clock.after(12, () => seen.push('never'))();
  clock.advance(30);
  assert.deepEqual(seen, ['a10', 'c15', 'b20']);
  assert.equal(clock.waiting, 0);
});
