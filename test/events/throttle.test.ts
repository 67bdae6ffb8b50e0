import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, constant, constantFrom, integer, oneof, property, record } from 'fast-check';
import type { ProgressEvent } from '../../events/protocol.ts';
import { createRooms, createThrottle } from '../../events/rooms.ts';
import { manualClock } from '../runtime/manual-clock.ts';
import { end, ending, failure, progress } from './task-events.ts';

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

test('whoever joins, joins again or hears of runs of a task, its progress never goes back', () => {
  const types = ['video', 'speech', 'summary'] as const;
  const step = record({
    wait: oneof(constant(0), integer({ min: 0, max: 300 })),
    what: constantFrom(
      'state',
      'state',
      'state',
      'fail',
      'name',
      'join',
      'leave',
      'again',
      'queued',
      'crash',
    ),
    type: constantFrom(...types),
    who: integer({ min: 0, max: 2 }),
    percentage: integer({ min: 0, max: 100 }),
  });
  check(
    property(array(step, { maxLength: 60 }), (steps) => {
      const clock = manualClock();
      const heard: ProgressEvent[][] = [[], [], []];
      const joined = new Set<number>();
      const emit = (event: ProgressEvent) => {
        for (const who of joined) heard[who]!.push(event);
      };
      let rooms = createRooms({ clock, everyMs: 110, emit });
      const start = { type: 'start', files: 9, types } as const;
      rooms.publish('t', start);
      for (const { wait, what, type, who, percentage } of steps) {
        clock.advance(wait);
        if (what === 'join') {
          heard[who]!.push(...(rooms.replay('t') ?? []));
          joined.add(who);
        } else if (what === 'leave') joined.delete(who);
        else if (what === 'fail') rooms.publish('t', failure(`/${percentage}`));
        else if (what === 'name')
          rooms.publish('t', ending(`/${percentage}`, 'analyzed', types[percentage % 2]));
        else if (what === 'state') {
          const file = { path: '/a', type, done: 1, all: 4, percentage: 25 };
          rooms.publish('t', { type: 'file', file });
          rooms.publish('t', progress(percentage));
        } else {
          rooms.publish('t', end(percentage > 70 ? 'completed' : 'interrupted'));
          rooms.flush();
          // What the record of the task says, which is never below what was told.
          const stood = Math.max(0, ...heard.flat().map((event) => Number(event.progress)));
          if (what === 'crash') {
            joined.clear();
            rooms = createRooms({ clock, everyMs: 110, emit });
          }
          const waits = { queue_position: 1, waits_for: 'other' };
          if (what === 'queued')
            rooms.publish('t', { ...start, type: 'queued', ...waits, percentage: stood });
          // In the same process the record may be out of date: its disk was full.
          rooms.publish('t', { ...start, percentage: what === 'again' ? 0 : stood });
        }
      }
      clock.advance(10_000);
      for (const events of heard) {
        const told = events.map((event) => Number(event.progress));
        assert.deepEqual(
          told,
          told.toSorted((a, b) => a - b),
        );
      }
    }),
    { numRuns: 150 },
  );
});
