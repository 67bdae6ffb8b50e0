import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { watcherContract, watcherErrors } from '../../../actors/watcher/contract.ts';
import { systemDisk } from '../../../actors/watcher/disk.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createLog } from '../../../runtime/log.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { threadSpec } from '../../../runtime/thread.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { until } from '../../until.ts';
import { fakeDisk } from './fake-disk.ts';
import { nothingExcluded, put, settled, start } from './start.ts';

const isUnwritable = (error: unknown) => watcherErrors.LEDGER_UNWRITABLE.is(error);
const isCancelled = (error: unknown) => engineErrors.CANCELLED.is(error);

test('a closed folder is remembered, and with `remove` forgotten', async (t) => {
  const { folder, ledger, open, poll, settledPoll, take, settle, close } = await start(t);
  put(folder, 'a.mp4');
  await open();
  await settledPoll();
  await settle(await take(), 'analyzed');
  await close();
  assert.equal((await open()).analyzed, 1);
  await close(true);
  assert.ok(!existsSync(ledger));
  await close(true);
  assert.equal((await open()).files, 0);
  assert.equal((await poll()).counts.pending, 1);
});

test('a ledger that cannot be written changes nothing', async (t) => {
  const { folder, ledger, open, settledPoll, poll, take, settle } = await start(t);
  for (const name of ['a.mp4', 'b.mp4']) put(folder, name);
  await open();
  await settledPoll();
  const taken = await take();
  // Nothing can be put there.
  rmSync(ledger);
  mkdirSync(ledger);
  await assert.rejects(settle(taken, 'analyzed'), isUnwritable);
  await assert.rejects(open({ work: 'other' }), isUnwritable);
  await assert.rejects(poll(), isUnwritable);
  rmSync(ledger, { recursive: true });
  await open({ work: 'all' });
  const { counts, ready } = await poll();
  assert.deepEqual([counts.pending, counts.analyzed, ready], [2, 0, 0]);
  assert.equal((await settle(taken, 'analyzed')).analyzed, 2);
  const again = await start(t, {}, { folder, ledger });
  assert.equal((await again.open()).analyzed, 2);
});

test('where the folder of the ledger is missing, a folder is not listed', async (t) => {
  const { folder, ledger, ref } = await start(t);
  const plan = { work: 'all', store: null };
  const watched = { id: 'x', folder_path: folder, ledger: join(ledger, 'no', 'ledger'), plan };
  await assert.rejects(
    ref.ask('poll', { folder: watched, exclusions: nothingExcluded, skip: [] }),
    isUnwritable,
  );
});

test('a damaged ledger loses what is damaged only, and is whole again', async (t) => {
  const first = await start(t);
  for (const name of ['a.mp4', 'b.mp4', 'c.mp4']) put(first.folder, name);
  await first.open();
  await first.settledPoll();
  await first.settle(await first.take(), 'analyzed');
  const text = readFileSync(first.ledger, 'utf8');
  writeFileSync(first.ledger, text.replace('{"path":"b.mp4"', '{"pa\0'));
  const second = await start(t, {}, first);
  assert.equal((await second.open()).analyzed, 2);
  const { length } = readFileSync(first.ledger, 'utf8').split('\n');
  assert.equal(length, text.split('\n').length - 1);
  assert.equal((await second.poll()).counts.pending, 1);
});

test('a ledger is shortened when most of it says nothing any more', async (t) => {
  const { folder, ledger, open, settledPoll, take, settle, clock } = await start(t);
  const path = put(folder, 'a.mp4');
  await open();
  const lines = () => readFileSync(ledger, 'utf8').split('\n').length - 1;
  await settledPoll();
  for (let i = 0; i < 1300; i++) await settle([...(await take())], 'returned');
  assert.equal(lines(), 2, 'a return needs no record');
  const [taken] = await take();
  for (let i = 0; i < 1300; i++) await settle([taken!], i % 2 ? 'failed' : 'analyzed');
  assert.ok(lines() < 1200);
  clock.advance(settled);
  assert.equal((await open()).failed, 1);
  assert.equal(taken?.path, path);
});

test('files are taken and settled while the same folder is listed', async (t) => {
  const names = Array.from({ length: 400 }, (_, i) => `${i}.mp4`);
  const file = { size: 1n, mtimeNs: 1_700_000_000_000_000_001n, locked: null };
  const files = new Map(names.map((name) => [name, { ...file }]));
  const { open, poll, settledPoll, take, settle } = await start(t, {
    disk: fakeDisk('/films', files),
    sliceMs: 0,
  });
  await open({}, '/films');
  await settledPoll();
  const listed = poll();
  const seen: string[] = [];
  for (let i = 0; i < 10; i++) {
    const taken = await take(5);
    seen.push(...taken.map(({ path }) => path));
    await settle(taken.slice(0, 3), 'analyzed');
    await settle(taken.slice(3, 4), 'returned');
  }
  const { counts } = await listed;
  assert.equal(counts.files, 400);
  const after = await poll();
  // 30 are done and 10 are still taken.
  assert.deepEqual([after.counts.analyzed, after.counts.pending, after.ready], [30, 370, 360]);
  const rest = await take(1000);
  assert.equal(rest.length, 360);
  const returned = seen.filter((path, i) => seen.indexOf(path) !== i);
  assert.equal(new Set([...seen, ...rest.map(({ path }) => path)]).size, 400, `${returned.length} twice`);
});

