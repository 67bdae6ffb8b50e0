import assert from 'node:assert/strict';
import test from 'node:test';
import { type EngineEnd, engineExit, engineVerdict, stuckVerdict, verdict } from '../../runtime/restart.ts';

test('the restart verdict doubles its delay and gives up after too many crashes in the window', () => {
  const policy = { most: 3, windowMs: 1_000, firstDelayMs: 10, longestDelayMs: 30 };
  const table: [number[], number, object][] = [
    [[0], 0, { do: 'restart', afterMs: 10 }],
    [[0, 5], 5, { do: 'restart', afterMs: 20 }],
    [[0, 5, 9], 9, { do: 'restart', afterMs: 30 }],
    [[0, 5, 9, 12], 12, { do: 'give-up', reason: '4 crashes within 1 s' }],
    [[0, 5, 9, 1_200], 1_200, { do: 'restart', afterMs: 10 }],
  ];
  for (const [crashes, now, expected] of table) assert.deepEqual(verdict(crashes, now, policy), expected);
});

test('an actor that gets stuck again soon needs a new process; long ago counts for nothing', () => {
  const minute = 60_000;
  assert.equal(stuckVerdict([0], 0), 'replace');
  assert.equal(stuckVerdict([0, 5 * minute], 5 * minute), 'restart-engine');
  assert.equal(stuckVerdict([0, 31 * minute], 31 * minute), 'replace');
  assert.equal(stuckVerdict([0, 31 * minute, 32 * minute], 32 * minute), 'restart-engine');
});

test('the verdict over an engine that ended', () => {
  const end = (code: number | null, signal: string | null = null, isRequested = false): EngineEnd => ({
    code,
    signal,
    isRequested,
  });
  const again = (afterMs: number) => ({ do: 'restart', afterMs });
  const table: [EngineEnd, number[], object][] = [
    [end(null, 'SIGKILL'), [0], again(50)],
    [end(null, 'SIGABRT'), [0, 0], again(100)],
    [end(1), [0, 0, 0], again(200)],
    [end(engineExit.restart), [0], again(50)],
    [end(13), [0, 0, 0, 0, 0, 0, 0, 0], again(5_000)],
    [end(1), [-120_000, 0], again(50)],
    [end(1), new Array(9).fill(0), { do: 'end', code: 1, reason: '9 crashes within 120 s' }],
    [end(0), [0], { do: 'end', code: 0, reason: 'it ended by itself' }],
    [end(2), [0], { do: 'end', code: 2, reason: 'it would end the same way again' }],
    [end(69), [0], { do: 'end', code: 69, reason: 'it would end the same way again' }],
    [end(130), [0], { do: 'end', code: 130, reason: 'it would end the same way again' }],
    [end(0, null, true), [], { do: 'end', code: 0, reason: 'it was asked to stop' }],
    [end(3, null, true), [], { do: 'end', code: 3, reason: 'it was asked to stop' }],
    [end(75, null, true), [], { do: 'end', code: 0, reason: 'it was asked to stop' }],
    [end(null, 'SIGINT', true), [], { do: 'end', code: 0, reason: 'it was asked to stop' }],
    [end(null, 'SIGKILL', true), [], { do: 'end', code: 1, reason: 'it was asked to stop' }],
  ];
  for (const [ended, crashes, expected] of table)
    assert.deepEqual(engineVerdict(ended, crashes, 0), expected, JSON.stringify(ended));
});
