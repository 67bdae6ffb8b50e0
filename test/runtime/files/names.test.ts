// Names are given and taken away as on Windows: the system of these tests refuses some times, and waits are
// counted and not waited for.
import assert from 'node:assert/strict';
import fs, { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import fsLater from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createFile, replaceFile } from '../../../runtime/files/atomic-write.ts';
import { underLock } from '../../../runtime/files/lock.ts';
import * as names from '../../../runtime/files/names.ts';
import { saveNew } from '../../../runtime/files/save-new.ts';
import { eachTurn, until } from '../../until.ts';
import { manualClock } from '../manual-clock.ts';

type Call = 'renameSync' | 'linkSync' | 'rmSync' | 'openSync' | 'rename' | 'rm' | 'rmdir';

/** `call` is refused `times` times, for paths that end in `about`. Answers the waits so far, in ms. */
function windows(t: TestContext, platform: NodeJS.Platform = 'win32') {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-names-'));
  const waited: number[] = [];
  const restore = names.onSystem({
    platform,
    block: (ms) => void waited.push(ms),
    wait: async (ms) => void waited.push(ms),
  });
  t.after(() => {
    restore();
    t.mock.restoreAll();
    syncBuiltinESMExports();
    rmSync(folder, { recursive: true, force: true });
  });
  const refuse = (call: Call, times: number, code: string, about = '') => {
    const module = (call in fsLater && !call.endsWith('Sync') ? fsLater : fs) as unknown as Record<
      Call,
      (...args: unknown[]) => unknown
    >;
    const original = module[call];
    let left = times;
    t.mock.method(module, call, (...args: unknown[]) => {
      if (!args.some((arg) => typeof arg === 'string' && arg.endsWith(about)) || left <= 0)
        return original(...args);
      left--;
      throw Object.assign(new Error(`${code}: refused`), { code, syscall: call });
    });
    syncBuiltinESMExports();
  };
  return { at: (name: string) => join(folder, name), folder, waited, refuse };
}

for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
  test(`a file that somebody looks at (${code}) is replaced when they are done`, (t) => {
    const { at, folder, waited, refuse } = windows(t);
    writeFileSync(at('kept.json'), 'old');
    refuse('renameSync', 3, code);
    replaceFile(at('kept.json'), 'new', { flush: false });
    assert.equal(readFileSync(at('kept.json'), 'utf8'), 'new');
    assert.deepEqual(readdirSync(folder), ['kept.json']);
    assert.deepEqual(waited, [10, 20, 40]);
  });
}

test('what stays refused is told with the error of the system, after 1.3 s or 15 s, and leaves nothing', async (t) => {
  const { at, folder, waited, refuse } = windows(t);
  const total = () => waited.splice(0).reduce((sum, ms) => sum + ms, 0);
  refuse('renameSync', Number.POSITIVE_INFINITY, 'EPERM');
  assert.throws(() => replaceFile(at('kept.json'), 'new', { flush: false }), { code: 'EPERM' });
  assert.equal(total(), 1_270);
  assert.deepEqual(readdirSync(folder), []);
  refuse('rename', Number.POSITIVE_INFINITY, 'EACCES');
  await assert.rejects(names.rename(at('a'), at('b')), { code: 'EACCES' });
  assert.equal(total(), 15_270);
});

test('other errors, and other systems, are not asked twice', async (t) => {
  for (const [platform, code] of [
    ['win32', 'ENOSPC'],
    ['linux', 'EPERM'],
    ['darwin', 'EBUSY'],
  ] as const) {
    const { at, waited, refuse } = windows(t, platform);
    refuse('renameSync', 1, code);
    assert.throws(() => names.renameSync(at('a'), at('b')), { code });
    refuse('rm', 1, code);
    await assert.rejects(names.rm(at('a')), { code });
    assert.deepEqual(waited, []);
  }
});

test('a name whose deletion is pending is given when the deletion has ended', async (t) => {
  const { at, folder, refuse } = windows(t);
  refuse('linkSync', 2, 'EPERM');
  assert.equal(createFile(at('a'), 'first', { flush: false }), true);
  assert.equal(createFile(at('a'), 'second', { flush: false }), false);
  // A card without links: an empty file reserves the name.
  refuse('linkSync', Number.POSITIVE_INFINITY, 'ENOTSUP');
  refuse('openSync', 2, 'EPERM', at('b'));
  assert.equal(createFile(at('b'), 'third', { flush: false }), true);
  assert.equal(await saveNew(folder, 'b', Buffer.from('fourth')), at('b-2'));
  assert.deepEqual(readdirSync(folder).sort(), ['a', 'b', 'b-2']);
  assert.equal(readFileSync(at('b'), 'utf8'), 'third');
});

test('a folder goes when the deletion of what was in it has ended', async (t) => {
  const { at, waited, refuse } = windows(t);
  fs.mkdirSync(at('folder'));
  refuse('rmdir', 2, 'ENOTEMPTY');
  await names.rmdir(at('folder'));
  assert.ok(!existsSync(at('folder')));
  assert.equal(waited.length, 2);
});

test('a lock whose file is refused for a moment is waited for, and one that stays so is told', async (t) => {
  const { at, refuse } = windows(t);
  const clock = manualClock();
  const refused = (what: string) => new Error(`refused: ${what}`);
  const run = (change: () => string) => underLock(at('a.lock'), { clock, refused }, change);
  const passing = async (lock: Promise<string>) => {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    lock.then(settled, settled);
    await until(() => {
      clock.advance(100);
      return isSettled;
    }, eachTurn);
    return lock;
  };
  // More than one call insists on.
  refuse('linkSync', 12, 'EPERM');
  refuse('openSync', 12, 'EPERM', 'a.lock');
  assert.equal(await passing(run(() => 'mine')), 'mine');
  refuse('linkSync', Number.POSITIVE_INFINITY, 'EPERM');
  refuse('openSync', Number.POSITIVE_INFINITY, 'EPERM', 'a.lock');
  await assert.rejects(passing(run(() => 'mine')), /refused: .*a\.lock cannot be written \(EPERM\)/);
});

test('what cannot be removed does not hide why a change failed', async (t) => {
  const { at, refuse } = windows(t);
  refuse('rmSync', Number.POSITIVE_INFINITY, 'EBUSY');
  refuse('renameSync', Number.POSITIVE_INFINITY, 'ENOSPC');
  assert.throws(() => replaceFile(at('a'), 'text', { flush: false }), { code: 'ENOSPC' });
  const options = { clock: manualClock(), refused: (what: string) => new Error(what) };
  const fail = () => {
    throw new Error('the change');
  };
  await assert.rejects(underLock(at('a.lock'), options, fail), /^Error: the change$/);
  await names.discard(at('never there'));
});
