import assert from 'node:assert/strict';
import test from 'node:test';
import { createThrottle } from '../../events/rooms.ts';
import { manualClock } from '../runtime/manual-clock.ts';

const everyMs = 100;

function throttleOf() {
  const clock = manualClock();
  const emitted: string[] = [];
  const throttle = createThrottle<{ readonly text: string }>(clock, everyMs, ({ text }) =>
    emitted.push(text),
  );
  return { clock, emitted, throttle };
}

test('one value in a while: of states the newest, of what is queued every one, the end last', () => {
  const { clock, emitted, throttle } = throttleOf();
  for (const text of ['1', '2', '3']) throttle.replace({ text });
  assert.deepEqual(emitted, ['1']);
  clock.advance(everyMs);
  assert.deepEqual(emitted, ['1', '3']);
  throttle.enqueue({ text: 'a' });
  throttle.enqueue({ text: 'b' });
  throttle.replace({ text: '4' });
  throttle.finish({ text: 'end' });
  clock.advance(2 * everyMs - 1);
  assert.deepEqual(emitted, ['1', '3', 'a']);
  clock.advance(2 * everyMs);
  assert.deepEqual(emitted, ['1', '3', 'a', 'b', 'end']);
});

test('a flush emits at once all that waits, in the same order, and nothing of it twice', () => {
  const { clock, emitted, throttle } = throttleOf();
  throttle.replace({ text: '1' });
  throttle.enqueue({ text: 'a' });
  throttle.replace({ text: '2' });
  throttle.flush();
  assert.deepEqual(emitted, ['1', 'a', '2']);
  throttle.enqueue({ text: 'b' });
  throttle.finish({ text: 'end' });
  throttle.flush();
  assert.deepEqual(emitted, ['1', 'a', '2', 'b', 'end']);
  clock.advance(10 * everyMs);
  assert.deepEqual(emitted, ['1', 'a', '2', 'b', 'end']);
  assert.equal(clock.waiting, 0);
});

test('a long queue does not hold up the end for ever', () => {
  const { clock, emitted, throttle } = throttleOf();
  for (let at = 0; at < 1000; at++) throttle.enqueue({ text: String(at) });
  throttle.finish({ text: 'end' });
  clock.advance(21 * everyMs);
  assert.equal(emitted.length, 1001);
  assert.equal(emitted.at(-1), 'end');
});
