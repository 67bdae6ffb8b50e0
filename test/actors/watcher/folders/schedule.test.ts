import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type WatchState, watchStates } from '../../../../actors/watcher/folders/contract.ts';
import {
  awayWait,
  hungWait,
  nextPoll,
  nextState,
  nextToWork,
  pollAfterChange,
  pollWait,
  retryWait,
  type Scheduled,
  type Trigger,
  triggers,
  whyIdle,
} from '../../../../actors/watcher/folders/schedule.ts';

/** Every cell, written out: by trigger, what becomes of stopped, running, stopping, paused, waiting. */
const cells: Readonly<Record<Trigger, readonly WatchState[]>> = {
  start: ['running', 'running', 'running', 'paused', 'waiting'],
  stop: ['stopped', 'stopping', 'stopping', 'stopped', 'stopped'],
  'work begins': ['stopped', 'running', 'stopping', 'running', 'running'],
  'files pending': ['stopped', 'running', 'stopping', 'running', 'running'],
  'nothing pending': ['stopped', 'waiting', 'stopping', 'waiting', 'waiting'],
  'slot taken': ['stopped', 'paused', 'stopping', 'paused', 'paused'],
  'folder unreadable': ['stopped', 'paused', 'stopping', 'paused', 'paused'],
  'task retryable error': ['stopped', 'paused', 'stopping', 'paused', 'paused'],
  'retry due': ['stopped', 'running', 'stopping', 'running', 'waiting'],
  'slot free': ['stopped', 'running', 'stopping', 'running', 'waiting'],
  'current work finished': ['stopped', 'running', 'stopped', 'paused', 'waiting'],
  'folder edited': ['stopped', 'running', 'stopping', 'running', 'running'],
  'folder removed': ['stopped', 'running', 'stopping', 'running', 'waiting'],
  'engine stops': ['stopped', 'stopped', 'stopped', 'stopped', 'stopped'],
};

assert.deepEqual(watchStates, ['stopped', 'running', 'stopping', 'paused', 'waiting']);
assert.deepEqual(Object.keys(cells), [...triggers]);
for (const trigger of triggers) {
  for (const [i, state] of watchStates.entries()) {
    test(`${state}: ${trigger} leads to ${cells[trigger][i]}`, () => {
      assert.equal(nextState(state, trigger), cells[trigger][i]);
    });
  }
}

const folder = (more: Partial<Scheduled> = {}): Scheduled => ({
  pollAt: 0,
  isPending: false,
  ready: 1,
  away: false,
  retryAt: null,
  served: 0,
  ...more,
});

test('the folder that was worked on longest ago is next, among those that can be worked on', () => {
  const old = folder({ served: 1 });
  const cases: [Scheduled[], Scheduled | null][] = [
    [[folder({ served: 3 }), old, folder({ served: 2 })], old],
    [[folder({ ready: 0 }), folder({ away: true }), folder({ retryAt: 11 }), old], old],
    [[folder({ ready: 0 })], null],
    [[], null],
  ];
  for (const [folders, wanted] of cases) assert.equal(nextToWork(folders, 10), wanted);
  const due = folder({ retryAt: 10 });
  assert.equal(nextToWork([due, old], 10), due);
});

test('between a huge folder and small ones, no small one waits for more than one batch of each other', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 8 }), (sizes) => {
      const folders = sizes.map((size, i) => ({
        ...folder({ ready: i === 0 ? 1_000 * size : size }),
        waits: 0,
      }));
      for (let turn = 1; folders.some(({ ready }) => ready > 0); turn++) {
        const next = nextToWork(folders, 0)!;
        for (const other of folders) other.waits = other === next ? 0 : other.waits + 1;
        Object.assign(next, { ready: Math.max(0, next.ready - 4), served: turn });
        for (const { ready, waits } of folders) assert.ok(ready === 0 || waits < folders.length);
      }
    }),
    { numRuns: 30 },
  );
});

test('the folder that is due first is listed first', () => {
  const first = folder({ pollAt: 1 });
  assert.equal(nextPoll([folder({ pollAt: 2 }), first, folder({ pollAt: 1 })]), first);
  assert.equal(nextPoll([]), null);
});

test('polls come at the interval, soon after files that are being written, and rarely to a folder that is away', () => {
  assert.equal(pollWait({ unsettled: 0, took: 500 }, 30_000), 30_000);
  assert.equal(pollWait({ unsettled: 2, took: 500 }, 30_000), 5_000);
  assert.equal(pollWait({ unsettled: 2, took: 50 }, 1_000), 1_000);
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 1_000].map(awayWait);
  assert.deepEqual(
    waits.map((ms) => ms / 1000),
    [5, 10, 20, 40, 80, 160, 300, 300, 300],
  );
  const hung = [1, 2, 3, 7, 8, 1_000].map((times) => hungWait(times) / 60_000);
  assert.deepEqual(hung, [5, 10, 20, 320, 360, 360]);
});

test('a folder that takes long to list is listed less often', () => {
  const wait = (took: number, unsettled = 0) => Math.round(pollWait({ unsettled, took }, 30_000));
  assert.equal(wait(6_000), 200_000);
  assert.equal(wait(3_600_000), 600_000);
  assert.equal(wait(6_000, 1), 30_000);
});

test('what failed is tried again after a wait that grows to a minute', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 1e9].map((failures) => retryWait(failures) / 1000);
  assert.deepEqual(waits, [2, 4, 8, 16, 32, 60, 60, 60]);
});

test('a change brings the next poll forward, but a folder is listed a fifth of the time at most', () => {
  const quiet = { due: 30_000, ended: 0, took: 10 };
  assert.equal(pollAfterChange(quiet, 10_000), 10_500);
  assert.equal(pollAfterChange(quiet, 29_900), 30_000);
  assert.equal(pollAfterChange({ due: 30_000, ended: 10_000, took: 10 }, 10_001), 11_000);
  assert.equal(pollAfterChange({ due: 60_000, ended: 10_000, took: 4_000 }, 10_001), 30_000);
});

test('the service is paused until the first trouble is over, and waits when there is none', () => {
  const cases = [
    [[folder({ ready: 0 })], 'nothing pending', null],
    [[folder({ ready: 0, retryAt: 4 })], 'nothing pending', null],
    [[folder({ isPending: true }), folder({ ready: 0 })], 'files pending', null],
    [[folder({ isPending: true }), folder({ retryAt: 9 })], 'task retryable error', 9],
    [[folder({ away: true, pollAt: 7 }), folder({ retryAt: 9 })], 'folder unreadable', 7],
    [[folder({ away: true, pollAt: 7 }), folder({ retryAt: 5 })], 'task retryable error', 5],
    [[folder({ away: true, pollAt: 3 })], 'folder unreadable', 3],
  ] as const;
  for (const [folders, trigger, until] of cases) assert.deepEqual(whyIdle(folders, 4), { trigger, until });
});
