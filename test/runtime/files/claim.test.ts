import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { claim, claimant } from '../../../runtime/files/lock.ts';
import { manualClock } from '../manual-clock.ts';

function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'claim-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = manualClock();
  const path = join(folder, 'owner.json');
  const facts = { lost: 0 };
  const take = () =>
    claim(path, {
      clock,
      refused: (what) => new Error(`refused: ${what}`),
      conflict: ({ pid }) => new Error(`taken by ${pid}`),
      onLost: () => facts.lost++,
    });
  const record = () => JSON.parse(readFileSync(path, 'utf8'));
  const age = (seconds: number) => utimesSync(path, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);
  return { folder, path, clock, facts, take, record, age };
}

test('one at a time holds it; whoever lets go leaves nothing behind', async (t) => {
  const { path, clock, take, age } = setUp(t);
  const one = await take();
  assert.equal(claimant(path)?.pid, process.pid);
  age(100_000);
  await assert.rejects(take(), new RegExp(`taken by ${process.pid}`));
  one.release();
  assert.deepEqual([existsSync(path), clock.waiting, claimant(path)], [false, 0, null]);
  (await take()).release();
});

test('a claim of a process that has ended counts for nothing, and so does a damaged one', async (t) => {
  const { path, take, record } = setUp(t);
  await take();
  const live = record();
  const texts = [{ pid: 2 ** 22 + 1 }, { started: 'another boot/1' }, { token: 'before this process' }].map(
    (dead) => JSON.stringify({ ...live, ...dead }),
  );
  for (const text of [...texts, '{"pid"', '']) {
    writeFileSync(path, text);
    assert.equal(claimant(path), null, text);
    (await take()).release();
  }
});

test('a claim of another machine counts while it is renewed, also when its clock is ahead', async (t) => {
  const { path, take, record, age } = setUp(t);
  const one = await take();
  writeFileSync(path, JSON.stringify({ ...record(), host: 'another', token: 'theirs' }));
  one.release();
  for (const seconds of [0, 200, -200]) {
    age(seconds);
    await assert.rejects(take(), /taken by/, String(seconds));
  }
  for (const seconds of [301, -301]) {
    age(seconds);
    assert.equal(claimant(path), null, String(seconds));
  }
  (await take()).release();
});

test('it is renewed, and written again when somebody removed it', async (t) => {
  const { path, clock, take, age } = setUp(t);
  const one = await take();
  age(1000);
  clock.advance(15_000);
  assert.ok(Date.now() - statSync(path).mtimeMs < 60_000);
  rmSync(path);
  clock.advance(15_000);
  assert.equal(existsSync(path), true);
  one.release();
});

test('whoever was taken over notices it, and does not take the claim of the other away', async (t) => {
  const { path, clock, facts, take, record } = setUp(t);
  const one = await take();
  clock.advance(15_000);
  assert.equal(facts.lost, 0);
  writeFileSync(path, JSON.stringify({ ...record(), host: 'another', token: 'theirs' }));
  clock.advance(15_000);
  one.release();
  assert.deepEqual([facts.lost, clock.waiting, record().token], [1, 0, 'theirs']);
});

test('a folder that cannot be written is an error of whoever asks', async (t) => {
  const { folder, take } = setUp(t);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'no folder');
  await assert.rejects(take(), /refused: /);
});
