import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { Ownership } from '../../../../actors/watcher/folders/owner.ts';
import { manualClock } from '../../../../runtime/clock.ts';
import { createLog } from '../../../../runtime/log.ts';
import { code } from './watching.ts';

function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-watch-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = manualClock();
  const path = join(folder, 'owner.json');
  const owner = () =>
    new Ownership(
      path,
      clock,
      createLog('test', () => {}),
    );
  const record = () => JSON.parse(readFileSync(path, 'utf8'));
  return { path, clock, owner, record };
}

const nothing = () => {};

test('one at a time watches; whoever lets go leaves nothing behind', async (t) => {
  const { path, clock, owner } = setUp(t);
  const [one, two] = [owner(), owner()];
  await one.take(nothing);
  assert.equal(one.other(), null);
  assert.equal(two.other()?.pid, process.pid);
  await assert.rejects(two.take(nothing), code('WATCHED_ELSEWHERE'));
  clock.advance(300_000);
  await assert.rejects(two.take(nothing), code('WATCHED_ELSEWHERE'));
  one.release();
  assert.deepEqual([existsSync(path), clock.waiting], [false, 0]);
  await two.take(nothing);
  two.release();
});

test('a record of a process that has ended counts for nothing', async (t) => {
  const { path, owner, record } = setUp(t);
  await owner().take(nothing);
  const live = record();
  for (const dead of [
    { pid: 2 ** 22 + 1 },
    { started: 'another boot/1' },
    { token: 'before this process' },
  ]) {
    writeFileSync(path, JSON.stringify({ ...live, ...dead }));
    const next = owner();
    await next.take(nothing);
    next.release();
  }
  writeFileSync(path, '{"pid"');
  const next = owner();
  await next.take(nothing);
  next.release();
});

test('a record of another machine counts while it is renewed, whatever the clocks say', async (t) => {
  const { path, clock, owner, record } = setUp(t);
  await owner().take(nothing);
  const foreign = { ...record(), host: 'another', token: 'theirs' };
  const next = owner();
  for (const renewals of [1, 2, 3, 4, 5, 6]) {
    writeFileSync(path, JSON.stringify({ ...foreign, renewals }));
    await assert.rejects(next.take(nothing), code('WATCHED_ELSEWHERE'));
    clock.advance(40_000);
  }
  await assert.rejects(next.take(nothing), code('WATCHED_ELSEWHERE'));
  clock.advance(60_000);
  await next.take(nothing);
  next.release();
});

test('whoever was taken over notices it, and does not take the record of the other away', async (t) => {
  const { path, clock, owner, record } = setUp(t);
  let lost = 0;
  const one = owner();
  await one.take(() => lost++);
  clock.advance(15_000);
  assert.equal(lost, 0);
  writeFileSync(path, JSON.stringify({ ...record(), host: 'another', token: 'theirs' }));
  clock.advance(15_000);
  one.release();
  assert.deepEqual([lost, clock.waiting, record().token], [1, 0, 'theirs']);
});

test('a record that somebody removed is written again', async (t) => {
  const { path, clock, owner } = setUp(t);
  const one = owner();
  await one.take(nothing);
  rmSync(path);
  clock.advance(15_000);
  assert.equal(existsSync(path), true);
  one.release();
});
