// A running service whose engine is killed, that is told to stop at work, or whose analysis folder cannot be
// used.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type { Match, SearchAnswer } from '../../actors/search/contract.ts';
import { routes } from '../../http/routes.ts';
import { clips, longFilm } from '../actors/decoder/footage/clips.ts';
import { goodBody } from '../http/bad-values.ts';
import { RawClient, request } from '../http/raw-client.ts';
import { sampled, untilRelease } from '../shared.ts';
import { newHome } from './command-line.ts';
import { type GuardedService, isAlive, startGuarded } from './guarded-service.ts';

/** More of them find more: a release has 20. */
const ALL_KILLS = Number(process.env['FRAMEHOUND_TEST_KILLS'] ?? 1);
/** Kills of one service. A guardian gives up an engine that dies more than four times within two minutes. */
const KILLS = Math.min(ALL_KILLS, 4);
const SEED = Number(process.env['FRAMEHOUND_TEST_SEED'] ?? 7);

/** A quiet machine takes a tenth of it; this only tells a restart from none. */
const MOST_BACK_MS = 30_000;

/** Every film has more. */
const SECONDS = 2;
const films = sampled(clips.slice(0, 5), 2);

async function copies(folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  return Promise.all(
    films.map(async (film) => {
      const path = await film.make();
      const copy = join(folder, basename(path));
      copyFileSync(path, copy);
      return copy;
    }),
  );
}

/** Numbers from 0 to 1, the same ones for the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const detail = (service: GuardedService, task_id: string) => service.ok<TaskDetail>(`/tasks/${task_id}`);

async function analyze(
  service: GuardedService,
  cache_dir: string,
  visual_media_paths: readonly string[],
  more: { force?: boolean } = {},
): Promise<string> {
  return (await service.ok<{ task_id: string }>('/analyze', { cache_dir, visual_media_paths, ...more }))
    .task_id;
}

/**
 * What is found in a folder, apart from what the last bit of a vector decides: films of the same test picture
 * differ by less.
 */
interface Findings {
  /** The scenes that words find, which is all there are. */
  readonly scenes: readonly string[];
  /** Each of the first seconds of each film by itself, with its picture. */
  readonly moments: readonly Match[];
}

async function found(
  service: GuardedService,
  cache_dir: string,
  paths: readonly string[],
): Promise<Findings> {
  await service.ok('/analysis-data/load', { cache_dir });
  const words = { cache_dir, query: 'a number on a grey field', max_results: 1000 };
  const { matches } = await service.ok<SearchAnswer>('/search/text', words);
  const scenes = matches.map(
    ({ hash_str, video_path, scene_start_timestamp: start, scene_end_timestamp: end }) =>
      `${hash_str} ${video_path} ${start} ${end}`,
  );
  const moments: Match[] = [];
  for (const media_path of paths) {
    for (let i = 0; i < SECONDS; i++) {
      const range = { segments_to_frame_indices: { [media_path]: [i, i + 1] } };
      const query = { cache_dir, media_path, time_seconds: i, ...range };
      const [match, ...others] = (await service.ok<SearchAnswer>('/search/frame', query)).matches;
      assert.ok(match && others.length === 0, `${media_path}@${i}`);
      moments.push(match);
    }
  }
  assert.ok(
    [...matches, ...moments].every(({ image }) => image?.startsWith('/9j/')),
    'every preview is there',
  );
  return { scenes: scenes.sort(), moments };
}

interface World {
  readonly service: GuardedService;
  readonly paths: readonly string[];
  /** Analysed without any disturbance, and what is found in it. */
  readonly undisturbed: string;
  readonly wanted: Findings;
}

async function start(t: TestContext): Promise<World> {
  const service = await startGuarded();
  t.after(() => service.end());
  await service.modelReady();
  const paths = await copies(join(service.home.folder, 'media'));
  const undisturbed = join(service.home.folder, 'undisturbed');
  await service.follow(await analyze(service, undisturbed, paths));
  return { service, paths, undisturbed, wanted: await found(service, undisturbed, paths) };
}

test('a service whose engine is killed, and that is told to stop at work', async (t) => {
  const world = await start(t);
  await t.test('loses nothing that was stored, and a resumed task ends as an undisturbed one', (own) =>
    killAtRandom(own, world, SEED),
  );
  await t.test(
    'quarantines a file that ends the engine twice, reports it, and analyses the others',
    { skip: untilRelease },
    () => killTwice(world),
  );
  await t.test('answers what it was asked, ends in time with 0, and the task can go on', (own) =>
    stopAtWork(own, world),
  );
});

