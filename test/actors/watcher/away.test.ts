import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { watcherErrors } from '../../../actors/watcher/contract.ts';
import { systemDisk, type WatchedDisk } from '../../../actors/watcher/disk.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { until } from '../../until.ts';
import { put, settled, start } from './start.ts';

const isAway = (error: unknown) => watcherErrors.FOLDER_AWAY.is(error);

function failing(code: string): Error {
  return Object.assign(new Error(`${code}: no`), { code, syscall: 'x' });
}

/** A disk of which calls can be made to fail. */
function faultyDisk(): WatchedDisk & { faults: Map<string, string> } {
  const faults = new Map<string, string>();
  const check = (call: string, path: string) => {
    const code = faults.get(`${call} ${path.replace(/\/$/, '')}`);
    if (code) throw failing(code);
  };
  return {
    ...systemDisk,
    faults,
    list: (folder) => {
      check('list', folder);
      return systemDisk.list(folder);
    },
    stat: (path) => {
      check('stat', path);
      return systemDisk.stat(path);
    },
    opened: (path) => {
      check('open', path);
      return systemDisk.opened(path);
    },
  };
}

test('a folder that is deleted is away, and when it is back nothing was forgotten', async (t) => {
  const { folder, open, poll, settledPoll, take, settle } = await start(t);
  put(folder, 'a.mp4');
  put(folder, 'b.mp4');
  await open();
  await settledPoll();
  await settle([(await take(1))[0]!], 'analyzed');
  renameSync(folder, `${folder}-away`);
  await assert.rejects(poll(), isAway);
  await assert.rejects(take(), isAway);
  writeFileSync(folder, 'a file of that name');
  await assert.rejects(poll(), isAway);
  rmSync(folder);
  renameSync(`${folder}-away`, folder);
  assert.deepEqual((await poll()).counts, { files: 2, pending: 1, analyzed: 1, failed: 0, filtered: 0 });
  assert.equal((await take()).length, 1);
});

test('a mount point whose disk is not there is away, also after a restart', async (t) => {
  const first = await start(t);
  put(first.folder, 'a.mp4');
  await first.open();
  await first.settledPoll();
  await first.settle(await first.take(), 'analyzed');
  renameSync(first.folder, `${first.folder}-disk`);
  t.after(() => rmSync(`${first.folder}-disk`, { recursive: true, force: true }));
  mkdirSync(first.folder);
  writeFileSync(join(first.folder, '.hidden'), '');
  await assert.rejects(first.poll(), isAway);
  const second = await start(t, {}, first);
  await second.open();
  await assert.rejects(second.poll(), isAway);
  rmSync(first.folder, { recursive: true });
  renameSync(`${first.folder}-disk`, first.folder);
  for (const { poll } of [first, second]) assert.equal((await poll()).counts.analyzed, 1);
});

test('a folder whose files were all deleted is empty and not away, also after a restart', async (t) => {
  const first = await start(t);
  const path = put(first.folder, 'a.mp4');
  await first.open();
  await first.settledPoll();
  await first.settle(await first.take(), 'analyzed');
  rmSync(path);
  const second = await start(t, {}, first);
  await second.open();
  for (const { poll } of [first, second]) assert.equal((await poll()).counts.files, 0);
});

test('another disk at the same place is another folder with other files', async (t) => {
  const { folder, open, poll, settledPoll, take, settle } = await start(t);
  put(folder, 'a.mp4');
  await open();
  await settledPoll();
  await settle(await take(), 'analyzed');
  renameSync(folder, `${folder}-disk`);
  t.after(() => rmSync(`${folder}-disk`, { recursive: true, force: true }));
  put(folder, 'b.mp4');
  assert.deepEqual((await poll()).counts, { files: 1, pending: 1, analyzed: 0, failed: 0, filtered: 0 });
});

test('a folder that is unmounted while it is listed loses nothing', async (t) => {
  let unmount = () => {};
  const disk: WatchedDisk = {
    ...systemDisk,
    list: (folder) => {
      const entries = systemDisk.list(folder);
      unmount();
      return entries;
    },
  };
  const { folder, open, poll, settledPoll } = await start(t, { disk });
  for (const name of ['a.mp4', 'b/c.mp4', 'b/d.mp4']) put(folder, name);
  await open();
  await settledPoll();
  unmount = () => {
    unmount = () => {};
    renameSync(folder, `${folder}-disk`);
    mkdirSync(folder);
  };
  await assert.rejects(poll(), isAway);
  rmSync(folder, { recursive: true });
  renameSync(`${folder}-disk`, folder);
  assert.deepEqual((await poll()).counts.files, 3);
});

test('a folder that hangs is away after a while and then at once, and its other messages are answered', async (t) => {
  const hang = Promise.withResolvers<Awaited<ReturnType<WatchedDisk['reach']>>>();
  let asked = 0;
  let hangs = true;
  const reach: WatchedDisk['reach'] = (path) => {
    if (!hangs) return systemDisk.reach(path);
    asked += 1;
    return hang.promise;
  };
  const { folder, open, poll, settle, clock } = await start(t, { disk: { ...systemDisk, reach } });
  put(folder, 'a.mp4');
  await open();
  const late = poll();
  const both = poll();
  await until(() => asked === 1 && clock.waiting > 0);
  assert.equal((await settle([], 'analyzed')).files, 0);
  clock.advance(10_000);
  await assert.rejects(late, isAway);
  await assert.rejects(both, isAway);
  await assert.rejects(poll(), isAway);
  assert.equal(asked, 1);
  hangs = false;
  hang.resolve(await systemDisk.reach(folder));
  await until(() =>
    poll()
      .then(({ counts }) => counts.files === 1)
      .catch(() => false),
  );
});

