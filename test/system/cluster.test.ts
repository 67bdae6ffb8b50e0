// Three engines and a real PostgreSQL: what one is asked for, others do; any of them can die, and so can the
// database.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import test from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import { openAdmin } from '../../actors/cluster/admin.ts';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import { systemClock } from '../../runtime/clock.ts';
import { until } from '../until.ts';
import { type Node, newWorld, type World } from './cluster-world.ts';
import { SLOW_MS } from './command-line.ts';
import { skipWithoutPostgres } from './postgres.ts';

const samples = join(import.meta.dirname, '../../actors/samples/media');
const stills = ['forest.jpg', 'hills.jpg', 'moon-over-the-sea.jpg', 'fire.webp', 'beach.webp'];
const films = ['beach.mp4', 'camp-fire.mkv'];
/** Of each still, each another content. */
const COPIES = 4;
const forgottenFilm = 'camp-fire.mkv';
const queries = ['a beach', 'fire at night', 'a forest', 'trees', 'the moon', 'the sea', 'water', 'hills'];

const copyOf = (name: string, copy: number) => `${basename(name, extname(name))}-${copy}${extname(name)}`;
const names = [
  ...films,
  ...stills.flatMap((name) => Array.from({ length: COPIES }, (_, i) => copyOf(name, i + 1))),
];

function place(footage: string): void {
  for (const name of films) cpSync(join(samples, name), join(footage, name));
  for (const name of stills) {
    const bytes = readFileSync(join(samples, name));
    for (let copy = 1; copy <= COPIES; copy++)
      writeFileSync(join(footage, copyOf(name, copy)), Buffer.concat([bytes, Buffer.of(copy)]));
  }
}

test('three engines do the work of one, and lose nothing when a worker or the database dies', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const world = await newWorld(t, place);
  const [front, first, second] = await Promise.all(
    ['front', 'worker', 'front,worker'].map((roles) => world.join(roles)),
  );
  const nodes = { front: front!, first: first!, second: second! };
  await Promise.all(Object.values(nodes).map((node) => node.modelReady()));
  await t.test('a batch is spread, and a killed worker loses nothing', () => analyseAndKill(world, nodes));
  await t.test('what is forgotten is forgotten everywhere', () => forget(world, nodes.front));
  const back = await world.join('front,worker', nodes.first.home);
  await back.modelReady();
  const all = [nodes.front, nodes.second, back];
  await t.test('every engine answers the same questions equally', () => compareAnswers(all));
  await t.test('while the database is away searches go on, and work waits', () => stopDatabase(world, all));
});

interface Nodes {
  readonly front: Node;
  readonly first: Node;
  readonly second: Node;
}

function requestOf({ cacheDir }: Node, { footage }: World, files: readonly string[] = names) {
  return { cache_dir: cacheDir, visual_media_paths: files.map((name) => join(footage, name)) };
}

async function analyseAndKill(world: World, { front, first, second }: Nodes): Promise<void> {
  const admin = openAdmin(world.postgres.url, systemClock);
  try {
    const { task_id } = await front.ok<{ task_id: string }>('/analyze', requestOf(front, world));
    const busy = await front.call('/library/forget', forgetting(front, world, films));
    assert.equal(busy.status, 409, 'a task works on it');
    const read = (node: Node) => node.ok<TaskDetail>(`/tasks/${task_id}`);
    const followed = second.follow(task_id);
    const isUnderway = async () => (await read(front)).counts.done > 0;
    const bothWork = async () => (await admin.status()).active_jobs === 2;
    await until(async () => (await isUnderway()) && (await bothWork()), { within: SLOW_MS });
    first.process.child.kill('SIGKILL');
    const events = await followed;
    assert.equal(events.at(-1)?.progress, 100);
    const details = await Promise.all([front, second].map(read));
    for (const { state, counts, results } of details) {
      assert.deepEqual([state, counts.files, counts.analyzed], ['completed', names.length, names.length]);
      const found = results.map(({ path }) => basename(path)).sort();
      assert.deepEqual(found, names.toSorted(), 'each file has one result');
    }
    const { queued_jobs, active_jobs, failed_jobs } = await admin.status();
    assert.deepEqual([queued_jobs, active_jobs, failed_jobs], [0, 0, 0]);
  } finally {
    await admin.close();
  }
}

