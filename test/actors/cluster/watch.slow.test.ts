// Watch folders of a cluster: one machine watches, each tells how that stands, and another one goes on.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { CommonWatch } from '../../../actors/cluster/common-watch.ts';
import { Leases } from '../../../actors/cluster/leases.ts';
import { RootsFile, rootsText } from '../../../actors/index/store/roots-file.ts';
import type { OwnWatch, SharedWatch } from '../../../actors/watcher/folders/contract.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { until } from '../../until.ts';
import { bodyOf, never, watching } from '../watcher/folders/watching.ts';
import { type Machines, machines } from './homes.ts';

/** ms. Another machine takes over 15 s after the last sign of life, on a quiet machine. */
const TAKEN_OVER = 60_000;

test('watch folders of a cluster', { skip: skipWithoutPostgres }, async (t) => {
  const all = await machines(t);
  const [here, there] = [await watcherOn(t, all), await watcherOn(t, all)];
  const { id } = await here.service.add(bodyOf({ folder_path: here.footage }), never);
  for (const { service } of [here, there]) void service.resume();
  const state = async ({ service }: Watcher) => (await service.status()).state;
  await t.test('a folder is configured once, by root, and watched by one machine', async () => {
    await until(async () => (await there.service.list()).watch_folders[0]?.id === id);
    assert.equal((await there.service.list()).watch_folders[0]?.folder_path, there.footage);
    here.w.world.put(join(here.footage, 'a.mov'));
    assert.equal((await there.service.start()).state, 'running');
    await here.service.start();
    await until(async () => (await state(here)) === 'running');
    await there.w.pass(() => there.w.world.polls.length > 0);
    assert.equal(here.w.world.polls.length, 0);
  });
  await t.test('every machine tells how it stands, with its own paths', async () => {
    there.w.world.put(join(there.footage, 'a.mov'));
    await there.w.pass(() => there.w.tasks.started.length === 1);
    const told = () => here.service.status();
    await until(async () => (await told()).task_id === 'task-1');
    const { current_folder, current_file } = await told();
    assert.deepEqual([current_folder, current_file], [here.footage, join(here.footage, 'a.mov')]);
    there.w.tasks.result(join(there.footage, 'a.mov'));
    there.w.tasks.end();
    const analyzed = async () => (await here.service.list()).watch_folders[0]?.files_analyzed_count;
    await there.w.pass(async () => (await analyzed()) === 1);
  });
  await t.test('a stop by any machine is one of all', async () => {
    assert.equal((await here.service.stop()).folder_stats[id]?.files_analyzed, 1);
    for (const one of [here, there]) await until(async () => (await state(one)) === 'stopped');
    await there.service.start();
  });
  await t.test('when the machine that watches is gone, another one goes on', async () => {
    await until(async () => (await state(here)) !== 'stopped');
    await there.die();
    await until(() => here.isWatching(), { within: TAKEN_OVER });
    await here.w.pass(() => here.w.world.polls.length > 0);
  });
});

test('a machine that lacks a root watches only while no other one can', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const all = await machines(t);
  const [first, lacking] = [await watcherOn(t, all), await watcherOn(t, all)];
  const { id } = await first.service.add(bodyOf({ folder_path: first.footage }), never);
  writeFileSync(lacking.roots, rootsText([]));
  await first.service.start();
  for (const { service } of [first, lacking]) void service.resume();
  await until(async () => (await lacking.service.list()).watch_folders[0]?.id === id);
  await first.die();
  await until(() => lacking.isWatching(), { within: TAKEN_OVER });
  const told = async () => (await lacking.service.status()).folder_stats[id]?.last_error ?? '';
  await lacking.w.pass(async () => /^root:footage cannot be watched: no running machine/.test(await told()));
  const able = await watcherOn(t, all);
  void able.service.resume();
  await until(() => able.isWatching(), { within: TAKEN_OVER });
  await until(async () => !(await lacking.isWatching()));
  await able.w.pass(() => able.w.world.polls.length > 0);
  await lacking.service.start();
  assert.equal(await able.isWatching(), true, 'a start there is one of all');
  assert.equal(await lacking.isWatching(), false);
});

type Watcher = Awaited<ReturnType<typeof watcherOn>>;

async function watcherOn(t: TestContext, all: Machines) {
  const w = await watching(t);
  const footage = w.folder('films');
  const machine = await all.join(footage);
  const cache = join(machine.folder, 'analysis');
  mkdirSync(cache, { recursive: true });
  const file = new RootsFile(machine.roots);
  const roots = () => file.read();
  const ledgers = join(all.shared, 'watch-folders');
  mkdirSync(ledgers, { recursive: true });
  const leases = new Leases({ ...machine, library: all.library, clock: systemClock });
  const folder = join(machine.folder, 'watch-folders');
  const log = createLog('watch', () => {});
  const shared: SharedWatch = {
    service: (resumes, open) =>
      new CommonWatch({ folder, leases, roots, resumes, clock: systemClock, log }, open),
    ledgers: () => ledgers,
    store: all.library,
  };
  let own: OwnWatch | null = null;
  const given = { homes: { home: machine.folder, cache }, homeFiles: machine.home, shared, roots };
  const service = shared.service(true, (claims) => (own = w.service({ ...given, claims }) as OwnWatch));
  t.after(() => service.close());
  const isWatching = async () => (await own!.status()).state !== 'stopped';
  // It reaches the database no more.
  return { w, footage, service, isWatching, roots: machine.roots, die: machine.leave };
}
