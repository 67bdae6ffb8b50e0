// Tasks of a cluster that are cut short, and that go on.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import type { Analysis, WorkResult } from '../../../actors/analysis/contract.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import { addChange, type ChangeBody, changesAfter } from '../../../actors/cluster/log.ts';
import { progressChannel } from '../../../actors/cluster/notices.ts';
import { peopleErrors } from '../../../actors/index/people/contract.ts';
import { openFolder } from '../../../actors/index/store/names.ts';
import { rootsText } from '../../../actors/index/store/roots-file.ts';
import { manifestFile } from '../../../actors/library/transfer/contract.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { SLOW_MS } from '../../system/command-line.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { until } from '../../until.ts';
import { spoken, turn } from '../index/voices/spoken.ts';
import { clusterNodes, type Nodes } from './replicas.ts';

const nothing = Object.assign({ force: false }, ...stageKinds.map((kind) => kind.nothing));
const files = ['/footage/a.mp4', '/footage/b.mp4', '/footage/c.mp4'];
const page = { offset: 0, limit: 10 };

test('tasks of a cluster', { skip: skipWithoutPostgres }, async (t) => {
  const nodes = await clusterNodes(t);
  await t.test('what failed is done again when a task is resumed', () => resumeFailed(nodes));
  await t.test('a clustering comes after its files, and is made again where they changed', () =>
    clusterAgain(nodes),
  );
  await t.test('a task that was cancelled goes on with what is left', () => resumeCancelled(nodes));
  await t.test('tasks share a worker by what their files cost', () => shareFairly(nodes));
  await t.test('a worker need not have the last results of others, but all before a new task', () =>
    takeBehind(nodes),
  );
  await t.test('a file outside the roots fails alone, and is done when it is in one', () => outside(nodes));
  await t.test('a worker that is stopped has not failed, however often', () => stopOften(nodes));
  await t.test('what a stopped worker has of a film is taken up by another one', () => takeUp(nodes));
  await t.test('sealed results of a killed attempt are removed', () => dropLeftovers(nodes));
  await t.test('a wrong analysis folder is a bad request', () => elsewhere(nodes));
  await t.test('every node knows that a summary is generated', () => summarizing(nodes));
  await t.test('a node that cannot reach the database does not say that it stopped something', () =>
    cancelAway(nodes),
  );
});

/** What each file comes to. `path`: the one of the job. */
type Ends = (path: string, signal: AbortSignal) => Promise<'analyzed' | 'failed'>;

function analysing(ends: Ends): Analysis['run'] {
  return async ({ request: { paths } }, { signal, onEvent }) => {
    for (const path of paths) {
      const outcome = await ends(path, signal);
      const error = outcome === 'failed' ? { code: 'DECODE_FAILED', message: path } : null;
      const of = { path, type: 'video', hash_str: null, outcome, reason: null } as const;
      onEvent({ type: 'result', result: { ...of, facts: { frames: 1 }, duration_seconds: 0, error } });
    }
    return { cancelled: false, counts: {} as never, progress: { stages: {} } as never };
  };
}

async function startedOn(nodes: Nodes, ends: Ends) {
  const node = await nodes.join('/footage');
  node.begin();
  const worker = node.work(analysing(ends));
  const { cacheDir: cache_dir, tasks } = node;
  const { task_id } = await tasks.start({ ...nothing, cache_dir, paths: files });
  const read = () => tasks.get(task_id, page);
  const ended = () => until(async () => (await read()).ended !== null && read());
  return { tasks, task_id, read, ended, worker };
}

async function resumeFailed(nodes: Nodes): Promise<void> {
  const seen: string[] = [];
  const { tasks, task_id, ended, read, worker } = await startedOn(nodes, async (path) => {
    seen.push(path);
    return path === files[1] && seen.filter((one) => one === path).length === 1 ? 'failed' : 'analyzed';
  });
  const first = await ended();
  assert.deepEqual([first.state, first.counts.analyzed, first.counts.failed], ['completed', 2, 1]);
  await tasks.resume(task_id);
  const last = await ended();
  assert.deepEqual([last.state, last.counts.done, last.counts.failed], ['completed', 3, 0]);
  assert.deepEqual(last.results.map(({ path }) => path).toSorted(), files);
  assert.deepEqual(seen.toSorted(), [...files, files[1]!].toSorted(), 'nothing else is done again');
  assert.ok(last.started > first.started && last.created === first.created);
  await tasks.resume(task_id);
  assert.equal((await read()).task_id, task_id);
  assert.equal((await ended()).counts.analyzed, 3, 'all of it where everything was good');
  assert.equal(seen.length, 7);
  await worker.stop();
}

