import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { until } from '../../../until.ts';
import { bodyOf, code, never, oneFolder, watching } from './watching.ts';

const recorded = ({ home }: { home: string }) =>
  JSON.parse(readFileSync(join(home, 'watch-folders', 'folders.json'), 'utf8'));

test('an enabled folder starts no service, and a service that is stopped begins nothing', async (t) => {
  const w = await oneFolder(t);
  w.file('a.mov');
  w.clock.advance(600_000);
  assert.deepEqual([await w.state(), w.world.polls.length, w.clock.waiting], ['stopped', 0, 0]);
  assert.equal((await w.service.stop()).state, 'stopped');
});

test('a stop in mid-file is answered at once, and the file is finished', async (t) => {
  const w = await oneFolder(t);
  const [one] = [w.file('a.mov'), w.file('b.mov')];
  await w.service.start();
  await w.begun(1);
  assert.equal((await w.service.stop()).state, 'stopping');
  assert.equal(w.tasks.current!.isFinishing, true);
  w.tasks.result(one);
  await w.pass(() => w.world.settled.length === 1);
  assert.equal(await w.state(), 'stopping');
  w.tasks.end('cancelled');
  await w.isState('stopped');
  assert.deepEqual(
    w.world.settled.map(({ end }) => end),
    ['analyzed', 'returned'],
  );
  await w.pass(() => w.world.closed.length === 1);
  assert.deepEqual(w.world.closed, [{ id: w.id, remove: false }]);
  const { files_analyzed, files_pending } = await w.stats();
  assert.deepEqual([files_analyzed, files_pending, w.tasks.listeners.size], [1, 1, 0]);
  await w.pass(() => !existsSync(join(w.home, 'watch-folders', 'owner.json')));
  assert.equal(recorded(w).running, false);
});

test('a start while it is stopping withdraws the stop', async (t) => {
  const w = await oneFolder(t);
  const [one, two] = [w.file('a.mov'), w.file('b.mov')];
  await w.service.start();
  await w.begun(1);
  await w.service.stop();
  assert.equal((await w.service.start()).state, 'running');
  assert.equal(recorded(w).running, true);
  w.tasks.result(one);
  w.tasks.end('cancelled');
  await w.begun(2);
  assert.deepEqual(w.tasks.current!.paths, [two]);
});

test('it starts again after it was stopped, and what was done stays done', async (t) => {
  const w = await oneFolder(t);
  w.tasks.isQuick = true;
  w.file('a.mov');
  await w.service.start();
  await w.isState('waiting');
  assert.equal((await w.service.stop()).state, 'stopped');
  await w.service.start();
  w.file('b.mov');
  await w.begun(2);
  await w.isState('waiting');
  assert.deepEqual(
    w.tasks.started.map(({ paths }) => paths.length),
    [1, 1],
  );
  assert.equal((await w.status()).files_processed_this_session, 1);
});

test('a task of a person goes first: the service is paused and says until when, and goes on when it has ended', async (t) => {
  const w = await oneFolder(t);
  w.file('a.mov');
  w.tasks.take();
  await w.service.start();
  await w.isState('paused');
  const { paused_until, last_error } = await w.status();
  assert.ok(paused_until! > 1_700_000_000 + w.clock.now() / 1000);
  assert.equal(last_error, null);
  assert.equal(w.tasks.started.length, 0);
  w.tasks.free();
  await w.begun(1);
  assert.equal(await w.state(), 'running');
});

test('a task of a person that comes in mid-file gets the slot; the file is handed back and done later', async (t) => {
  const w = await oneFolder(t);
  w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  w.tasks.take();
  await w.isState('paused');
  assert.deepEqual(
    w.world.settled.map(({ end }) => end),
    ['returned'],
  );
  w.tasks.isQuick = true;
  w.tasks.free();
  await w.isState('waiting');
  const { files_analyzed, files_failed } = await w.stats();
  assert.deepEqual([w.tasks.started.length, files_analyzed, files_failed], [2, 1, 0]);
});

test('somebody who stops the task of a folder is not answered with the same task at once', async (t) => {
  const w = await oneFolder(t);
  w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  const at = w.clock.now();
  w.tasks.end('cancelled');
  await w.isState('paused');
  await w.begun(2);
  assert.ok(w.clock.now() - at >= 60_000);
});

test('an edit while a file is worked on lets it finish, and what was done by the old settings is done anew', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  await w.service.change(w.id, { enable_audio_analysis: true }, never);
  await w.pass(() => w.tasks.current!.isFinishing);
  w.tasks.result(film);
  w.tasks.end();
  await w.begun(2);
  assert.equal(w.tasks.current!.request.transcription_jobs!.length, 1);
  assert.equal((await w.stats()).files_analyzed, 0);
  w.tasks.result(film);
  w.tasks.end();
  await w.isState('waiting');
  assert.equal((await w.stats()).files_analyzed, 1);
});

