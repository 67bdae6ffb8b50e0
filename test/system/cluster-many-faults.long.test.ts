// Machines that are killed and frozen, a database that is stopped, and a shared folder that is full, or away,
// or cannot be written, one after the other and at once, while films and lists come in at every front and
// films are forgotten. FRAMEHOUND_CLUSTER_FAULTS sets how many faults there are, and
// FRAMEHOUND_CLUSTER_SEED which ones.
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import { openAdmin } from '../../actors/cluster/admin.ts';
import { Database } from '../../actors/cluster/database.ts';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import { systemClock } from '../../runtime/clock.ts';
import { seeded } from '../seeded.ts';
import { until } from '../until.ts';
import { type Line, mountShare, openLine, type Share } from './cluster-troubles.ts';
import { type Node, newWorld, type World } from './cluster-world.ts';
import { type Home, newHome, SLOW_MS } from './command-line.ts';
import { skipWithoutPostgres } from './postgres.ts';

const FAULTS = Number(process.env['FRAMEHOUND_CLUSTER_FAULTS'] ?? 40);
const SEED = Number(process.env['FRAMEHOUND_CLUSTER_SEED'] ?? 1);
/** Faults after which everything has to be done, and is compared. */
const ROUND = 20;
/** ms that the work of a round may take after its faults. */
const SETTLED = 5 * 60_000;
/** ms that one answer may take. */
const PATIENCE = 20_000;
const roles = ['front', 'front,worker', 'worker', 'worker'];

const sample = join(import.meta.dirname, '../../actors/samples/media/the-red-car.mp4');

/** One machine, whichever engine runs there. */
class Machine {
  readonly roles: string;
  readonly home: Home = newHome();
  readonly line: Line;
  readonly #world: World;
  #isOver = false;
  /** Log of each engine so far. */
  readonly #logs: (() => string)[] = [];
  node: Node | null = null;
  /** A fault has it. */
  isTroubled = false;

  constructor(world: World, role: string, line: Line) {
    this.#world = world;
    this.roles = role;
    this.line = line;
  }

