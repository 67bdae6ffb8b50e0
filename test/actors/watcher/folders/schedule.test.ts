import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  nextPoll,
  nextToWork,
  pollAfterChange,
  pollWait,
  type Scheduled,
  stateOf,
  waitAfter,
} from '../../../../actors/watcher/folders/schedule.ts';

const folder = (more: Partial<Scheduled> = {}): Scheduled => ({
  pollAt: 0,
  isPending: false,
  hasWork: true,
  isAway: false,
  retryAt: null,
  turn: 0,
  ...more,
});

test('the folder that was worked on longest ago is next, among those that can be worked on', () => {
  const old = folder({ turn: 1 });
  const cases: [Scheduled[], Scheduled | null][] = [
    [[folder({ turn: 3 }), old, folder({ turn: 2 })], old],
    [[folder({ hasWork: false }), folder({ isAway: true }), folder({ retryAt: 11 }), old], old],
    [[folder({ hasWork: false })], null],
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
        ...folder(),
        files: i === 0 ? 1_000 * size : size,
        waits: 0,
      }));
      for (let turn = 1; folders.some(({ hasWork }) => hasWork); turn++) {
        const next = nextToWork(folders, 0)!;
        for (const other of folders) other.waits = other === next ? 0 : other.waits + 1;
        next.files -= 4;
        Object.assign(next, { hasWork: next.files > 0, turn });
        for (const { hasWork, waits } of folders) assert.ok(!hasWork || waits < folders.length);
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
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 1_000].map((failures) => waitAfter('away', failures));
  assert.deepEqual(
    waits.map((ms) => ms / 1000),
    [5, 10, 20, 40, 80, 160, 300, 300, 300],
  );
  const hung = [1, 2, 3, 7, 8, 1_000].map((times) => waitAfter('hung', times) / 60_000);
  assert.deepEqual(hung, [5, 10, 20, 320, 360, 360]);
});

test('a folder that takes long to list is listed less often', () => {
  const wait = (took: number, unsettled = 0) => Math.round(pollWait({ unsettled, took }, 30_000));
  assert.equal(wait(6_000), 200_000);
  assert.equal(wait(3_600_000), 600_000);
  assert.equal(wait(6_000, 1), 30_000);
});

test('what failed is tried again after a wait that grows to a minute', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 1e9].map((failures) => waitAfter('retry', failures) / 1000);
  assert.deepEqual(waits, [2, 4, 8, 16, 32, 60, 60, 60]);
});

test('a change brings the next poll forward, but a folder is listed a fifth of the time at most', () => {
  const quiet = { due: 30_000, ended: 0, took: 10 };
  assert.equal(pollAfterChange(quiet, 10_000), 10_500);
  assert.equal(pollAfterChange(quiet, 29_900), 30_000);
  assert.equal(pollAfterChange({ due: 30_000, ended: 10_000, took: 10 }, 10_001), 11_000);
  assert.equal(pollAfterChange({ due: 60_000, ended: 10_000, took: 4_000 }, 10_001), 30_000);
});

test('the state follows from the folders and from what is being done', () => {
  const idle = { isStopping: false, isWorking: false, slotAt: null };
  const quiet = folder({ hasWork: false });
  const pending = folder({ hasWork: false, isPending: true });
  const failed = folder({ hasWork: true, retryAt: 9 });
  const away = folder({ isAway: true, pollAt: 7 });
  const cases = [
    [[], idle, 'waiting', null],
    [[quiet], idle, 'waiting', null],
    [[folder({ hasWork: false, retryAt: 4 })], idle, 'waiting', null],
    [[pending, quiet], idle, 'running', null],
    [[folder(), away, failed], idle, 'running', null],
    [[folder(), away], { ...idle, slotAt: 6 }, 'paused', 6],
    [[pending, failed], idle, 'paused', 9],
    [[away, failed], idle, 'paused', 7],
    [[away, folder({ retryAt: 5 })], idle, 'paused', 5],
    [[folder({ isAway: true, pollAt: 3 })], idle, 'paused', 3],
    [[away, failed], { ...idle, isWorking: true }, 'running', null],
    [[folder()], { ...idle, isWorking: true, isStopping: true }, 'stopping', null],
    [[folder(), away], { ...idle, isStopping: true }, 'stopped', null],
  ] as const;
  for (const [folders, activity, state, until] of cases) {
    assert.deepEqual(stateOf(folders, activity, 4), { state, until });
  }
});
