// What may happen to the machines of a cluster beside an end: one stands still, has another time, is a copy
// of another one, or does not see the shared folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import { openAdmin } from '../../actors/cluster/admin.ts';
import type { ClusterAdmin } from '../../actors/cluster/contract.ts';
import type { WatchStatus } from '../../actors/watcher/folders/contract.ts';
import { systemClock } from '../../runtime/clock.ts';
import { receiver } from '../events/receiver.ts';
import { until } from '../until.ts';
import { type Node, newWorld, type World } from './cluster-world.ts';
import { newHome, SLOW_MS } from './command-line.ts';
import { skipWithoutPostgres } from './postgres.ts';

const samples = join(import.meta.dirname, '../../actors/samples/media');
const names = [...Array(12).keys()].map((i) => `hills-${i}.jpg`);
const HOUR = 3600;

/** Another content for each name. */
function place(footage: string, some: readonly string[]): void {
  const bytes = readFileSync(join(samples, 'hills.jpg'));
  for (const name of some) writeFileSync(join(footage, name), Buffer.concat([bytes, Buffer.from(name)]));
}

interface Nodes {
  readonly world: World;
  readonly admin: ClusterAdmin;
  readonly front: Node;
  /** Workers. */
  readonly first: Node;
  readonly late: Node;
}

test('a cluster goes on when a machine is odd', { skip: skipWithoutPostgres }, async (t) => {
  const world = await newWorld(t, (footage) => place(footage, names));
  const [front, first] = await Promise.all(['front', 'worker'].map((roles) => world.join(roles)));
  const late = await joinLate(world);
  await Promise.all([front!, first!, late].map((node) => node.modelReady()));
  const admin = openAdmin(world.postgres.url, systemClock);
  t.after(() => admin.close());
  const nodes = { world, admin, front: front!, first: first!, late };
  await t.test('a clock that is an hour late is told', () => tellClock(nodes));
  await t.test('what a frozen worker has is done by another, and once', () => freeze(nodes));
  await t.test('work waits while the shared folder is away', () => takeShareAway(nodes));
  const skip = process.getuid?.() !== 0 && 'only root can mount a disk that is full';
  await t.test('work waits while the shared folder is full', { skip }, (part) => fillShare(part, nodes));
  await t.test('a copy of the home folder of a running engine is refused', () => refuseCopy(nodes));
});

/** Each of its threads reads the clock of an hour ago. */
async function joinLate(world: World): Promise<Node> {
  const folder = join(world.footage, '..', 'clock');
  mkdirSync(folder);
  const module = join(folder, 'late.mjs');
  writeFileSync(
    module,
    `const now = Date.now;
const late = () => now() - ${HOUR * 1000};
globalThis.Date = class extends Date {
  constructor(...args) { super(...(args.length === 0 ? [late()] : args)); }
  static now() { return late(); }
};\n`,
  );
  const before = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = `${before ?? ''} --import ${new URL(`file://${module}`).href}`;
  const joining = world.join('worker');
  if (before === undefined) delete process.env['NODE_OPTIONS'];
  else process.env['NODE_OPTIONS'] = before;
  return joining;
}

const begin = async ({ front, world }: Nodes, some: readonly string[]): Promise<string> => {
  const visual_media_paths = some.map((name) => join(world.footage, name));
  const request = { cache_dir: front.cacheDir, visual_media_paths };
  return (await front.ok<{ task_id: string }>('/analyze', request)).task_id;
};

/** Each of the files has one result, and none failed. */
async function isDoneOnce({ front }: Nodes, task_id: string, some: readonly string[]): Promise<boolean> {
  const { state, results } = await front.ok<TaskDetail>(`/tasks/${task_id}`);
  if (state === 'running' || state === 'queued') return false;
  assert.equal(state, 'completed');
  assert.deepEqual(
    results.map(({ path, error }) => [basename(path), error]).sort(),
    some.map((name) => [name, null]).sort(),
  );
  return true;
}

async function tellClock({ admin, late }: Nodes): Promise<void> {
  const clocks = (await admin.status()).nodes.map(({ clock_seconds }) => Math.round(clock_seconds / HOUR));
  assert.deepEqual(clocks.sort(), [-1, 0, 0]);
  assert.match(late.process.printed(), /the clock of this machine differs from that of the database/);
}

