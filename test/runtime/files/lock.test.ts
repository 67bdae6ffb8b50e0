import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { manualClock } from '../../../runtime/clock.ts';
import { newHolder, underLock } from '../../../runtime/files/lock.ts';
import { eachTurn, until } from '../../until.ts';

const options = { clock: manualClock(), refused: (what: string) => new Error(what) };

test('a lock goes when its change has ended, and stays when another machine took it over meanwhile', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'lists.lock');
  assert.equal(await underLock(path, options, () => readdirSync(folder).length), 1);
  assert.deepEqual(readdirSync(folder), []);
  const other = JSON.stringify({ ...newHolder(), host: 'elsewhere' });
  await underLock(path, options, () => writeFileSync(path, other));
  assert.equal(readFileSync(path, 'utf8'), other);
});

test('a lock of another machine is waited for, and taken over when it was silent for five seconds', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'lists.lock');
  writeFileSync(path, JSON.stringify({ ...newHolder(), host: 'elsewhere' }));
  const clock = manualClock();
  let changedAt: number | null = null;
  const change = underLock(path, { ...options, clock }, () => {
    changedAt = clock.now();
  });
  await until(() => {
    if (clock.waiting > 0) clock.advance(20);
    return changedAt !== null;
  }, eachTurn);
  await change;
  assert.ok(changedAt! >= 5_000 && changedAt! < 5_100, String(changedAt));
  assert.equal(existsSync(path), false);
});