test('a poll that is cancelled while a large folder is listed ends at once and drops nothing', async (t) => {
  let looked = 0;
  const given = new AbortController();
  const disk = {
    ...systemDisk,
    stat: (path: string) => {
      looked += 1;
      if (looked === 100) given.abort();
      return systemDisk.stat(path);
    },
  };
  const { folder, open, poll } = await start(t, { disk });
  for (let i = 0; i < 500; i++) put(folder, `${i}.mp4`);
  await open();
  await assert.rejects(poll({ signal: given.signal }), isCancelled);
  assert.ok(looked < 200, `${looked} files`);
  assert.equal((await poll()).counts.files, 500);
});

test('a take that is cancelled takes nothing', async (t) => {
  const given = new AbortController();
  let opened = 0;
  const disk = {
    ...systemDisk,
    opened: (path: string) => {
      opened += 1;
      if (opened === 3) given.abort();
      return systemDisk.opened(path);
    },
  };
  const { folder, open, settledPoll, take } = await start(t, { disk });
  for (let i = 0; i < 6; i++) put(folder, `${i}.mp4`);
  await open();
  await settledPoll();
  await assert.rejects(take(9, given.signal), isCancelled);
  assert.equal(opened, 3);
  assert.equal((await take()).length, 6);
});

test('a folder that is closed while it is listed ends the poll and writes nothing', async (t) => {
  let close = () => {};
  const disk = {
    ...systemDisk,
    stat: (path: string) => {
      close();
      return systemDisk.stat(path);
    },
  };
  const started = await start(t, { disk, sliceMs: 0 });
  for (let i = 0; i < 200; i++) put(started.folder, `${i}.mp4`);
  await started.open();
  let closed: Promise<unknown> = Promise.resolve();
  close = () => {
    close = () => {};
    closed = started.close(true);
  };
  await assert.rejects(started.poll(), isCancelled);
  await closed;
  assert.ok(!existsSync(started.ledger));
});

test('a mark differs by a nanosecond, and the clock of the machine means nothing', async (t) => {
  const file = { size: 2n ** 53n + 1n, mtimeNs: 2n ** 62n + 1n, locked: null };
  const files = new Map([['a.mp4', file]]);
  const { open, poll, settledPoll, take, settle } = await start(t, { disk: fakeDisk('/films', files) });
  await open({}, '/films');
  t.mock.timers.enable({ apis: ['Date'], now: 0 });
  await settledPoll();
  const taken = await take();
  assert.equal(taken[0]?.mark, '9007199254740993-4611686018427387905/4611686018427387905');
  t.mock.timers.setTime(4e12);
  await settle(taken, 'analyzed');
  assert.equal((await poll()).counts.analyzed, 1);
  file.mtimeNs += 1n;
  assert.equal((await poll()).counts.pending, 1);
  file.mtimeNs -= 1n;
  file.size += 1n;
  assert.equal((await poll()).unsettled, 1);
});

test('it runs in a thread of its own, and stops while a feed is open', async (t) => {
  const folder = temporaryFolder(t);
  const path = put(folder, 'a.mp4');
  const log = createLog('test', () => {});
  const supervisor = createSupervisor({ clock: systemClock, log });
  const settings = { settleMs: 0, everyMs: 20 };
  const root = new URL('../../../main.ts', import.meta.url).href;
  const watcher = await supervisor.add(threadSpec(watcherContract, root, { name: 'watcher', settings, log }));
  const heard: string[] = [];
  const feed = (async () => {
    const folders = [{ id: 'one', folder_path: folder }];
    for await (const { id } of watcher.feed('changes', { folders })) heard.push(id);
  })().catch((error) => error);
  const plan = { work: '', store: null };
  const watched = { id: 'one', folder_path: folder, ledger: join(temporaryFolder(t), 'ledger'), plan };
  const poll = () => watcher.ask('poll', { folder: watched, exclusions: nothingExcluded, skip: [] });
  await poll();
  await poll();
  const { files } = await watcher.ask('take', { folder: watched, size: { few: 5, most: 5, bytes: 0 } });
  assert.deepEqual(
    files.map((file) => file.path),
    [path],
  );
  let count = 0;
  await until(() => put(folder, `${count++}.mp4`) && heard.length > 0);
  assert.deepEqual(await supervisor.stop(), []);
  assert.ok((await feed) instanceof Error);
});