for (let left = ALL_KILLS - KILLS, seed = SEED + 1; left > 0; left -= KILLS, seed++) {
  test(`another service whose engine is killed, by seed ${seed}`, async (t) => {
    await killAtRandom(t, await start(t), seed);
  });
}

async function killAtRandom(t: TestContext, { service, paths, wanted }: World, seed: number): Promise<void> {
  const next = random(seed);
  const back: number[] = [];
  let interruptions = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const cache_dir = join(service.home.folder, `killed-${kill}`);
    // Once at the first event: on a quick machine the task may have ended by any later moment.
    const moment = kill === 0 ? 0 : next() * 90;
    const at = `kill ${kill} of seed ${seed} at ${moment.toFixed(1)} %`;
    const task_id = await analyze(service, cache_dir, paths);
    let done = 0;
    await service.follow(task_id, ({ progress, files_done = 0 }) => {
      done = files_done;
      return Number(progress) >= moment;
    });
    back.push(await service.killEngine());

    const { state } = await detail(service, task_id);
    // It may have ended in the moment before.
    assert.ok(state === 'interrupted' || state === 'completed', `${at}: ${state}`);
    await service.modelReady();
    if (done > 0) {
      const { media } = await service.ok<{ media: number }>('/analysis-data/load', { cache_dir });
      assert.ok(media >= done, `${at}: ${done} files were done, ${media} are stored`);
    }
    if (state === 'interrupted') {
      interruptions++;
      await service.ok(`/tasks/${task_id}/resume`, undefined, 'POST');
      await service.follow(task_id);
    }
    const ended = await detail(service, task_id);
    assert.equal(ended.state, 'completed', at);
    const results = new Map(ended.results.map(({ path, error }) => [path, error]));
    assert.deepEqual(results, new Map(paths.map((path) => [path, null])), at);
    assert.deepEqual(await found(service, cache_dir, paths), wanted, at);
  }
  assert.ok(interruptions > 0);
  t.diagnostic(`engine back after ${back.map((ms) => `${Math.round(ms)} ms`).join(', ')}`);
  assert.ok(Math.max(...back) < MOST_BACK_MS);
}

async function killTwice({ service, paths: [short = ''] }: World): Promise<void> {
  const long = await longFilm.make();
  const cache_dir = join(service.home.folder, 'quarantine');
  const task_id = await analyze(service, cache_dir, [long]);
  for (let kill = 0; kill < 2; kill++) {
    // What a task had reached before is told anew to whoever joins: only more frames say that the film is
    // read again.
    let first: number | null = null;
    await service.follow(task_id, ({ frames = 0 }) => {
      first ??= frames;
      return frames > first;
    });
    await service.killEngine();
    await service.modelReady();
    assert.equal((await detail(service, task_id)).state, 'interrupted');
    await service.ok(`/tasks/${task_id}/resume`, undefined, 'POST');
  }
  await service.follow(task_id);
  const { results, state } = await detail(service, task_id);
  assert.deepEqual([state, results.map(({ error }) => error?.code)], ['failed', ['QUARANTINED']]);
  assert.match(results[0]?.error?.message ?? '', /the engine crashed twice .*SIGKILL.*SIGKILL/);
  const both = await analyze(service, cache_dir, [long, short]);
  await service.follow(both);
  const outcomes = (await detail(service, both)).results.map(({ path, outcome }) => [path, outcome] as const);
  assert.deepEqual(
    new Map<string, string>(outcomes),
    new Map([
      [long, 'failed'],
      [short, 'analyzed'],
    ]),
  );
}

async function stopAtWork(t: TestContext, { service, undisturbed: cache_dir, paths }: World): Promise<void> {
  await found(service, cache_dir, paths);
  // Done over: it may have been left alone before.
  const task_id = await analyze(service, cache_dir, [await longFilm.make()], { force: true });
  await service.follow(task_id, ({ frames = 0 }) => frames > 0);

  const body = JSON.stringify({ cache_dir, query: 'a number', max_results: 20 });
  const question = request('POST', '/api/v1/search/text', body, [`X-License-Key: ${service.key}`]);
  const clients = Array.from({ length: 30 }, () => new RawClient(service.port));
  const first = await Promise.all(clients.map((client) => client.ask(question)));
  assert.deepEqual(new Set(first.map(({ status }) => status)), new Set([200]));
  // On connections that are there already, so that each is in the hands of the service before it is told to
  // stop.
  await Promise.all(clients.map((client) => client.send(question)));
  const { engine } = service;
  const ending = service.stop();
  const last = await Promise.all(clients.map((client) => client.read()));
  for (const { status } of last) assert.ok(status === 200 || status === 503, String(status));
  const { code, ms } = await ending;
  assert.equal(code, 0);
  assert.ok(ms < 10_000, `${ms} ms`);
  assert.equal(isAlive(engine), false);
  t.diagnostic(`stopped within ${Math.round(ms)} ms`);
  const { out, err } = await service.home.run('tasks', '--json');
  const { tasks } = JSON.parse(out) as { tasks: TaskDetail[] };
  assert.equal(tasks.find((task) => task.task_id === task_id)?.state, 'interrupted', err);
}

