// A folder that is watched while the world happens around it: files come slowly, broken, excluded and under
// other names, the engine is killed, the service is stopped and started. In the end every good file is
// analysed once and found.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { TaskDetail, TaskSnapshot } from '../../actors/analysis/tasks/contract.ts';
import type { LibraryPage } from '../../actors/library/contract.ts';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import type {
  FolderStats,
  WatchFolder,
  WatchFolderList,
  WatchStatus,
} from '../../actors/watcher/folders/contract.ts';
import { clips } from '../actors/decoder/footage/clips.ts';
import { type Home, newHome, SLOW_MS } from '../system/command-line.ts';
import { type GuardedService, startGuarded } from '../system/guarded-service.ts';
import { until } from '../until.ts';

const often = ['env', 'FRAMEHOUND_WATCH_INTERVAL_SECONDS=1'];
const films = clips.slice(0, 6);

interface Watching {
  service: GuardedService;
  readonly home: Home;
  /** The watched folder. */
  readonly folder: string;
  readonly cache_dir: string;
  readonly id: string;
  /** Good films by number. */
  readonly source: (number: number) => string;
}

const statusOf = (service: GuardedService) => service.ok<WatchStatus>('/watch-folders/service/status');

async function statsOf({ service, id }: Watching): Promise<FolderStats> {
  const stats = (await statusOf(service)).folder_stats[id];
  assert.ok(stats, 'the folder is in the status');
  return stats;
}

/** Resolves when the folder has been listed `times` more. */
async function polls(watching: Watching, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const { last_poll_time } = await statsOf(watching);
    await until(async () => (await statsOf(watching)).last_poll_time > last_poll_time, { within: SLOW_MS });
  }
}

/** Resolves when so many files are analysed and nothing is left to do. */
async function analysed(watching: Watching, count: number, failed = 0): Promise<void> {
  const isDone = async () => {
    const { files_analyzed, files_failed, files_pending } = await statsOf(watching);
    return files_analyzed === count && files_failed === failed && files_pending === 0;
  };
  await until(isDone, { within: SLOW_MS }).catch(async (error) => {
    throw new Error(`${JSON.stringify(await statusOf(watching.service))}: ${String(error)}`);
  });
}

async function watch(t: TestContext): Promise<Watching> {
  const home = newHome();
  const service = await startGuarded(home, often);
  const folder = join(home.folder, 'incoming');
  const cache_dir = join(home.folder, 'analysis');
  for (const path of [folder, cache_dir, join(folder, 'Proxies'), join(folder, 'day 1', 'Ünïcode 雪')]) {
    mkdirSync(path, { recursive: true });
  }
  const paths = await Promise.all(films.map((film) => film.make()));
  await service.modelReady();
  const { watch_folder } = await service.ok<{ watch_folder: WatchFolder }>('/watch-folders', {
    folder_path: folder,
    cache_dir,
    excluded_extensions: ['AVI'],
    excluded_filename_globs: ['*_draft.*'],
    excluded_folder_globs: ['proxies'],
  });
  assert.deepEqual(watch_folder.excluded_extensions, ['.avi']);
  assert.equal((await statusOf(service)).state, 'stopped', 'saving a folder starts nothing');
  const { id } = watch_folder;
  const watching: Watching = { service, home, folder, cache_dir, id, source: (number) => paths[number]! };
  t.after(() => watching.service.end());
  return watching;
}

/** Every result of every task, by what it says of a file. */
async function results({ service }: Watching): Promise<{ path: string; outcome: string }[]> {
  const { tasks } = await service.ok<{ tasks: TaskSnapshot[] }>('/tasks');
  const details = await Promise.all(
    tasks.map(({ task_id }) => service.ok<TaskDetail>(`/tasks/${task_id}?limit=1000`)),
  );
  return details.flatMap((detail) => detail.results.map(({ path, outcome }) => ({ path, outcome })));
}

async function media({ service, cache_dir }: Watching) {
  return (await service.ok<LibraryPage>('/library/list', { cache_dir })).media;
}

const excludedIn = ({ folder }: Watching) =>
  [['Proxies', 'a.mp4'], ['b_draft.mp4'], ['c.avi'], ['.hidden.mp4']].map((names) => join(folder, ...names));

async function arrive(watching: Watching): Promise<void> {
  const { folder, source } = watching;
  const path = (...names: string[]) => join(folder, ...names);
  copyFileSync(source(0), path('first.mp4'));
  for (const one of excludedIn(watching)) copyFileSync(source(1), one);
  writeFileSync(path('notes.txt'), 'no media');
  await watching.service.ok('/watch-folders/service/start', {});
  await analysed(watching, 1);
  await until(async () => (await statusOf(watching.service)).state === 'waiting', { within: SLOW_MS });
}

async function arriveSlowly(watching: Watching): Promise<void> {
  const { folder, source } = watching;
  const path = (...names: string[]) => join(folder, ...names);
  const bytes = readFileSync(source(1));
  const third = Math.ceil(bytes.byteLength / 3);
  for (let i = 0; i < 3; i++) {
    appendFileSync(path('day 1', 'slow.mp4'), bytes.subarray(i * third, (i + 1) * third));
    if (i < 2) await polls(watching, 1);
  }
  copyFileSync(source(2), path('download.mp4.part'));
  await analysed(watching, 2);
  renameSync(path('download.mp4.part'), path('download.mp4'));
  await analysed(watching, 3);
  assert.ok((await results(watching)).every(({ outcome }) => outcome === 'analyzed'));
}

