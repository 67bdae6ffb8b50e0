import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { limitIn, mostConnections, openFileLimit } from '../../../runtime/process/limits.ts';

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