function forgetting({ cacheDir }: Node, { footage }: World, files: readonly string[]) {
  return { cache_dir: cacheDir, media_paths: files.map((name) => join(footage, name)), dry_run: false };
}

/** The killed worker is away meanwhile. */
async function forget(world: World, front: Node): Promise<void> {
  const { forgotten } = await front.ok<{ forgotten: { media_paths: string[] }[] }>(
    '/library/forget',
    forgetting(front, world, [forgottenFilm]),
  );
  assert.deepEqual(
    forgotten.flatMap(({ media_paths }) => media_paths),
    [join(world.footage, forgottenFilm)],
  );
}

/** Without the preview, which is compared by its length, and what is of one machine. */
async function answersOf(node: Node): Promise<unknown[]> {
  const { cacheDir: cache_dir, ok } = node;
  await ok('/analysis-data/load', { cache_dir });
  const answers: unknown[] = [];
  for (const query of queries) {
    const { matches } = await ok<SearchAnswer>('/search/text', { cache_dir, query, max_results: 20 });
    answers.push(matches.map(({ image, ...match }) => ({ ...match, image: image?.length })));
  }
  for (const name of stills) {
    const image_path = join(samples, name);
    const { matches } = await ok<SearchAnswer>('/search/image', { cache_dir, image_path, max_results: 20 });
    assert.ok(matches.length >= COPIES, name);
    answers.push(matches.map(({ image, ...match }) => ({ ...match, image: image?.length })));
  }
  return answers;
}

async function compareAnswers(nodes: readonly Node[]): Promise<void> {
  const hasAll = async (node: Node) => {
    const { cacheDir: cache_dir } = node;
    const { total } = await node.ok<{ total: number }>('/library/list', { cache_dir });
    return total === names.length - 1;
  };
  for (const node of nodes) await until(() => hasAll(node), { within: SLOW_MS });
  const [one, ...others] = await Promise.all(nodes.map(answersOf));
  for (const other of others) assert.deepEqual(other, one);
}

async function stopDatabase(world: World, nodes: readonly Node[]): Promise<void> {
  const [front] = nodes;
  const late = 'stop-sign.jpg';
  cpSync(join(samples, late), join(world.footage, late));
  world.postgres.stop();
  const began = performance.now();
  const ask = async (node: Node) => {
    const { cacheDir: cache_dir } = node;
    const { status } = await node.call('/search/text', { cache_dir, query: 'a beach' });
    return status;
  };
  const isEnough = async () => {
    const answers = await Promise.all(nodes.map(ask));
    assert.deepEqual(answers, Array(nodes.length).fill(200));
    return performance.now() - began > 10_000;
  };
  await until(isEnough, { within: SLOW_MS });
  const refused = await front!.call('/analyze', requestOf(front!, world, [late]));
  assert.deepEqual([refused.status, refused.headers.has('retry-after')], [503, true]);
  world.postgres.start();
  const accepted = async () => {
    const { status, body } = await front!.call<{ task_id: string }>(
      '/analyze',
      requestOf(front!, world, [late]),
    );
    assert.ok(status === 202 || status === 503, JSON.stringify(body));
    return status === 202 && body;
  };
  const { task_id } = await until(accepted, { within: SLOW_MS });
  const isDone = async () => {
    const { state, counts } = await front!.ok<TaskDetail>(`/tasks/${task_id}`);
    assert.notEqual(state, 'failed');
    return state === 'completed' && counts;
  };
  assert.equal((await until(isDone, { within: SLOW_MS })).analyzed, 1);
}