async function freeze(nodes: Nodes): Promise<void> {
  const { admin, first, front, late } = nodes;
  const task_id = await begin(nodes, names);
  const isAtWork = async () =>
    (await admin.status()).nodes.some(
      ({ clock_seconds, working }) => working.length > 0 && clock_seconds > -HOUR / 2,
    );
  await until(isAtWork, { within: SLOW_MS });
  first.process.child.kill('SIGSTOP');
  try {
    await until(() => isDoneOnce(nodes, task_id, names), { within: SLOW_MS });
  } finally {
    first.process.child.kill('SIGCONT');
  }
  for (const node of [first, front, late]) await until(() => hasAll(node, names.length), { within: SLOW_MS });
  assert.equal(await isDoneOnce(nodes, task_id, names), true);
}

async function hasAll({ cacheDir: cache_dir, ok }: Node, count: number): Promise<boolean> {
  return (await ok<{ total: number }>('/library/list', { cache_dir })).total === count;
}

async function takeShareAway(nodes: Nodes): Promise<void> {
  const { front, world } = nodes;
  const added = ['away.jpg'];
  place(world.footage, added);
  renameSync(world.shared, `${world.shared}-away`);
  const task_id = await begin(nodes, added);
  const began = performance.now();
  const isWaiting = async () => {
    assert.equal(await isDoneOnce(nodes, task_id, added), false);
    const search = { cache_dir: front.cacheDir, query: 'hills' };
    const { status, body } = await front.call('/search/text', search);
    assert.equal(status, 200, JSON.stringify(body));
    return performance.now() - began > 8_000;
  };
  await front.ok('/analysis-data/load', { cache_dir: front.cacheDir });
  await until(isWaiting, { within: SLOW_MS });
  renameSync(`${world.shared}-away`, world.shared);
  await until(() => isDoneOnce(nodes, task_id, added), { within: SLOW_MS });
  await until(() => hasAll(front, names.length + 1), { within: SLOW_MS });
}

/** A small disk lies where results are written. */
async function fillShare(t: TestContext, nodes: Nodes): Promise<void> {
  const { front, first, late, world } = nodes;
  const before = (await front.ok<{ total: number }>('/library/list', { cache_dir: front.cacheDir })).total;
  const added = ['full.jpg'];
  place(world.footage, added);
  const results = join(world.shared, 'results');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'framehound-full', results]);
  let isFull = true;
  const free = () => {
    if (isFull) execFileSync('umount', ['-l', results]);
    isFull = false;
  };
  t.after(free);
  const task_id = await begin(nodes, added);
  const told = /the shared folder cannot be written.*(ENOSPC|No space left|disk is full)/;
  await until(() => [first, late].some(({ process: { printed } }) => told.test(printed())), {
    within: SLOW_MS,
  });
  assert.equal(await isDoneOnce(nodes, task_id, added), false);
  free();
  await until(() => isDoneOnce(nodes, task_id, added), { within: SLOW_MS });
  await until(() => hasAll(front, before + 1), { within: SLOW_MS });
}

async function refuseCopy({ admin, first, world }: Nodes): Promise<void> {
  const home = newHome();
  mkdirSync(join(home.folder, 'home', 'cluster'), { recursive: true });
  const file = join('home', 'cluster', 'node.json');
  cpSync(join(first.home.folder, file), join(home.folder, file));
  await assert.rejects(world.join('worker', home), /is a copy of .* which runs as the node/);
  home.remove();
  assert.equal((await admin.status()).nodes.length, 3);
}

interface Fronts {
  readonly world: World;
  /** Watches, sends, and is asked. */
  readonly first: Node;
  readonly second: Node;
  /** The folder that is watched. */
  readonly watched: string;
  readonly hitsOf: (front: Node) => Promise<string[]>;
  /** What was sent of each event: the file of a hit, the id of a task. */
  readonly sent: (type: 'search.hit' | 'task.ended') => string[];
}

test('a front that stands still or is killed gives way, and nothing is done twice or left out', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const world = await newWorld(t, (footage) => mkdirSync(join(footage, 'watched')));
  const watched = join(world.footage, 'watched');
  const first = await world.join('front');
  const [second, worker] = await Promise.all(['front', 'worker'].map((roles) => world.join(roles)));
  for (const node of [first, second!, worker!]) await node.modelReady();
  const told = await watchAndTell(t, first, watched);
  const fronts = { world, first, second: second!, watched, ...told };
  await freezeFront(fronts);
  await killFront(fronts);
});