async function resumeCancelled(nodes: Nodes): Promise<void> {
  let isHeld = true;
  const { tasks, task_id, ended, read, worker } = await startedOn(nodes, async (path, signal) => {
    if (isHeld && path !== files[0]) await until(() => !isHeld || signal.aborted);
    return 'analyzed';
  });
  await until(async () => (await read()).counts.analyzed === 1);
  await assert.rejects(tasks.resume(task_id), { code: 'TASK_RUNNING' });
  assert.deepEqual(await tasks.cancel(task_id), { stopped: true, task_id });
  const { state, counts } = await read();
  assert.deepEqual([state, counts.analyzed, counts.cancelled, tasks.busy], ['cancelled', 1, 2, false]);
  isHeld = false;
  await tasks.resume(task_id);
  const last = await ended();
  assert.deepEqual([last.state, last.counts.analyzed, last.total_results], ['completed', 3, 3]);
  await worker.stop();
}

async function shareFairly(nodes: Nodes): Promise<void> {
  const node = await nodes.join('/footage');
  node.begin();
  const jobs: string[] = [];
  const begun = Promise.withResolvers<void>();
  // By this clock no job takes any time, so that only the first one is cut.
  const clock = { ...systemClock, now: () => 0 };
  const worker = node.work(async ({ request: { paths } }) => {
    jobs.push(`${paths[0]!.split('/')[2]} ${paths.length}`);
    await begun.promise;
    return { cancelled: false, counts: {} as never, progress: { stages: {} } as never };
  }, clock);
  const { cacheDir: cache_dir, tasks } = node;
  const start = async (name: string, count: number) => {
    const paths = Array.from({ length: count }, (_, at) => `/footage/${name}/${at}.mp4`);
    return (await tasks.start({ ...nothing, cache_dir, paths })).task_id;
  };
  const ids = [await start('large', 24)];
  await until(() => jobs.length === 1);
  ids.push(await start('middle', 16), await start('small', 3), await start('last', 3));
  begun.resolve();
  const allEnded = async () =>
    (await Promise.all(ids.map((id) => tasks.get(id, page)))).every((one) => one.ended);
  // Fourteen jobs, each with a dozen statements.
  await until(allEnded, { within: SLOW_MS });
  const [large, middle, small, last] = ['large 6', 'middle 4', 'small 1', 'last 1'];
  assert.deepEqual(jobs, [
    ...['large 2', middle, small, last, small, last],
    ...['large 4', small, last, middle, large, middle, large, middle, large],
  ]);
  await worker.stop();
}

async function takeBehind({ database, library, shared, said, found, ...nodes }: Nodes): Promise<void> {
  await found((index, at) => spoken(index, at, 'aa', [turn(0, 0, 2)], {}, { path: files[0]! }));
  const { changes } = await changesAfter(database, library, { seq: 0, at_ms: 0 }, 100);
  const body = changes.at(-1)!.body as Extract<ChangeBody, { kind: 'results' }>;
  const node = await nodes.join('/footage');
  node.begin();
  await node.caughtUp();
  const seen: string[] = [];
  const first = Promise.withResolvers<void>();
  const worker = node.work(async ({ request: { paths } }) => {
    seen.push(...paths);
    await first.promise;
    return { cancelled: false, counts: {} as never, progress: { stages: {} } as never };
  });
  const { cacheDir: cache_dir, tasks, follower } = node;
  const { task_id } = await tasks.start({ ...nothing, cache_dir, paths: files });
  await until(() => seen.length === 1);
  const before = follower.applied;
  // What another worker has found meanwhile, and this machine cannot read yet.
  const sealed = { ...body.sealed!, place: 'results/late' };
  // Not as one that is damaged: that would be given up after some attempts.
  mkdirSync(join(shared, sealed.place, manifestFile), { recursive: true });
  await addChange(database, { library, node: library }, { ...body, sealed });
  first.resolve();
  await until(async () => (await tasks.get(task_id, page)).ended !== null);
  assert.deepEqual([seen.toSorted(), follower.applied], [files, before]);
  const next = tasks.start({ ...nothing, cache_dir, paths: files });
  const jobs = 'select 1 from framehound.job where not ended';
  await until(async () => (await database.query(jobs)).length === files.length);
  // A worker that looked at the log before the task was asked for takes nothing of it either.
  assert.equal(await database.takeJob({ library, seq: before, at_ms: 0, roots: ['footage'] }), null);
  // It looks for jobs more often than for these results.
  const late = () => said.filter((line) => line.includes('cannot be read yet')).length;
  const looks = late() + 2;
  await until(() => late() >= looks);
  assert.equal(seen.length, files.length);
  rmSync(join(shared, sealed.place), { recursive: true });
  cpSync(join(shared, body.sealed!.place), join(shared, sealed.place), { recursive: true });
  await next;
  await until(() => seen.length === 2 * files.length);
  await worker.stop();
}