test('a change of exclusions stops no work, and the folder is listed anew', async (t) => {
  const w = await oneFolder(t);
  w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  const polls = w.world.polls.length;
  await w.service.change(w.id, { excluded_extensions: ['mp4'] }, never);
  await w.pass(() => w.world.polls.length > polls);
  assert.equal(w.tasks.current!.isFinishing, false);
});

test('a folder that is removed while its file is worked on: the file is finished, and nothing of it is kept', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  await w.service.remove(w.id);
  await w.pass(() => w.tasks.current!.isFinishing && w.world.closed.length === 1);
  assert.deepEqual(w.world.closed, [{ id: w.id, remove: true }]);
  w.tasks.result(film);
  w.tasks.end();
  await w.isState('waiting');
  assert.deepEqual((await w.service.list()).watch_folders, []);
  const ledgers = readdirSync(join(w.home, 'watch-folders')).filter((name) => name.endsWith('.ledger'));
  assert.deepEqual([w.world.settled.length, ledgers], [0, []]);
  await assert.rejects(w.service.remove(w.id), code('WATCH_FOLDER_UNKNOWN'));
});

test('a folder that is removed or not enabled any more while it is listed is not listed to the end', async (t) => {
  const w = await oneFolder(t);
  w.file('a.mov');
  const held = Promise.withResolvers<void>();
  w.world.hold = held.promise;
  await w.service.start();
  await w.pass(() => w.world.polls.length === 1);
  await w.service.change(w.id, { enabled: false }, never);
  await w.pass(() => w.world.closed.length === 1);
  held.resolve();
  await w.isState('waiting');
  w.clock.advance(600_000);
  assert.deepEqual([w.world.polls.length, w.world.closed[0]!.remove], [1, false]);
  await w.service.change(w.id, { enabled: true }, never);
  await w.begun(1);
});

test('the engine ends in mid-file: nothing is left of the service but the record that it ran', async (t) => {
  const w = await oneFolder(t);
  const one = w.file('a.mov');
  w.file('b.mov');
  await w.service.start();
  await w.begun(1);
  w.tasks.result(one);
  await w.service.close();
  await until(() => w.clock.waiting === 0);
  const state = [await w.state(), w.clock.waiting, w.tasks.listeners.size, recorded(w).running];
  assert.deepEqual(state, ['stopped', 0, 0, true]);
  assert.deepEqual(
    w.world.settled.map(({ path }) => path),
    [one],
  );
  assert.equal((await w.stats()).files_analyzed, 1);
  w.tasks.end('interrupted');
  w.world.restart();
  const next = w.another();
  await next.resume();
  assert.notEqual((await next.status()).state, 'stopped');
  await w.begun(2);
  assert.deepEqual(w.tasks.current!.paths.length, 1);
});

test('what is pending stays known after a restart, also while the folder is listed anew', async (t) => {
  const w = await oneFolder(t);
  const one = w.file('a.mov');
  w.file('b.mov');
  await w.service.start();
  await w.begun(1);
  w.tasks.result(one);
  await w.pass(async () => (await w.stats()).files_analyzed === 1);
  await w.service.close();
  w.tasks.end('interrupted');
  w.world.restart();
  const listed = Promise.withResolvers<void>();
  w.world.hold = listed.promise;
  const next = w.another();
  await next.start();
  const polls = w.world.polls.length;
  await w.pass(() => w.world.polls.length > polls);
  const { files_pending, folder_stats } = await next.status();
  assert.deepEqual([files_pending, folder_stats[w.id]!.files_pending], [1, 1]);
  listed.resolve();
});

test('a service that did not run, or is not to, does not run again', async (t) => {
  const w = await oneFolder(t);
  await w.service.resume();
  assert.equal(await w.state(), 'stopped');
  await w.service.start();
  await w.service.close();
  const other = w.another({ resumes: false });
  await other.resume();
  assert.equal((await other.status()).state, 'stopped');
});

test('one process watches; the other shows what is found, and takes over when the first has ended', async (t) => {
  const w = await oneFolder(t);
  w.tasks.isQuick = true;
  w.file('a.mov');
  const other = w.another();
  await w.service.start();
  await assert.rejects(other.start(), code('WATCHED_ELSEWHERE'));
  await w.isState('waiting');
  await other.stop();
  assert.deepEqual([await w.state(), recorded(w).running], ['waiting', true]);
  await w.pass(async () => (await other.list()).watch_folders[0]!.files_analyzed_count === 1);
  await other.resume();
  const { state, last_error } = await other.status();
  assert.equal(state, 'stopped');
  assert.match(last_error ?? '', new RegExp(`^Process ${process.pid} on .* watches the folders`));
  assert.equal((await w.status()).last_error, null);
  await w.service.close();
  await w.pass(async () => (await other.status()).state !== 'stopped');
  assert.equal((await other.status()).last_error, null);
});

