import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { type DiskCalls, Looks } from '../../../../actors/watcher/folders/looks.ts';
import { manualClock } from '../../../../runtime/clock.ts';
import { until } from '../../../until.ts';

test('a folder is known by its real name, and what is no folder says why', async (t) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'framehound-watch-')));
  t.after(() => rmSync(base, { recursive: true }));
  mkdirSync(join(base, 'films'));
  writeFileSync(join(base, 'file'), '');
  symlinkSync('films', join(base, 'link'));
  const clock = manualClock();
  const looks = new Looks(clock);
  assert.deepEqual(await looks.folder(join(base, 'link')), {
    kind: 'folder',
    real: join(base, 'films'),
    writable: true,
  });
  assert.deepEqual(await looks.folder(join(base, 'file')), { kind: 'other', why: 'is not a folder' });
  assert.deepEqual(await looks.folder(join(base, 'none')), { kind: 'missing', why: 'does not exist' });
  assert.deepEqual(await looks.folder(join(base, 'file', 'in')), { kind: 'missing', why: 'does not exist' });
  assert.equal(clock.waiting, 0);
});

test('another store has another name, and a folder without one has none', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'framehound-watch-'));
  t.after(() => rmSync(base, { recursive: true }));
  const looks = new Looks(manualClock());
  const file = join(base, 'records.mdb');
  assert.deepEqual(await looks.store(base), { id: null });
  assert.deepEqual(await looks.store(join(base, 'none')), { id: null });
  const write = () =>
    until(() => {
      // The clock of the file system goes in steps.
      writeFileSync(file, 'a', { flag: 'a' });
      const { birthtimeNs, ctimeNs } = statSync(file, { bigint: true });
      return birthtimeNs !== ctimeNs;
    });
  await write();
  const first = await looks.store(base);
  writeFileSync(file, 'more');
  assert.deepEqual(await looks.store(base), first);
  rmSync(file);
  await write();
  assert.notDeepEqual(await looks.store(base), first);
});

test('a share that does not answer is waited for a while once, and not asked again while it hangs', async () => {
  const clock = manualClock();
  let asked = 0;
  const answer = Promise.withResolvers<{ kind: 'other'; why: string }>();
  const calls: DiskCalls = {
    lookAt: () => {
      asked++;
      return answer.promise;
    },
    storeAt: () => Promise.reject(new Error('not asked')),
  };
  const looks = new Looks(clock, calls);
  const [one, two] = [looks.folder('/share'), looks.folder('/share')];
  clock.advance(5_000);
  const silent = { kind: 'silent', why: 'does not answer' };
  assert.deepEqual([await one, await two, await looks.folder('/share')], [silent, silent, silent]);
  assert.deepEqual([asked, clock.waiting], [1, 0]);
  answer.resolve({ kind: 'other', why: 'is back' });
  await answer.promise;
  await new Promise(setImmediate);
  assert.equal((await looks.folder('/share')).kind, 'other');
  assert.equal(asked, 2);
});