async function outside(nodes: Nodes): Promise<void> {
  const node = await nodes.join('/footage');
  node.begin();
  const seen: string[] = [];
  const worker = node.work(
    analysing(async (path) => {
      seen.push(path);
      return 'analyzed';
    }),
  );
  const { cacheDir: cache_dir, tasks } = node;
  const run = async (paths: readonly string[]) => {
    const { task_id } = await tasks.start({ ...nothing, cache_dir, paths });
    return until(async () => {
      const now = await tasks.get(task_id, page);
      return now.ended !== null && now;
    });
  };
  const { state, counts, results } = await run([...files, '/elsewhere/x.mp4']);
  assert.deepEqual([state, counts.analyzed, counts.failed], ['completed', 3, 1]);
  assert.deepEqual(seen.toSorted(), files);
  const lost = results.find(({ path }) => path === '/elsewhere/x.mp4');
  assert.equal(lost?.error?.code, 'OUTSIDE_ROOTS');
  assert.match(lost?.error?.message ?? '', /^\/elsewhere\/x.mp4 is in no root.*framehound roots add/);
  const alone = await run(['/elsewhere/x.mp4']);
  assert.deepEqual([alone.state, alone.counts.failed, alone.error?.code], ['failed', 1, 'ALL_FAILED']);
  writeFileSync(join(node.home, 'roots.json'), rootsOf({ footage: '/footage', more: '/elsewhere' }));
  await worker.stop();
  const able = node.work(
    analysing(async () => 'analyzed'),
    systemClock,
    async () => [{ name: 'more', folder: '/elsewhere', away: null }],
  );
  await tasks.resume(alone.task_id);
  const again = await until(async () => {
    const now = await tasks.get(alone.task_id, page);
    return now.ended !== null && now;
  });
  assert.deepEqual([again.state, again.counts.analyzed, again.total_results], ['completed', 1, 1]);
  await able.stop();
}

async function stopOften(nodes: Nodes): Promise<void> {
  const node = await nodes.join('/footage');
  node.begin();
  const { cacheDir: cache_dir, tasks } = node;
  const { task_id } = await tasks.start({ ...nothing, cache_dir, paths: files.slice(0, 1) });
  let taken = 0;
  const stopped = analysing(async (_, signal) => {
    taken++;
    await until(() => signal.aborted);
    throw engineErrors.CANCELLED();
  });
  // More often than a job is tried.
  for (let time = 1; time <= 7; time++) {
    const worker = node.work(stopped);
    await until(() => taken === time, { within: SLOW_MS });
    await worker.stop();
  }
  const worker = node.work(analysing(async () => 'analyzed'));
  const detail = await until(async () => {
    const now = await tasks.get(task_id, page);
    return now.ended !== null && now;
  });
  assert.deepEqual([detail.state, detail.counts.analyzed, taken], ['completed', 1, 7]);
  await worker.stop();
}

async function takeUp(nodes: Nodes): Promise<void> {
  const [one, other] = [await nodes.join('/footage'), await nodes.join('/footage')];
  for (const node of [one, other]) node.begin();
  const { cacheDir: cache_dir, tasks } = one;
  const { task_id } = await tasks.start({ ...nothing, cache_dir, paths: files.slice(0, 1) });
  let isAtWork = false;
  const stopped = one.work(async ({ request }, { signal }) => {
    mkdirSync(openFolder(request.cache_dir));
    writeFileSync(join(openFolder(request.cache_dir), 'film.spans'), 'half');
    isAtWork = true;
    await until(() => signal.aborted, { within: SLOW_MS });
    throw engineErrors.CANCELLED();
  });
  await until(() => isAtWork);
  await stopped.stop();
  assert.deepEqual(readdirSync(join(nodes.shared, 'open')).length, 1);
  let taken = '';
  const worker = other.work(async (job, tools) => {
    taken = readFileSync(join(openFolder(job.request.cache_dir), 'film.spans'), 'utf8');
    return analysing(async () => 'analyzed')(job, tools);
  });
  await until(async () => (await tasks.get(task_id, page)).counts.analyzed === 1);
  assert.equal(taken, 'half');
  await until(() => readdirSync(join(nodes.shared, 'open')).length === 0);
  await worker.stop();
}