test('a watcher that is slow to start delays no later poll', async (t) => {
  const w = await oneFolder(t);
  w.file('a.mov');
  const started = Promise.withResolvers<void>();
  w.world.starting = started.promise;
  await w.service.start();
  await w.pass(() => w.clock.now() > 20_000);
  assert.equal(w.world.polls.length, 0);
  started.resolve();
  const began = w.clock.now();
  await w.begun(1);
  assert.ok(w.clock.now() - began < 10_000, `${w.clock.now() - began} ms`);
});

test('a watcher that began anew is told of the folders again, and nothing is lost', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  w.world.restart();
  w.tasks.result(film);
  w.tasks.end();
  await w.isState('waiting');
  assert.equal((await w.stats()).files_analyzed, 1);
  w.world.restart();
  w.file('b.mov');
  await w.begun(2);
});

test('what cannot be recorded is recorded later, and nothing is begun in that folder until then', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  w.world.unwritable = true;
  w.tasks.result(film);
  w.tasks.end();
  await w.isState('paused');
  assert.equal((await w.status()).last_error, 'the disk is full');
  w.world.unwritable = false;
  await w.isState('waiting');
  const { files_analyzed, last_error } = await w.stats();
  assert.deepEqual([w.tasks.started.length, files_analyzed, last_error], [1, 1, null]);
});

test('an analysis folder that was wiped makes everything pending again; its first results do not', async (t) => {
  const w = await oneFolder(t);
  rmSync(join(w.cache, 'records.mdb'));
  const film = w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  w.fill();
  w.tasks.result(film);
  w.tasks.end();
  await w.isState('waiting');
  const polls = w.world.polls.length;
  await w.pass(() => w.world.polls.length > polls + 3);
  assert.deepEqual([w.tasks.started.length, (await w.stats()).files_analyzed], [1, 1]);
  rmSync(join(w.cache, 'records.mdb'));
  await w.begun(2);
});

test('an analysis folder of its own that is away is not taken for an empty one', async (t) => {
  const w = await watching(t);
  const cache_dir = w.folder('disk');
  const service = w.service();
  const folder_path = w.folder('films');
  await service.add(bodyOf({ folder_path, cache_dir }), never);
  w.world.put(join(folder_path, 'a.mov'));
  w.tasks.isQuick = true;
  await service.start();
  await w.pass(async () => (await service.status()).state === 'waiting');
  rmSync(cache_dir, { recursive: true });
  w.world.put(join(folder_path, 'b.mov'));
  await w.pass(async () => (await service.status()).state === 'paused');
  assert.match((await service.status()).last_error!, /disk does not exist/);
  assert.equal(w.tasks.started.length, 1);
  assert.deepEqual(w.world.skip.includes(cache_dir), true);
});

test('a clock that is set back moves no wait', async (t) => {
  const w = await oneFolder(t);
  await w.service.start();
  await w.isState('waiting');
  const before = (await w.stats()).last_poll_time;
  w.facts.skew = -1_000_000;
  const polls = w.world.polls.length;
  const at = w.clock.now();
  await w.pass(() => w.world.polls.length === polls + 2);
  assert.ok(w.clock.now() - at <= 70_000);
  assert.ok((await w.stats()).last_poll_time < before);
  w.world.away.add(w.folder_path);
  await w.isState('paused');
  const left = (await w.status()).paused_until! - (1_699_000_000 + w.clock.now() / 1000);
  assert.ok(left > 0 && left <= 5, `${left}`);
});

test('what another process changes in the configuration holds while the service runs', async (t) => {
  const w = await oneFolder(t);
  await w.service.start();
  await w.isState('waiting');
  const other = w.another();
  const more = w.folder('more');
  const { id } = await other.add(bodyOf({ folder_path: more }), never);
  w.world.put(join(more, 'a.mov'));
  await w.begun(1);
  await other.remove(id);
  await w.pass(() => w.tasks.current!.isFinishing);
  w.tasks.end();
  const path = join(w.home, 'watch-folders', 'folders.json');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, '{');
  await assert.rejects(w.service.list(), code('WATCH_FOLDERS_DAMAGED'));
  const polls = w.world.polls.length;
  await w.pass(() => w.world.polls.length > polls + 1);
  writeFileSync(path, text);
  assert.equal((await w.service.list()).watch_folders.length, 1);
});
