import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { analysisErrors } from '../../../../actors/analysis/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { bodyOf, code, never, oneFolder, watching } from './watching.ts';

test('a home folder that cannot be written: nothing is started or added, and that is said', async (t) => {
  const w = await watching(t);
  writeFileSync(join(w.home, 'watch-folders'), 'not a folder');
  const service = w.service();
  const body = bodyOf({ folder_path: w.folder('films') });
  await assert.rejects(service.add(body, never), code('WATCH_FOLDERS_UNWRITABLE'));
  await assert.rejects(service.start(), code('WATCH_FOLDERS_UNWRITABLE'));
});

test('an engine without a watcher keeps the configuration and watches nothing', async (t) => {
  const w = await watching(t);
  const service = w.service({ watcher: null });
  await service.add(bodyOf({ folder_path: w.folder('films') }), never);
  await assert.rejects(service.start(), code('NOT_WATCHING'));
  await assert.rejects(service.stop(), code('NOT_WATCHING'));
  await service.resume();
  assert.equal((await service.list()).service_status.state, 'stopped');
});

test('what is left of folders that were removed while nobody watched goes with the next start', async (t) => {
  const w = await oneFolder(t);
  const folder = join(w.home, 'watch-folders');
  writeFileSync(join(folder, 'gone.ledger'), '');
  writeFileSync(join(folder, 'gone.stats.json'), '');
  writeFileSync(join(folder, `${w.id}.ledger`), '');
  await w.service.start();
  assert.deepEqual(readdirSync(folder).sort(), [`${w.id}.ledger`, 'folders.json', 'owner.json']);
});

test('files that are no media are told apart when a whole task of them is refused', async (t) => {
  const w = await oneFolder(t);
  const film = join(w.folder_path, 'a.mov');
  writeFileSync(film, 'no film');
  w.file('a.mov');
  w.file('gone.mov');
  w.tasks.refusal = analysisErrors.NO_VALID_MEDIA('None of these is film, picture or sound');
  w.facts.filters.analysis.properties = async ({ media_paths }) => {
    throw analysisErrors.NO_MEDIA(`${media_paths[0]}: is not media`, { unsupported: true });
  };
  await w.service.start();
  await w.pass(() => w.world.settled.length >= 2);
  assert.deepEqual(
    w.world.settled.slice(0, 2).map(({ end }) => end),
    ['failed', 'returned'],
  );
  assert.equal((await w.stats()).failures[0]!.error, `${film}: is not media`);
});

test('a filter that cannot be asked pauses the folder', async (t) => {
  const filters = [{ facet_id: 'ext', operator: 'is_any_of' as const, values: ['mov'] }];
  const w = await oneFolder(t, { metadata_filter_request: { filters } });
  w.file('a.mov');
  w.facts.filters.refuse(engineErrors.ACTOR_DOWN('index is down'));
  await w.service.start();
  await w.isState('paused');
  assert.equal((await w.status()).last_error, 'index is down');
  assert.deepEqual(w.world.settled.map(({ end }) => end).slice(0, 1), ['returned']);
  w.facts.filters.refuse(null);
  await w.begun(1);
});

test('a folder whose listing hangs is tried rarely, and the others go on', async (t) => {
  const w = await oneFolder(t);
  w.tasks.isQuick = true;
  const film = w.file('a.mov');
  const other = w.folder('others');
  const { id } = await w.service.add(bodyOf({ folder_path: other }), never);
  w.world.hung.add(w.folder_path);
  w.world.put(join(other, 'b.mov'));
  await w.service.start();
  const done = async (of: string) => (await w.status()).folder_stats[of]!.files_analyzed === 1;
  await w.pass(() => done(id));
  const { last_error, paused_until } = await w.stats();
  assert.match(last_error ?? '', /films: something in it does not answer$/);
  assert.ok(paused_until !== null);
  const began = w.clock.now();
  await w.pass(() => w.clock.now() - began > 200_000, 5_000);
  const polls = () => w.world.polls.filter((one) => one === w.id).length;
  assert.equal(polls(), 1);
  await w.pass(() => w.clock.now() - began > 800_000, 5_000);
  assert.equal(polls(), 2);
  w.world.hung.clear();
  await w.pass(() => done(w.id), 5_000);
  assert.deepEqual([(await w.stats()).last_error, w.tasks.started.at(-1)?.paths], [null, [film]]);
});

test('what was done in a folder whose listing hangs is recorded', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  w.world.hung.add(w.folder_path);
  const isAway = async () => (await w.stats()).paused_until !== null;
  await w.pass(isAway, 5_000);
  w.tasks.result(film);
  w.tasks.end();
  await w.pass(() => w.world.settled.length === 1);
  w.world.hung.clear();
  await w.pass(async () => (await w.stats()).files_analyzed === 1 && !(await isAway()), 5_000);
  assert.deepEqual([w.tasks.started.length, (await w.stats()).last_error], [1, null]);
});
