import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { askedStart, hasEnded, isSameStart, thisProcess } from '../../../runtime/process/identity.ts';
import { limitIn, mostConnections, openFileLimit, physicalCores } from '../../../runtime/process/limits.ts';
import { moduleUrl } from '../../../runtime/process/program.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { program, run } from './log-program.ts';

const key = `fh_${'Ab0-_'.repeat(8)}`;

test('an error nobody caught is the last line of the log, and the process is gone', async () => {
  for (const fault of [`Promise.reject(new Error('${key}'))`, `throw new Error('${key}')`]) {
    const end = `endOnFault(log, flush); setInterval(() => {}, 1e9); setImmediate(() => { ${fault}; });`;
    const { lines, signal } = await run(program(end, 100));
    const last = lines.at(-1)!;
    assert.deepEqual([last['message'], lines.length, signal], ['engine met a fault', 101, 'SIGKILL']);
    assert.equal((last['error'] as { message: string }).message, '[redacted]');
  }
});

// Whether a process that was met earlier has ended, when only parts of the system tell of it.

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

/** `siblings`: of each thread, those of its core, as Linux writes them. */
function machine(t: TestContext, siblings: readonly string[]): string {
  const folder = temporaryFolder(t);
  for (const [thread, others] of siblings.entries()) {
    const topology = join(folder, `cpu${thread}`, 'topology');
    mkdirSync(topology, { recursive: true });
    writeFileSync(join(topology, 'thread_siblings_list'), `${others}\n`);
  }
  mkdirSync(join(folder, 'cpufreq'));
  return folder;
}

test('threads of a core count as one', (t) => {
  assert.equal(physicalCores(4, machine(t, ['0,2', '1,3', '0,2', '1,3'])), 2);
  assert.equal(physicalCores(2, machine(t, ['0', '1'])), 2);
  // Two cores with two threads, and two with one.
  assert.equal(physicalCores(6, machine(t, ['0-1', '0-1', '2-3', '2-3', '4', '5'])), 4);
});

test('a process that may use a part of a machine is given that part of its cores, at least one', (t) => {
  const folder = machine(t, ['0,2', '1,3', '0,2', '1,3']);
  assert.equal(physicalCores(3, folder), 2);
  assert.equal(physicalCores(1, folder), 1);
});

test('where the system does not say, every thread counts', (t) => {
  assert.equal(physicalCores(4, machine(t, [])), 4);
  assert.equal(physicalCores(4, join(machine(t, []), 'missing')), 4);
});

test('the limit is read as the system says it', () => {
  const row = (soft: string) =>
    `Limit  Soft Limit  Hard Limit\nMax open files            ${soft}   4096   files\n`;
  assert.equal(limitIn(row('256')), 256);
  assert.equal(limitIn(row('unlimited')), Number.POSITIVE_INFINITY);
  assert.equal(limitIn('something else'), Number.POSITIVE_INFINITY);
  assert.ok(openFileLimit() > 0);
});

test('what is set by a shell is what is found', { skip: process.platform !== 'linux' }, () => {
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -n 256 && cat /proc/self/limits'], { encoding: 'utf8' });
  assert.equal(limitIn(stdout), 256);
});

test('connections leave the engine its files', () => {
  assert.equal(mostConnections(256, 2), 96);
  assert.equal(mostConnections(64, 2), 16);
  assert.equal(mostConnections(Number.POSITIVE_INFINITY, 2), Number.POSITIVE_INFINITY);
});

test('a module has the extension of its caller, in a checkout and in a package', () => {
  const table: [path: string, from: string, url: string][] = [
    ['./entry', 'file:///house/runtime/thread.ts', 'file:///house/runtime/entry.ts'],
    ['./entry', 'file:///pkg/dist/runtime/thread.js', 'file:///pkg/dist/runtime/entry.js'],
    ['./actors/index/actor', 'file:///a.b/main.js', 'file:///a.b/actors/index/actor.js'],
  ];
  for (const [path, from, url] of table) assert.equal(moduleUrl(path, from).href, url);
});
