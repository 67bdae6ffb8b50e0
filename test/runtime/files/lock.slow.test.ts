import assert from 'node:assert/strict';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { claim, claimant, isAlive, letGo, newHolder, underLock } from '../../../runtime/files/lock.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { eachTurn, until } from '../../until.ts';
import { manualClock } from '../manual-clock.ts';

const options = { clock: manualClock(), refused: (what: string) => new Error(`refused: ${what}`) };
const isRefused = /refused: /;

test('a lock goes when its change has ended, and stays when another machine took it over meanwhile', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'lists.lock');
  assert.equal(await underLock(path, options, () => readdirSync(folder).length), 1);
  assert.deepEqual(readdirSync(folder), []);
  const other = JSON.stringify({ ...newHolder(), host: 'elsewhere' });
  await underLock(path, options, () => writeFileSync(path, other));
  assert.equal(readFileSync(path, 'utf8'), other);
});

test('a lock of another machine is waited for, and taken over when it was silent for five seconds', async (t) => {
  const folder = temporaryFolder(t);
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

function setUp(t: TestContext) {
  const folder = temporaryFolder(t);
  const clock = manualClock();
  const path = join(folder, 'a.lock');
  /** Time passes until it has settled. */
  const passing = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false;
    const done = () => {
      settled = true;
    };
    promise.then(done, done);
    await until(() => {
      clock.advance(100);
      return settled;
    }, eachTurn);
    return promise;
  };
  return { path, clock, passing };
}

test('a lock that is held is waited for, but not for ever, and stays with its holder', async (t) => {
  const { path, clock, passing } = setUp(t);
  const holder = newHolder();
  writeFileSync(path, JSON.stringify(holder));
  const began = clock.now();
  await assert.rejects(
    passing(underLock(path, { ...options, clock }, () => assert.fail('it is held'))),
    isRefused,
  );
  assert.ok(clock.now() - began < 11_000);
  assert.ok(existsSync(path));
  letGo(holder);
  assert.equal(await passing(underLock(path, { ...options, clock }, () => 'mine')), 'mine');
});

test('a lock of another machine, or one that was cut short, is taken over when nothing happens to it', async (t) => {
  const { path, clock, passing } = setUp(t);
  for (const text of [JSON.stringify({ ...newHolder(), host: 'another' }), '', '{"pid":']) {
    writeFileSync(path, text);
    const began = clock.now();
    assert.equal(await passing(underLock(path, { ...options, clock }, () => 'mine')), 'mine');
    assert.ok(clock.now() - began >= 5_000, text);
    assert.equal(existsSync(path), false);
  }
});

test('a process that ended while it removed a lock holds nobody up', async (t) => {
  const { path, clock, passing } = setUp(t);
  const dead = JSON.stringify({ ...newHolder(), pid: 2 ** 22 + 1 });
  writeFileSync(path, dead);
  writeFileSync(`${path}.over`, dead);
  assert.equal(await passing(underLock(path, { ...options, clock }, () => 'mine')), 'mine');
  assert.deepEqual([existsSync(path), existsSync(`${path}.over`)], [false, false]);
});

test('a lock whose remover ended on another machine, or was cut short, is taken over in time', async (t) => {
  const { path, clock, passing } = setUp(t);
  const dead = JSON.stringify({ ...newHolder(), pid: 2 ** 22 + 1 });
  const elsewhere = JSON.stringify({ ...newHolder(), host: 'another' });
  for (const lock of [dead, elsewhere, ''])
    for (const remover of [elsewhere, '', '{"pid":']) {
      writeFileSync(path, lock);
      writeFileSync(`${path}.over`, remover);
      const began = clock.now();
      assert.equal(await passing(underLock(path, { ...options, clock }, () => 'mine')), 'mine');
      assert.ok(clock.now() - began >= 5_000, remover);
      assert.deepEqual([existsSync(path), existsSync(`${path}.over`)], [false, false]);
    }
});

test('a lock that is being removed is not asked for without a pause', async (t) => {
  const { path, clock } = setUp(t);
  writeFileSync(path, JSON.stringify({ ...newHolder(), pid: 2 ** 22 + 1 }));
  writeFileSync(`${path}.over`, JSON.stringify(newHolder()));
  const pauses = new Set<number>();
  const after = (ms: number, run: () => void) => {
    pauses.add(ms);
    clock.advance(ms);
    queueMicrotask(run);
    return () => {};
  };
  const work = underLock(path, { ...options, clock: { now: () => clock.now(), after } }, () =>
    assert.fail('it is not free'),
  );
  await assert.rejects(work, isRefused);
  assert.ok(pauses.size > 0 && !pauses.has(0));
});

test('a holder lives until it lets go; of another machine nothing is known', () => {
  const holder = newHolder();
  assert.equal(isAlive(holder), true);
  letGo(holder);
  assert.equal(isAlive(holder), false);
  assert.equal(isAlive({ ...holder, host: 'another' }), 'unknown');
});

test('a link to nothing in the place of the lock is told, and nothing hangs', async (t) => {
  const { path, clock, passing } = setUp(t);
  symlinkSync('nothing', path);
  const work = passing(underLock(path, { ...options, clock }, () => assert.fail('it is not held')));
  await assert.rejects(work, isRefused);
});

function setUpClaim(t: TestContext) {
  const folder = temporaryFolder(t);
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
  const { path, clock, take, age } = setUpClaim(t);
  const one = await take();
  assert.equal(claimant(path)?.pid, process.pid);
  age(100_000);
  await assert.rejects(take(), new RegExp(`taken by ${process.pid}`));
  one.release();
  assert.deepEqual([existsSync(path), clock.waiting, claimant(path)], [false, 0, null]);
  (await take()).release();
});

test('a claim of a process that has ended counts for nothing, and so does a damaged one', async (t) => {
  const { path, take, record } = setUpClaim(t);
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
  const { path, take, record, age } = setUpClaim(t);
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
  const { path, clock, take, age } = setUpClaim(t);
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
  const { path, clock, facts, take, record } = setUpClaim(t);
  const one = await take();
  clock.advance(15_000);
  assert.equal(facts.lost, 0);
  writeFileSync(path, JSON.stringify({ ...record(), host: 'another', token: 'theirs' }));
  clock.advance(15_000);
  one.release();
  assert.deepEqual([facts.lost, clock.waiting, record().token], [1, 0, 'theirs']);
});

test('a folder that cannot be written is an error of whoever asks', async (t) => {
  const { folder, take } = setUpClaim(t);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'no folder');
  await assert.rejects(take(), /refused: /);
});