async function rename(watching: Watching): Promise<void> {
  const { folder } = watching;
  const path = (...names: string[]) => join(folder, ...names);
  renameSync(path('first.mp4'), path('day 1', 'Ünïcode 雪', 'renamed.mp4'));
  const isStored = async () =>
    (await results(watching)).some((one) => one.path.endsWith('renamed.mp4') && one.outcome === 'stored');
  await until(isStored, { within: SLOW_MS });
  await analysed(watching, 3);
}

async function breakFile(watching: Watching): Promise<void> {
  const { folder, source } = watching;
  const path = (...names: string[]) => join(folder, ...names);
  writeFileSync(path('broken.mp4'), readFileSync(source(3)).subarray(0, 3000));
  await analysed(watching, 3, 1);
  const { failures } = await statsOf(watching);
  assert.deepEqual(
    failures.map(({ media_path }) => media_path),
    [path('broken.mp4')],
  );
  await polls(watching, 3);
  assert.deepEqual((await statsOf(watching)).failures, failures, 'it is not tried in a loop');
}

async function killEngine(watching: Watching): Promise<void> {
  const { folder, source } = watching;
  const path = (...names: string[]) => join(folder, ...names);
  copyFileSync(source(4), path('killed.mp4'));
  await until(async () => (await statusOf(watching.service)).task_id, { within: SLOW_MS });
  await watching.service.killEngine();
  await watching.service.modelReady();
  await analysed(watching, 4, 1);
}

async function restart(watching: Watching): Promise<void> {
  const { folder, source } = watching;
  const path = (...names: string[]) => join(folder, ...names);
  const { code } = await watching.service.stop();
  assert.equal(code, 0);
  copyFileSync(source(5), path('meanwhile.mp4'));
  copyFileSync(source(3), path('broken.mp4'));
  watching.service = await startGuarded(watching.home, often);
  await watching.service.modelReady();
  await analysed(watching, 6);
  assert.deepEqual((await statsOf(watching)).failures, []);
}

async function goAway(watching: Watching): Promise<void> {
  const { folder } = watching;
  renameSync(folder, `${folder}.away`);
  const isPaused = async () => (await statsOf(watching)).paused_until !== null;
  await until(isPaused, { within: SLOW_MS });
  assert.equal((await statsOf(watching)).files_analyzed, 6);
  assert.match((await statsOf(watching)).last_error ?? '', /incoming/);
  renameSync(`${folder}.away`, folder);
  await until(async () => !(await isPaused()), { within: SLOW_MS });
  await analysed(watching, 6);
}

async function lookBack(watching: Watching): Promise<void> {
  const { folder, cache_dir } = watching;
  const path = (...names: string[]) => join(folder, ...names);
  const good = ['killed', 'meanwhile', 'broken', 'download'].map((name) => path(`${name}.mp4`));
  good.push(path('day 1', 'slow.mp4'), path('day 1', 'Ünïcode 雪', 'renamed.mp4'));
  const all = await results(watching);
  for (const one of excludedIn(watching))
    assert.ok(!all.some(({ path: own }) => own === one), `${one} was looked at`);
  const known = new Map((await media(watching)).map((one) => [one.media_path, one.hash_str]));
  const analyses = all.filter(({ outcome }) => outcome === 'analyzed').map(({ path: own }) => own);
  assert.deepEqual([...new Set(analyses)].sort(), analyses.sort(), 'nothing is analysed twice');
  const { service } = watching;
  await service.ok('/analysis-data/load', { cache_dir });
  for (const media_path of good) {
    assert.ok(known.has(media_path), media_path);
    const request = {
      cache_dir,
      query: 'a number on a grey field',
      media_paths: [media_path],
      max_results: 1,
    };
    const { matches } = await service.ok<SearchAnswer>('/search/text', request);
    assert.equal(matches[0]?.hash_str, known.get(media_path), media_path);
  }
  const { service_status } = await service.ok<{ service_status: WatchStatus }>(
    '/watch-folders/service/stop',
    {},
  );
  assert.ok(['stopping', 'stopped'].includes(service_status.state));
  await until(async () => (await statusOf(service)).state === 'stopped', { within: SLOW_MS });
  await service.ok(`/watch-folders/${watching.id}`, undefined, 'DELETE');
  assert.deepEqual((await service.ok<WatchFolderList>('/watch-folders')).watch_folders, []);
  assert.equal((await media(watching)).length, known.size, 'the analysis is kept');
  rmSync(folder, { recursive: true });
}

const steps: Readonly<Record<string, (watching: Watching) => Promise<void>>> = {
  'what is there and what is excluded': arrive,
  'a file that is copied slowly is taken when it is complete': arriveSlowly,
  'a file under another name is not analysed again': rename,
  'a broken file is told and left alone until it changes': breakFile,
  'an engine that is killed goes on by itself': killEngine,
  'a service that is stopped and started goes on, with what came meanwhile': restart,
  'a folder that is away is no folder of deleted files': goAway,
  'in the end every good file is analysed once and found': lookBack,
};

test('files that come into a watched folder are analysed once, whatever happens meanwhile', async (t) => {
  const watching = await watch(t);
  for (const [title, step] of Object.entries(steps)) await t.test(title, () => step(watching));
});

test('a folder whose faces are wanted is refused without face models, also where nothing is running', async () => {
  const home = newHome();
  mkdirSync(join(home.folder, 'incoming'));
  const args = ['watch', 'add', join(home.folder, 'incoming')];
  const { code, err } = await home.run(...args, '--faces', 'crew');
  assert.equal(code, 1);
  assert.match(err, /No face detector and no face embedder is downloaded; .*models pull faces/);
  assert.equal((await home.run(...args)).code, 0);
  const { out } = await home.run('watch', 'list', '--json');
  assert.equal((JSON.parse(out) as WatchFolderList).watch_folders.length, 1);
  home.remove();
});
