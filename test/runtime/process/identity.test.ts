// Whether a process that was met earlier has ended, when only parts of the system tell of it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { hasEnded, thisProcess } from '../../../runtime/process/identity.ts';

const onLinux = { skip: process.platform !== 'linux' };

test('a number that a process of somebody else has now says that the first one has ended', onLinux, (t) => {
  t.mock.method(process, 'kill', () => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  });
  assert.equal(hasEnded({ ...thisProcess(), started: 'before/1' }), true);
  assert.equal(hasEnded(thisProcess()), false);
});

test('a process of somebody else that hides when it began has not certainly ended', onLinux, (t) => {
  t.mock.method(process, 'kill', () => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  });
  // No process has this number, so nothing tells when it began.
  assert.equal(hasEnded({ ...thisProcess(), pid: 2 ** 30, started: 'before/1' }), false);
});