  /** Again and again, as a guardian does. */
  async start(): Promise<void> {
    for (let attempt = 1; this.node === null; attempt++) {
      try {
        this.node = await this.#world.join(this.roles, this.home, this.line.url);
      } catch (error) {
        if (attempt === 20) throw error;
        await delay(500);
      }
    }
    const { process } = this.node;
    this.#logs.push(process.printed);
    void process.ended.then(async () => {
      if (this.node?.process !== process) return;
      this.node = null;
      // It ended by itself, for a guardian to start it again.
      if (!this.isTroubled && !this.#isOver) await this.start();
    });
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.line.end();
    if (this.node !== null) await this.kill();
  }

  async kill(): Promise<void> {
    const { child, ended } = this.node!.process;
    this.node = null;
    child.kill('SIGKILL');
    await ended;
  }

  /** Null where there is no answer in time. */
  async ask<T>(path: string, body?: unknown): Promise<{ status: number; body: T } | null> {
    if (this.node === null) return null;
    const { address, key } = this.node;
    try {
      const answer = await fetch(`${address}/api/v1${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'X-License-Key': key, 'Content-Type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE),
      });
      return { status: answer.status, body: (await answer.json()) as T };
    } catch {
      return null;
    }
  }

  /** Of all its engines. */
  get warnings(): string {
    const lines = this.#logs.flatMap((printed) => printed().split('\n'));
    return lines.filter((line) => /"level":"(warn|error)"/.test(line)).join('\n');
  }

  get cacheDir(): string {
    return join(this.home.folder, 'home', 'analysis');
  }
}

interface Cluster {
  readonly say: TestContext['diagnostic'];
  readonly world: World;
  readonly machines: readonly Machine[];
  readonly fronts: readonly Machine[];
  readonly share: Share | null;
  readonly database: Database;
  readonly random: () => number;
  readonly films: Set<string>;
  readonly forgotten: Set<string>;
  readonly tasks: Map<string, readonly string[]>;
  readonly lists: Set<string>;
}

const one = <T>(random: () => number, all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

let troubledShare = false;
let troubledDatabase = false;

/** Does something, and answers what undoes it; null where it cannot be done now. */
type Fault = (cluster: Cluster) => Promise<(() => Promise<unknown>) | null>;

const onMachine =
  (begin: (machine: Machine) => Promise<unknown>, end: (machine: Machine) => Promise<unknown>): Fault =>
  async ({ machines, random }) => {
    const sound = machines.filter(({ isTroubled, node }) => !isTroubled && node !== null);
    if (sound.length < 2) return null;
    const machine = one(random, sound);
    machine.isTroubled = true;
    await begin(machine);
    return async () => {
      await end(machine);
      machine.isTroubled = false;
      if (machine.node === null) await machine.start();
    };
  };

const onShare =
  (begin: (share: Share) => unknown): Fault =>
  async ({ share }) => {
    if (share === null || troubledShare) return null;
    if (begin(share) === false) return null;
    troubledShare = true;
    return async () => {
      share.restore();
      troubledShare = false;
    };
  };

const faults: Readonly<Record<string, Fault>> = {
  kill: onMachine(
    (machine) => machine.kill(),
    (machine) => machine.start(),
  ),
  freeze: onMachine(
    async ({ node }) => node?.process.child.kill('SIGSTOP'),
    async ({ node }) => node?.process.child.kill('SIGCONT'),
  ),
  cut: onMachine(
    async ({ line }) => line.cut(),
    async ({ line }) => line.open(),
  ),
  silence: onMachine(
    async ({ line }) => line.silence(),
    async ({ line }) => line.open(),
  ),
  terminate: async ({ database }) => {
    if (troubledDatabase) return null;
    await database.probe(
      "select count(pg_terminate_backend(pid)) from pg_stat_activity where pid <> pg_backend_pid() and application_name = 'framehound'",
    );
    return async () => {};
  },
  'stop the database': async ({ world }) => {
    if (troubledDatabase) return null;
    troubledDatabase = true;
    world.postgres.stop();
    return async () => {
      world.postgres.start();
      troubledDatabase = false;
    };
  },
  'read-only share': onShare((share) => share.protect()),
  'full share': onShare((share) => share.fill()),
  'no share': onShare((share) => share.takeAway()),
};

test(`${FAULTS} faults lose nothing, double nothing, and leave nothing stuck`, {
  skip: skipWithoutPostgres,
}, async (t) => {
  const world = await newWorld(t, () => {});
  const share = process.getuid?.() === 0 ? mountShare(world.shared) : null;
  const machines: Machine[] = [];
  for (const role of roles) machines.push(new Machine(world, role, await openLine(world.postgres.url)));
  const database = new Database(world.postgres.url, systemClock);
  t.after(() => database.close());
  for (const machine of machines) await machine.start();
  const fronts = machines.filter((machine) => machine.roles.includes('front'));
  const cluster: Cluster = {
    ...{ world, machines, fronts, share, database },
    say: (message) => t.diagnostic(message),
    random: seeded(SEED),
    films: new Set(),
    forgotten: new Set(),
    tasks: new Map(),
    lists: new Set(),
  };
  const randomUse = seeded(SEED + 1000);
  try {
    for (let done = 0; done < FAULTS; done += ROUND) {
      const count = Math.min(ROUND, FAULTS - done);
      await Promise.all([inflict(cluster, count), use({ ...cluster, random: randomUse }, count)]);
      await settle(cluster);
      cluster.say(`${done + count} faults, ${cluster.films.size} films, ${cluster.lists.size} lists`);
    }
    await compareAnswers(cluster);
  } catch (error) {
    for (const { roles: role, warnings } of machines) cluster.say(`${role}:\n${warnings}`);
    throw error;
  } finally {
    for (const machine of machines) await machine.end();
    share?.end();
  }
});

/** Two at once at most. */
async function inflict(cluster: Cluster, count: number): Promise<void> {
  const { random, say } = cluster;
  const names = [...Object.keys(faults), 'kill'];
  let open: Promise<unknown>[] = [];
  for (let at = 0; at < count; ) {
    const name = one(random, names);
    const lasts = 300 + random() ** 3 * 20_000;
    const end = await faults[name]!(cluster);
    if (end === null) {
      await delay(100);
      continue;
    }
    at++;
    say(`${name}, ${Math.round(lasts)} ms`);
    const over = delay(lasts).then(end);
    open.push(over);
    void over.then(() => {
      open = open.filter((other) => other !== over);
    });
    await delay(random() * 4_000);
    if (open.length > 1) await Promise.race(open);
  }
  await Promise.all(open);
}

/** Films of a task, lists, and now and then a film that is forgotten. */
async function use(cluster: Cluster, count: number): Promise<void> {
  const { random, fronts, world, films, tasks, lists } = cluster;
  for (let left = count; left > 0; ) {
    const some = Math.min(left, 1 + Math.floor(random() * 4));
    left -= some;
    const paths = Array.from({ length: some }, () => placed(world, films));
    const { task_id } = await accepted<{ task_id: string }>(random, fronts, [202], '/analyze', (front) => ({
      cache_dir: front.cacheDir,
      visual_media_paths: paths,
    }));
    tasks.set(task_id, paths);
    const name = `list ${lists.size}`;
    const { list } = await accepted<{ list: { list_id: string } }>(random, fronts, [201], '/lists', () => ({
      name,
    }));
    lists.add(list.list_id);
    if (random() < 0.3) await forget(cluster);
    await delay(random() * 4_000 * some);
  }
}

/** Other bytes at the end of the film, which players skip. */
function placed({ footage }: World, films: Set<string>): string {
  const path = join(footage, `film-${films.size}.mp4`);
  copyFileSync(sample, path);
  const text = Buffer.from(`free${films.size}`.padEnd(16));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(4 + text.length);
  appendFileSync(path, Buffer.concat([size, text]));
  films.add(path);
  return path;
}

/** By whichever front, as often as it takes. */
async function accepted<T>(
  random: () => number,
  fronts: readonly Machine[],
  statuses: readonly number[],
  path: string,
  body: (front: Machine) => unknown,
): Promise<T> {
  const isAccepted = async () => {
    const front = one(random, fronts);
    const answer = await front.ask<T>(path, body(front));
    if (answer !== null && statuses.includes(answer.status)) return answer;
    const isPassing = answer === null || [409, 503, 507].includes(answer.status);
    assert.ok(isPassing, `${path} ${answer?.status}: ${JSON.stringify(answer?.body)}`);
    await delay(300);
    return null;
  };
  return (await until(isAccepted, { within: SETTLED })).body;
}

async function forget({ random, fronts, films, forgotten, database }: Cluster): Promise<void> {
  const rows = await database
    .query<{ path: string }>("select path from framehound.content where path <> '' order by seq limit 1")
    .catch(() => []);
  const name = rows[0] && basename(rows[0].path);
  const path = [...films].find((film) => basename(film) === name);
  if (path === undefined) return;
  // One whose answer was lost is not found any more.
  await accepted(random, fronts, [200, 404], '/library/forget', (front) => ({
    ...{ cache_dir: front.cacheDir, media_paths: [path], dry_run: false },
  }));
  forgotten.add(path);
}

async function settle(cluster: Cluster): Promise<void> {
  const { machines, database, films, forgotten, tasks, lists } = cluster;
  for (const machine of machines) await until(() => machine.node !== null, { within: SLOW_MS });
  const [front] = cluster.fronts;
  const left = async () => {
    const rows = await database.query<{ left: number }>(
      'select count(*)::int as left from framehound.job where not ended',
    );
    return rows[0]!.left;
  };
  await until(async () => (await left()) === 0, { within: SETTLED });
  const [missed] = await database.query<{ sum: number }>(
    'select sum(missed)::int as sum from framehound.node',
  );
  assert.equal(missed!.sum, 0);
  for (const [task_id, paths] of tasks) {
    const answer = await until(() => front!.ask<TaskDetail>(`/tasks/${task_id}?limit=1000`), {
      within: SLOW_MS,
    });
    const { state, results } = answer.body;
    assert.equal(state, 'completed');
    const found = results.map(({ path, error }) => [basename(path), error] as const).sort();
    assert.deepEqual(found, paths.map((path) => [basename(path), null]).sort(), 'each file has one result');
  }
  const stored = [...films].filter((path) => !forgotten.has(path)).map((path) => basename(path));
  const isEverywhere = async (machine: Machine) => {
    const request = { cache_dir: machine.cacheDir, limit: 1000 };
    const answer = await machine.ask<Inventory>('/library/list', request);
    if (answer?.status !== 200) return false;
    return answer.body.total === stored.length && answer.body;
  };
  for (const machine of machines) {
    const { media } = await until(() => isEverywhere(machine), { within: SLOW_MS });
    const names = media.map(({ media_path }) => basename(media_path));
    assert.deepEqual(names.sort(), stored.toSorted());
    const hasLists = async () => {
      const answer = await machine.ask<{ lists: { list_id: string }[] }>('/lists');
      const ids = new Set(answer?.body.lists?.map(({ list_id }) => list_id));
      return [...lists].every((id) => ids.has(id));
    };
    await until(hasLists, { within: SLOW_MS });
  }
  const admin = openAdmin(cluster.world.postgres.url, systemClock);
  const { nodes, queued_jobs, active_jobs, failed_jobs } = await admin.status();
  await admin.close();
  assert.deepEqual([nodes.length, queued_jobs, active_jobs, failed_jobs], [machines.length, 0, 0, 0]);
}

interface Inventory {
  readonly total: number;
  readonly media: readonly { readonly media_path: string }[];
}

/** Pictures are compared by their length. */
async function compareAnswers({ machines }: Cluster): Promise<void> {
  const answers: unknown[] = [];
  for (const { node, cacheDir: cache_dir } of machines) {
    await node!.modelReady();
    await node!.ok('/analysis-data/load', { cache_dir });
    const { matches } = await node!.ok<SearchAnswer>('/search/text', {
      ...{ cache_dir, query: 'a red car', max_results: 200 },
    });
    answers.push(matches.map(({ image, ...match }) => ({ ...match, image: image?.length })));
  }
  for (const other of answers.slice(1)) assert.deepEqual(other, answers[0]);
}
