import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { limitIn, mostConnections, openFileLimit, physicalCores } from '../../../runtime/process/limits.ts';

/** `siblings`: of each thread, those of its core, as Linux writes them. */
function machine(t: TestContext, siblings: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'cores-'));
  t.after(() => rmSync(folder, { recursive: true }));
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
