import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { put, settled, start } from './start.ts';

const counts = (files: number, pending: number, analyzed = 0, failed = 0, filtered = 0) => ({
  files,
  pending,
  analyzed,
  failed,
  filtered,
});

test('a file is ready when it was the same in two polls, and is taken with its mark', async (t) => {
  const { folder, open, poll, take, clock } = await start(t);
  const path = put(folder, 'a/film.mp4');
  assert.deepEqual(await open(), counts(0, 0));
  const first = await poll();
  assert.deepEqual([first.counts, first.ready, first.unsettled], [counts(1, 1), 0, 1]);
  assert.deepEqual(await take(), []);
  clock.advance(settled);
  const second = await poll();
  assert.deepEqual([second.counts, second.ready, second.unsettled], [counts(1, 1), 1, 0]);
  const { size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  assert.deepEqual(await take(), [{ path, mark: `${size}-${mtimeNs}/${ctimeNs}` }]);
  assert.deepEqual(await take(), []);
  assert.equal((await poll()).ready, 0);
});

test('small files are taken together in large numbers, and large ones are not', async (t) => {
  const { folder, ledger, open, settledPoll, ref } = await start(t);
  for (let i = 0; i < 9; i++) put(folder, `${i}.jpg`, 'x'.repeat(10));
  await open();
  await settledPoll();
  const watched = { id: 'one', folder_path: folder, ledger, plan: { work: 'all', store: 'a' } };
  const take = async (few: number, most: number, bytes: number) =>
    (await ref.ask('take', { folder: watched, size: { few, most, bytes } })).files.length;
  assert.equal(await take(2, 5, 5), 2);
  assert.equal(await take(1, 5, 21), 3);
  assert.equal(await take(1, 5, 1000), 4);
});

test('what was done stays done when the analysis folder is filled, and not in another one', async (t) => {
  const { folder, ledger, open, settledPoll, take, settle } = await start(t);
  put(folder, 'bad.mp4');
  await open({ store: null });
  await settledPoll();
  await settle(await take(), 'failed');
  for (const store of ['7', '7-1700', '7-1700'])
    assert.deepEqual(await open({ store }), counts(1, 0, 0, 1), store);
  const again = await start(t, {}, { folder, ledger });
  assert.deepEqual(await again.open({ store: '7-1700' }), counts(1, 0, 0, 1));
  for (const store of ['8-1700', null]) assert.deepEqual(await again.open({ store }), counts(1, 1));
});

test('two polls that come quickly one after the other do not make a file complete', async (t) => {
  const { folder, open, poll, clock } = await start(t);
  put(folder, 'film.mp4');
  await open();
  for (let i = 0; i < 4; i++) {
    assert.deepEqual([(await poll()).ready, i], [0, i]);
    clock.advance(900);
  }
  clock.advance(settled);
  assert.equal((await poll()).ready, 1);
});

test('a file that is slowly copied is not ready before it stands still', async (t) => {
  const { folder, open, poll, clock } = await start(t);
  const path = put(folder, 'film.mp4', '');
  await open();
  for (let part = 0; part < 3; part++) {
    const { ready, unsettled } = await poll();
    assert.deepEqual([ready, unsettled], [0, 1]);
    appendFileSync(path, 'more of it');
    clock.advance(settled);
  }
  assert.equal((await poll()).ready, 0);
  clock.advance(settled);
  assert.equal((await poll()).ready, 1);
});

test('a file whose time changes is another content, also when the time goes back or lies ahead', async (t) => {
  const { folder, open, poll, settledPoll, take, settle, clock } = await start(t);
  const path = put(folder, 'film.mp4');
  await open();
  for (const seconds of [4_000_000_000, 1_000, -5, 1_600_000_000]) {
    utimesSync(path, seconds, seconds);
    assert.equal((await settledPoll()).ready, 1, String(seconds));
    assert.deepEqual(await settle(await take(), 'analyzed'), counts(1, 0, 1));
    clock.advance(settled);
  }
  assert.deepEqual((await poll()).counts, counts(1, 0, 1));
});

test('a file that is replaced or edited by one that sets size and time back is another content', async (t) => {
  const { folder, open, settledPoll, take, settle } = await start(t);
  put(folder, 'film.mp4', 'one');
  await open();
  await settledPoll();
  await settle(await take(), 'analyzed');
  put(folder, 'other.tmp', 'two');
  renameSync(join(folder, 'other.tmp'), join(folder, 'film.mp4'));
  assert.equal((await settledPoll()).ready, 1);
  await settle(await take(), 'analyzed');
  put(folder, 'film.mp4', 'six');
  assert.equal((await settledPoll()).ready, 1);
});

test('a file of full size that keeps its time is not ready while it is written', async (t) => {
  const { folder, open, poll, clock } = await start(t);
  put(folder, 'film.mp4', '....');
  await open();
  for (const text of ['a...', 'ab..', 'abc.', 'abcd']) {
    assert.equal((await poll()).ready, 0);
    put(folder, 'film.mp4', text);
    clock.advance(settled);
  }
  assert.equal((await poll()).ready, 0);
  clock.advance(settled);
  assert.equal((await poll()).ready, 1);
});

test('a file that failed is tried again, each time later, and at last not any more', async (t) => {
  const { folder, open, poll, settledPoll, take, settle, clock } = await start(t);
  put(folder, 'film.mp4');
  await open();
  await settledPoll();
  for (const minutes of [1, 4, 16, 64, 256]) {
    assert.equal((await settle(await take(), 'failed')).failed, 1);
    clock.advance(minutes * 60_000 - 1);
    assert.equal((await poll()).ready, 0);
    clock.advance(1);
    assert.equal((await poll()).ready, 1, `${minutes} minutes`);
  }
  await settle(await take(), 'failed');
  clock.advance(30 * 86_400_000);
  assert.equal((await poll()).ready, 0);
});

test('what an earlier version did, which did not record the time of the last change, stays done', async (t) => {
  const { folder, ledger, open, settledPoll } = await start(t);
  const path = put(folder, 'film.mp4');
  const { size, mtimeNs } = statSync(path, { bigint: true });
  const plan = { work: 'all', store: 'a' };
  const lines = [
    { version: 1, plan },
    { path: 'film.mp4', mark: `${size}-${mtimeNs}`, end: 'analyzed' },
  ];
  writeFileSync(ledger, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await open();
  assert.deepEqual((await settledPoll()).counts, counts(1, 0, 1));
  put(folder, 'film.mp4', 'edit');
  assert.equal((await settledPoll()).ready, 1);
});

test('an empty file stays pending without asking for another poll, and is ready once it has content', async (t) => {
  const { folder, open, settledPoll, clock } = await start(t);
  const path = put(folder, 'film.mp4', '');
  await open();
  const { counts: empty, ready, unsettled } = await settledPoll();
  assert.deepEqual([empty, ready, unsettled], [counts(1, 1), 0, 0]);
  appendFileSync(path, 'film');
  clock.advance(settled);
  assert.equal((await settledPoll()).ready, 1);
});

test('a file that is renamed is a new one, and the old one is dropped', async (t) => {
  const { folder, open, settledPoll, poll, take, settle, clock } = await start(t);
  const path = put(folder, 'film.mp4');
  await open();
  await settledPoll();
  await settle(await take(), 'analyzed');
  renameSync(path, join(folder, 'other.mp4'));
  assert.deepEqual((await poll()).counts, counts(1, 1));
  clock.advance(settled);
  assert.equal((await poll()).ready, 1);
});

test('the ends of files are counted, and a returned file is taken again', async (t) => {
  const { folder, open, settledPoll, take, settle } = await start(t);
  for (const name of ['a.mp4', 'b.mp4', 'c.mp4', 'd.mp4']) put(folder, name);
  await open();
  await settledPoll();
  const [a, b, c, d] = await take();
  await settle([a!], 'analyzed');
  await settle([b!], 'failed');
  await settle([c!], 'filtered');
  assert.deepEqual(await settle([d!], 'returned'), counts(4, 1, 1, 1, 1));
  assert.deepEqual(await take(), [d]);
  // An end that is told twice is the same end; one that comes after another is not undone by a return.
  await settle([d!], 'analyzed');
  assert.deepEqual(await settle([d!], 'returned'), counts(4, 0, 2, 1, 1));
});

test('an end of a file that changed is passed over, and one of a file that is gone until the next poll', async (t) => {
  const { folder, open, settledPoll, poll, take, settle, clock } = await start(t);
  for (const name of ['a.mp4', 'b.mp4', 'c.mp4']) put(folder, name);
  await open();
  await settledPoll();
  const taken = await take();
  put(folder, 'a.mp4', 'another film');
  rmSync(join(folder, 'b.mp4'));
  clock.advance(settled);
  assert.deepEqual((await poll()).counts, counts(2, 2));
  assert.deepEqual(await settle(taken, 'analyzed'), counts(3, 1, 2));
  clock.advance(settled);
  const { counts: now, ready } = await poll();
  assert.deepEqual([now, ready], [counts(2, 1, 1), 1]);
});

test('a file that changes between poll and take stays pending', async (t) => {
  const { folder, open, settledPoll, poll, take, clock } = await start(t);
  const changed = put(folder, 'a.mp4');
  const gone = put(folder, 'b.mp4');
  const replaced = put(folder, 'c.mp4');
  await open();
  await settledPoll();
  appendFileSync(changed, 'more');
  rmSync(gone);
  rmSync(replaced);
  mkdirSync(replaced);
  assert.deepEqual(await take(), []);
  clock.advance(settled);
  const { counts: now, ready, unsettled } = await poll();
  assert.deepEqual([now, ready, unsettled], [counts(1, 1), 0, 1]);
  clock.advance(settled);
  assert.equal((await poll()).ready, 1);
});

test('a take of some leaves the others ready', async (t) => {
  const { folder, open, settledPoll, take } = await start(t);
  for (let i = 0; i < 5; i++) put(folder, `${i}.mp4`);
  await open();
  await settledPoll();
  const taken = [...(await take(2)), ...(await take(2)), ...(await take(2))];
  assert.equal(new Set(taken.map(({ path }) => path)).size, 5);
});

test('what was done is known after a restart, and another plan begins anew', async (t) => {
  const first = await start(t);
  for (const name of ['a.mp4', 'b.mp4', 'c.mp4']) put(first.folder, name);
  await first.open();
  await first.settledPoll();
  const [a, b] = await first.take();
  await first.settle([a!], 'analyzed');
  await first.settle([b!], 'failed');
  const second = await start(t, {}, first);
  assert.deepEqual(await second.open(), counts(2, 0, 1, 1));
  assert.deepEqual((await second.poll()).counts, counts(3, 1, 1, 1));
  assert.deepEqual(await second.open({ work: 'more' }), counts(3, 3));
  second.clock.advance(settled);
  assert.equal((await second.poll()).ready, 3);
  const third = await start(t, {}, first);
  assert.deepEqual(await third.open(), counts(0, 0));
});

test('a watcher that was started anew is told what became of files that it has not seen', async (t) => {
  const first = await start(t);
  for (const name of ['a.mp4', 'b.mp4', 'c.mp4']) put(first.folder, name);
  await first.open();
  await first.settledPoll();
  const [a, b, c] = await first.take();
  await first.settle([a!], 'analyzed');
  const second = await start(t, {}, first);
  assert.deepEqual(await second.settle([b!], 'failed'), counts(2, 0, 1, 1));
  assert.deepEqual(await second.settle([c!], 'returned'), counts(2, 0, 1, 1));
  const { counts: now, ready } = await second.settledPoll();
  assert.deepEqual([now, ready], [counts(3, 1, 1, 1), 1]);
});

test('what is excluded or skipped is dropped, and pending again when it is not any more', async (t) => {
  const { folder, open, settledPoll, poll, take, settle, clock } = await start(t);
  put(folder, 'a.mp4');
  put(folder, 'cache/b.mp4');
  await open();
  await settledPoll();
  await settle(await take(), 'analyzed');
  clock.advance(settled);
  symlinkSync(join(folder, 'cache'), join(folder, 'link'));
  const skip = [realpathSync(join(folder, 'cache')), '/not/there'];
  assert.deepEqual((await poll({ skip })).counts, counts(1, 0, 1));
  assert.deepEqual((await poll()).counts, counts(2, 1, 1));
});

test('folders in each other are watched each for itself', async (t) => {
  const { folder, open, poll, ref, clock } = await start(t);
  put(folder, 'a.mp4');
  put(folder, 'inner/b.mp4');
  await open();
  const plan = { work: 'all', store: 'a' };
  const watched = { id: 'inner', folder_path: join(folder, 'inner'), ledger: join(folder, 'ledger'), plan };
  const exclusions = { excluded_extensions: [], excluded_filename_globs: [], excluded_folder_globs: [] };
  const pollInner = () => ref.ask('poll', { folder: watched, exclusions, skip: [] });
  for (const _ of [1, 2]) {
    await Promise.all([poll(), pollInner()]);
    clock.advance(settled);
  }
  const { files } = await ref.ask('take', { folder: watched, size: { few: 9, most: 9, bytes: 0 } });
  await ref.ask('report', { folder: watched, files: [{ ...files[0]!, end: 'analyzed' }] });
  assert.deepEqual((await pollInner()).counts, counts(1, 0, 1));
  assert.deepEqual((await poll()).counts, counts(2, 2));
});