/** Watches the folder, and has pictures that are found and the ends of tasks sent. */
async function watchAndTell(t: TestContext, { cacheDir: cache_dir, call, ok }: Node, folder_path: string) {
  const { url, received } = await receiver(t);
  const made = async <T>(path: string, body: unknown) => {
    const answer = await call<T>(path, body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  };
  await made('/webhooks', { url, events: ['search.hit', 'task.ended'] });
  const filters = [{ facet_id: 'file.extension', values: ['jpg'] }];
  const request = { cache_dir, metadata_filter_request: { filters } };
  const { search } = await made<{ search: { search_id: string } }>('/searches/saved', {
    ...{ name: 'pictures', request },
  });
  await ok('/watch-folders', { folder_path });
  await ok('/watch-folders/service/start', {});
  const hitsOf: Fronts['hitsOf'] = async (front) => {
    const path = `/searches/saved/${search.search_id}/hits`;
    const { hits } = await front.ok<{ hits: { media_path: string }[] }>(path);
    return hits.map(({ media_path }) => basename(media_path)).sort();
  };
  const sent: Fronts['sent'] = (wanted) => {
    // What is sent again has the id that it had.
    const byId = new Map(received.map(({ headers, body }) => [headers['webhook-id'], body]));
    const events = [...byId.values()].map((body) => JSON.parse(body) as { type: string; data: SentFields });
    const some = events.filter(({ type }) => type === wanted);
    return some.map(({ data }) => data.task_id ?? basename(data.media_path!)).sort();
  };
  return { hitsOf, sent };
}

type SentFields = { readonly [K in 'media_path' | 'task_id']?: string };

async function freezeFront(fronts: Fronts): Promise<void> {
  const { world, first, second, watched, hitsOf, sent } = fronts;
  const [asked, before, meanwhile, after] = ['asked', 'before', 'meanwhile', 'after'].map((name) =>
    names.map((one) => `${name}-${one}`),
  ) as [string[], string[], string[], string[]];
  const isDone = async (front: Node, files: number) => {
    const { folder_stats } = await watchOf(front);
    const [analyzed] = Object.values(folder_stats).map(({ files_analyzed }) => files_analyzed);
    return analyzed === files && (await hasAll(front, asked.length + files));
  };
  place(world.footage, asked);
  const nodes = { ...fronts, front: first } as unknown as Nodes;
  const task_id = await begin(nodes, asked);
  place(watched, before);
  const isAtWork = async () => (await watchOf(first)).task_id !== null;
  await until(isAtWork, { within: SLOW_MS });
  first.process.child.kill('SIGSTOP');
  try {
    await until(() => isDoneOnce({ ...nodes, front: second }, task_id, asked), { within: SLOW_MS });
    await until(() => isDone(second, before.length), { within: SLOW_MS });
    place(watched, meanwhile);
    await until(() => isDone(second, before.length + meanwhile.length), { within: SLOW_MS });
  } finally {
    first.process.child.kill('SIGCONT');
  }
  await until(() => hasAll(first, asked.length + before.length + meanwhile.length), { within: SLOW_MS });
  place(watched, after);
  const all = before.length + meanwhile.length + after.length;
  for (const front of [first, second]) await until(() => isDone(front, all), { within: SLOW_MS });
  // Also what ended while nobody had taken over.
  const certain = [...asked, ...before, ...meanwhile, ...after].sort();
  await until(() => sent('search.hit').length >= certain.length, { within: SLOW_MS });
  assert.deepEqual(sent('search.hit'), certain);
  const ends = sent('task.ended');
  assert.deepEqual(ends, [...new Set(ends)], 'each was sent once');
  assert.ok(ends.includes(task_id));
  assert.deepEqual(await hitsOf(second), sent('search.hit'));
  await until(async () => (await hitsOf(first)).length === (await hitsOf(second)).length);
  assert.deepEqual(await hitsOf(first), await hitsOf(second));
}

/** The one that sends by now. */
async function killFront({ world, first, second, sent }: Fronts): Promise<void> {
  const last = names.map((one) => `last-${one}`);
  place(world.footage, last);
  const task_id = await begin({ world, front: first } as Nodes, last);
  const hits = () => sent('search.hit').filter((name) => last.includes(name));
  await until(() => hits().length > 0, { within: SLOW_MS });
  second.process.child.kill('SIGKILL');
  await until(() => hits().length === last.length && sent('task.ended').includes(task_id), {
    within: SLOW_MS,
  });
}

function watchOf({ ok }: Node): Promise<WatchStatus> {
  return ok<WatchStatus>('/watch-folders/service/status');
}