/** Whether a folder of one's own can be mounted without any right. */
const unshared = spawnSync('unshare', ['-rm', 'true']).status === 0;
const withMounts = { skip: unshared ? false : 'no file systems of its own can be mounted here' };

/** The service in a world of its own with a full disk and a read-only one, which end with it. */
const mounts = (folder: string) => [
  'unshare',
  ...['-rm', 'sh', '-c'],
  `mount -t tmpfs -o size=256k tmpfs ${folder}/small && mount -t tmpfs -o ro tmpfs ${folder}/read-only && exec "$@"`,
  'sh',
];

test(
  'an analysis folder that is no folder, is read-only or fills up is an error, never a fault',
  withMounts,
  async (t) => {
    const home = newHome();
    for (const name of ['small', 'read-only', 'media']) mkdirSync(join(home.folder, name));
    writeFileSync(join(home.folder, 'file'), 'no folder');
    symlinkSync(join(home.folder, 'loop'), join(home.folder, 'loop'));
    const service = await startGuarded(home, mounts(home.folder));
    t.after(() => service.end());
    await service.modelReady();
    const paths = await copies(join(home.folder, 'media'));
    await askWithImpossibleFolders(service, paths);
    await fillDisk(service, paths);
    const faults = ['request met a fault', 'engine met a fault'];
    assert.ok(!service.log.some(({ message }) => faults.includes(message)));
    assert.equal(service.log.filter(({ message }) => message === 'engine started').length, 1);
    // The full disk of one folder does not stop the work in another.
    const elsewhere = join(home.folder, 'elsewhere');
    await service.follow(await analyze(service, elsewhere, paths));
    await found(service, elsewhere, paths);
    assert.equal((await service.stop()).code, 0);
  },
);

/** Every route that takes the folder of an analysis refuses it, and makes nothing. */
async function askWithImpossibleFolders(service: GuardedService, paths: readonly string[]): Promise<void> {
  const names = ['file', 'file/below', 'read-only/below', 'read-only', 'loop', 'missing', 'missing/below'];
  for (const name of sampled(names, 3)) {
    const cache_dir = join(service.home.folder, name);
    for (const { path, id, body } of routes) {
      const fields = (body as { properties?: Record<string, unknown> } | null)?.properties ?? {};
      if (!body || !('cache_dir' in fields)) continue;
      // A missing folder is made for an analysis.
      if (id === 'analyze' && name.startsWith('missing')) continue;
      const query = { ...goodBody(body, valuesOf(cache_dir, paths[0]!)), ...more(id, paths) };
      const { status, body: answer } = await service.ask(path.replace('/api/v1', ''), query);
      const said = JSON.stringify(answer);
      assert.ok(status < 600 && status !== 500, `${id} ${name}: ${said}`);
      if (id === 'analyze') assert.ok([400, 501, 503, 507].includes(status), `${status} ${said}`);
      if (status >= 400) assert.match(said, /"error":"\w/);
    }
  }
  for (const name of ['missing', 'missing/below'])
    assert.ok(!existsSync(join(service.home.folder, name)), `${name} was made`);
}

/** Values for fields by their names, as `goodBody` asks for them. */
function valuesOf(cache_dir: string, path: string): (name: string) => unknown {
  return (name) => {
    if (name === 'cache_dir') return cache_dir;
    if (/_paths?$/.test(name)) return path;
    return /_time$/.test(name) ? '00:00:01' : undefined;
  };
}

/** What a route wants beyond its required fields. */
function more(id: string, paths: readonly string[]): object {
  if (id === 'analyze') return { visual_media_paths: paths };
  return id === 'cachePaths' ? { media_path: paths[0] } : {};
}

async function fillDisk(service: GuardedService, paths: readonly string[]): Promise<void> {
  const small = join(service.home.folder, 'small', 'analysis');
  const task_id = await analyze(service, small, paths);
  await service.follow(task_id);
  const { state, error, results } = await detail(service, task_id);
  assert.match(JSON.stringify([state, error, results.map((result) => result.error)]), /STORE_FULL|full/);
}
