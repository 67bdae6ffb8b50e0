// Who starts the service when several could.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { takeStart } from '../../cli/start-claim.ts';
import { thisProcess } from '../../runtime/process/identity.ts';

test('one command starts, and what one left behind keeps nobody from starting', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-start-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'service.starting');
  assert.equal(takeStart(path), true);
  assert.equal(takeStart(path), false, 'this process starts already');
  const left = [
    '{"pid":',
    JSON.stringify({ ...thisProcess(), pid: 0 }),
    JSON.stringify({ ...thisProcess(), pid: 0, host: 'name-of-before' }),
    JSON.stringify({ ...thisProcess(), started: 'before/1', host: 'another-machine' }),
  ];
  for (const text of left) {
    writeFileSync(path, text);
    assert.equal(takeStart(path), true, text);
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), thisProcess());
  }
});
