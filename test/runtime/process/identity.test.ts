// Whether a process that was met earlier has ended, when only parts of the system tell of it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { askedStart, hasEnded, isSameStart, thisProcess } from '../../../runtime/process/identity.ts';

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

test('where a program tells when a process began, it is the time that the process itself knows', (t) => {
  const own = Math.round(performance.timeOrigin);
  // The `ps` of Linux answers as that of macOS does.
  if (process.platform !== 'win32') {
    const asked = askedStart(process.pid, 'darwin');
    assert.ok(asked !== null && isSameStart(`clock/${own}`, `clock/${asked}`), `${asked} instead of ${own}`);
    assert.equal(askedStart(2 ** 30, 'darwin'), null);
  }
  const powershell = t.mock.fn(() => ({ stdout: '2026-11-26T12:35:42.1234567Z\r\n' }));
  assert.equal(askedStart(7, 'win32', powershell), Date.UTC(2026, 10, 26, 12, 35, 42, 123));
  assert.match(String(powershell.mock.calls[0]?.arguments), /powershell\.exe,.*Get-Process -Id 7\)/);
  assert.equal(
    askedStart(7, 'win32', () => ({ stdout: null })),
    null,
  );
});

test('a process that began seconds later with the same number is another one', () => {
  assert.ok(isSameStart('clock/5000', 'clock/6999'));
  assert.ok(!isSameStart('clock/5000', 'clock/7000'));
  assert.ok(isSameStart('boot/17', 'boot/17'));
  assert.ok(!isSameStart('boot/17', 'boot/18'));
  assert.ok(!isSameStart('boot/17', 'clock/17'));
});