async function dropLeftovers(nodes: Nodes): Promise<void> {
  const node = await nodes.join('/footage');
  node.begin();
  const { cacheDir: cache_dir, tasks } = node;
  const { task_id } = await tasks.start({ ...nothing, cache_dir, paths: files.slice(0, 1) });
  const attempts: string[] = [];
  const worker = node.work(async (job, tools) => {
    const attempt = basename(job.request.cache_dir);
    attempts.push(attempt);
    if (attempts.length > 1) return analysing(async () => 'analyzed')(job, tools);
    mkdirSync(join(nodes.shared, 'results', attempt.slice(0, 2), attempt), { recursive: true });
    throw engineErrors.INTERNAL('broken');
  });
  await until(async () => (await tasks.get(task_id, page)).counts.analyzed === 1, { within: SLOW_MS });
  const [first = ''] = attempts;
  await until(() => !existsSync(join(nodes.shared, 'results', first.slice(0, 2), first)));
  await worker.stop();
}

function rootsOf(roots: Readonly<Record<string, string>>): string {
  const all = Object.entries(roots);
  return rootsText(
    all.map(([name, folder]) => ({ name, folder, origin: folder, volume: null, removed: false })),
  );
}

async function elsewhere(nodes: Nodes): Promise<void> {
  const { tasks } = await nodes.join('/footage');
  await assert.rejects(tasks.start({ ...nothing, cache_dir: '/somewhere', paths: files }), {
    code: 'OTHER_FOLDER',
    status: 400,
    details: { field: 'cache_dir' },
  });
}

async function summarizing(nodes: Nodes): Promise<void> {
  const [node, other] = [await nodes.join('/footage'), await nodes.join('/footage')];
  for (const one of [node, other]) one.begin();
  const { cacheDir: cache_dir, tasks } = node;
  const { task_id } = await tasks.start({ ...nothing, cache_dir, paths: files });
  await other.caughtUp();
  const tell = (amounts: object) =>
    nodes.database.query('select pg_notify($1, $2)', [
      progressChannel,
      JSON.stringify({ task_id, job: 'job', file: null, amounts, files: 0 }),
    ]);
  const all = [node, other].map(({ active }) => active);
  await tell({ video: { done: 1, all: 2 }, summary: { done: 0, all: 0 } });
  await until(() => all.every((active) => [...active.underway(task_id)].length === 1));
  assert.deepEqual(
    all.map((active) => active.summarizing),
    [false, false],
  );
  await tell({ summary: { done: 1, all: 2 } });
  await until(() => all.every((active) => active.summarizing));
  await tasks.cancel(task_id);
  await until(() => all.every((active) => !active.summarizing));
}

/** The last one: nothing reaches the database any more. */
async function cancelAway({ postgres, ...nodes }: Nodes): Promise<void> {
  const { tasks } = await nodes.join('/footage');
  assert.deepEqual(await tasks.cancel(), { stopped: true, task_id: null });
  postgres.stop();
  for (const id of [undefined, '33333333-3333-4333-8333-333333333333'])
    await assert.rejects(tasks.cancel(id), { code: 'DATABASE_AWAY', status: 503 });
}

async function clusterAgain(nodes: Nodes): Promise<void> {
  const node = await nodes.join('/footage');
  node.begin();
  const seen: string[] = [];
  const worker = node.work(async ({ request, isWithoutClosings }, { onEvent }) => {
    const tell = (path: string, more: object) => {
      const of = { type: 'faces', hash_str: null, reason: null, facts: {}, duration_seconds: 0, error: null };
      onEvent({ type: 'result', result: { ...of, path, outcome: 'analyzed', ...more } as WorkResult });
    };
    for (const { name, paths } of request.face_jobs) {
      for (const path of paths) tell(path, {});
      seen.push(`${isWithoutClosings ? 'files' : name} ${paths.length}`);
      const { code } = peopleErrors.CLUSTERING_CHANGED;
      const error = seen.length === 2 ? { code, message: name } : null;
      if (!isWithoutClosings) tell(name, { closing: true, error, outcome: error ? 'failed' : 'analyzed' });
    }
    return { cancelled: false, counts: {} as never, progress: { stages: {} } as never };
  });
  const { cacheDir: cache_dir, tasks } = node;
  const settings = { eps: null, min_samples: 2, clear_names: false, samples: [] };
  const face_jobs = [{ name: 'cast', paths: files.slice(0, 1), ...settings }];
  const { task_id } = await tasks.start({ ...nothing, cache_dir, face_jobs });
  const detail = await until(async () => {
    const now = await tasks.get(task_id, page);
    return now.ended !== null && now;
  });
  assert.deepEqual(seen, ['files 1', 'cast 1', 'cast 1']);
  const { counts, results } = detail;
  assert.deepEqual([counts.done, counts.jobs, counts.jobs_done, counts.jobs_failed], [1, 1, 1, 0]);
  assert.deepEqual(
    results.map(({ path, closing }) => [path, closing]),
    [
      [files[0], undefined],
      ['cast', true],
    ],
  );
  await worker.stop();
}