test('a poll that is cancelled while the folder hangs ends', async (t) => {
  const hang: WatchedDisk['reach'] = () => new Promise(() => {});
  const { open, poll, clock } = await start(t, { disk: { ...systemDisk, reach: hang } });
  await open();
  const given = new AbortController();
  const ended = poll({ signal: given.signal });
  await until(() => clock.waiting > 0);
  given.abort();
  await assert.rejects(ended, (error) => engineErrors.CANCELLED.is(error));
  await until(() => clock.waiting === 0);
});

test('a root that fails while it is listed is away', async (t) => {
  const disk = faultyDisk();
  const { folder, open, poll } = await start(t, { disk });
  put(folder, 'a.mp4');
  await open();
  await poll();
  for (const code of ['EIO', 'ESTALE', 'EACCES', 'ENOENT']) {
    disk.faults.set(`list ${folder}`, code);
    await assert.rejects(poll(), isAway, code);
  }
  disk.faults.clear();
  assert.equal((await poll()).counts.files, 1);
});

test('what lies in a folder that could not be read is not dropped', async (t) => {
  const disk = faultyDisk();
  const { folder, open, poll } = await start(t, { disk });
  for (const name of ['a.mp4', 'b/c.mp4', 'd/e.mp4']) put(folder, name);
  await open();
  await poll();
  rmSync(join(folder, 'a.mp4'));
  for (const code of ['EIO', 'EACCES', 'ESTALE', 'EMFILE']) {
    disk.faults.set(`list ${folder}/b`, code);
    const { counts, unreadable, unreadable_count } = await poll();
    assert.deepEqual([counts.files, unreadable_count], [2, 1], code);
    assert.equal(unreadable?.path, join(folder, 'b'));
  }
  disk.faults.clear();
  assert.deepEqual((await poll()).counts.files, 2);
});

test('a file that cannot be opened stays pending and is told until it can be', async (t) => {
  const disk = faultyDisk();
  const { folder, open, poll, settledPoll, take } = await start(t, { disk });
  const path = put(folder, 'a.mp4');
  disk.faults.set(`open ${path}`, 'EBUSY');
  await open();
  assert.equal((await settledPoll()).ready, 1);
  assert.deepEqual(await take(), []);
  const { counts, ready, unsettled, unreadable } = await poll();
  assert.deepEqual([counts.pending, ready, unsettled], [1, 0, 0]);
  assert.deepEqual(unreadable, { path, message: 'EBUSY: no' });
  disk.faults.clear();
  assert.equal((await poll()).ready, 1);
  assert.equal((await take()).length, 1);
});

test('a file whose size cannot be had is pending, and what was done with it is not forgotten', async (t) => {
  const disk = faultyDisk();
  const { folder, open, poll, settledPoll, take, settle, clock } = await start(t, { disk });
  const done = put(folder, 'done.mp4');
  await open();
  await settledPoll();
  await settle(await take(), 'analyzed');
  const fresh = put(folder, 'new.mp4');
  for (const path of [done, fresh]) disk.faults.set(`stat ${path}`, 'EIO');
  for (const _ of [1, 2]) {
    clock.advance(settled);
    const { counts, unsettled, unreadable_count } = await poll();
    assert.deepEqual([counts.pending, counts.analyzed, unsettled, unreadable_count], [1, 1, 0, 2]);
  }
  disk.faults.clear();
  assert.equal((await settledPoll()).ready, 1);
  assert.equal((await poll()).counts.analyzed, 1);
});

test('of many that cannot be looked at one is told by name', async (t) => {
  const disk = faultyDisk();
  const { folder, open, poll } = await start(t, { disk });
  for (let i = 0; i < 50; i++) disk.faults.set(`stat ${put(folder, `${i}.mp4`)}`, 'EACCES');
  await open();
  const { unreadable, unreadable_count, counts } = await poll();
  assert.ok(unreadable?.path.startsWith(folder));
  assert.deepEqual([unreadable_count, counts.pending], [50, 50]);
});

const keepsNobodyOut = process.platform === 'win32' || process.getuid?.() === 0;
test('a folder without permission is told by the system itself', {
  skip: keepsNobodyOut && 'root may read everything',
}, async (t) => {
  const { folder, open, poll } = await start(t);
  put(folder, 'a.mp4');
  put(folder, 'private/b.mp4');
  chmodSync(join(folder, 'private'), 0);
  t.after(() => chmodSync(join(folder, 'private'), 0o700));
  await open();
  const { counts, unreadable_count } = await poll();
  assert.deepEqual([counts.files, unreadable_count], [1, 1]);
});

test('nothing is written into a watched folder', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'watcher-'));
  t.after(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });
  put(folder, 'a.mp4');
  chmodSync(folder, 0o500);
  const { open, settledPoll, take, settle } = await start(
    t,
    {},
    { folder, ledger: join(temporaryFolder(t), 'x') },
  );
  await open();
  await settledPoll();
  assert.equal((await settle(await take(), 'analyzed')).analyzed, 1);
  assert.deepEqual(readdirSync(folder), ['a.mp4']);
});
