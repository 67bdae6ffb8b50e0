import assert from 'node:assert/strict';
import test from 'node:test';
import { duration, printable } from '../../cli/terminal.ts';

test('control characters of file names are shown, not sent to the terminal', () => {
  assert.equal(printable('a\x1b[2Jb\n'), 'a\\x1b[2Jb\\x0a');
});

test('durations are written as a person says them', () => {
  assert.deepEqual([0.2, 59, 61, 3_725].map(duration), ['1 s', '59 s', '1 min 1 s', '1 h 2 min']);
});
