// A batch that two workers share: how evenly it is spread, how long a small task waits beside it, and how
// long the files of a worker that is killed lie idle.
import { appendFileSync, copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { openAdmin } from '../actors/cluster/admin.ts';
import type { ClusterAdmin } from '../actors/cluster/contract.ts';
import { nodeIdIn } from '../actors/cluster/node.ts';
import { systemClock } from '../runtime/clock.ts';
import { type Node, newWorld, type World } from '../test/system/cluster-world.ts';
import type { Question, Row } from './row.ts';
import { until } from './service.ts';
import { sized } from './size.ts';

const FILES = sized(200, 36);
const TASKS = 10;
const SMALL = 3;
const samples = join(import.meta.dirname, '../actors/samples/media');
/** A film of 16 s, one of 10 s, a still: files of a batch do not cost the same. */
const kinds = ['a-day-outdoors.mp4', 'the-red-car.mp4', 'stop-sign.jpg'];

/** Other contents of the same media: bytes at the end that players skip. */
export function place({ footage }: World, batch: string, count: number, of = kinds): string[] {
  return Array.from({ length: count }, (_, at) => {
    const kind = of[at % of.length]!;
    const path = join(footage, `${batch}-${at}-${kind}`);
    copyFileSync(join(samples, kind), path);
    const text = Buffer.from(`free${batch}-${at}`);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(4 + text.length);
    appendFileSync(path, Buffer.concat([size, text]));
    return path;
  });
}

/** With what tests are made of, which is ended and removed afterwards. */
export async function ending<T>(work: (t: TestContext) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  try {
    return await work({ after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

export const batches: Question = (say) =>
  ending(async (t) => {
    const world = await newWorld(t, () => {});
    const front = await world.join('front');
    const workers = [await world.join('worker'), await world.join('worker')] as const;
    for (const node of [front, ...workers]) await node.modelReady();
    const admin = openAdmin(world.postgres.url, systemClock);
    t.after(() => admin.close());
    const { apart, waited } = await spread(world, front, workers, admin);
    say(`${FILES} files: ${apart.toFixed(1)} % more than even; a small task waits ${waited.toFixed(1)} s`);
    const idle = await killed(world, front, workers[0], admin);
    say(`the files of a killed worker lie for ${idle.toFixed(1)} s`);
    const row = { question: 'cluster', against: null, ratio: null } as const;
    const most = (than: number): Row['goal'] => ({ of: 'value', at: 'most', than });
    return [
      {
        ...row,
        name: `a batch of ${FILES} files on two workers: processor time of one above its half`,
        value: apart,
        unit: '%',
        goal: most(10),
      },
      {
        ...row,
        name: `the tenth task of ${SMALL} files beside that batch, until a worker is at it`,
        value: waited,
        unit: 's',
        goal: most(5),
      },
      {
        ...row,
        name: 'a worker is killed, until another one is at its files',
        value: idle,
        unit: 's',
        goal: most(15),
      },
    ];
  });

interface Task {
  readonly state: string;
  readonly counts: { readonly done: number; readonly failed: number };
  readonly results: readonly { readonly path: string }[];
}

async function begin({ ok, cacheDir: cache_dir }: Node, visual_media_paths: readonly string[]) {
  const { task_id } = await ok<{ task_id: string }>('/analyze', { cache_dir, visual_media_paths });
  return () => ok<Task>(`/tasks/${task_id}?limit=1000`);
}

async function ended(task: () => Promise<Task>): Promise<void> {
  await until('a batch', 900_000, async () => {
    const { state, counts } = await task();
    if (state === 'failed' || counts.failed > 0) throw new Error(`${counts.failed} files failed`);
    return state === 'completed';
  });
}

/** Processor seconds since it began. */
async function costOf({ address, key }: Node): Promise<number> {
  const answer = await fetch(`${address}/metrics`, { headers: { 'X-License-Key': key } });
  const [, seconds] = /^process_cpu_seconds_total (\S+)/m.exec(await answer.text()) ?? [];
  if (seconds === undefined) throw new Error('a worker does not say what it costs');
  return Number(seconds);
}

/** Percent of processor time above the half of one worker, and s until a worker is at the last small task. */
async function spread(world: World, front: Node, workers: readonly Node[], admin: ClusterAdmin) {
  const before = await Promise.all(workers.map(costOf));
  const batch = await begin(front, place(world, 'batch', FILES));
  await until('the first files', 60_000, async () => (await batch()).counts.done > 0);
  const small: (() => Promise<Task>)[] = [];
  for (let at = 1; at < TASKS; at++) small.push(await begin(front, place(world, `small${at}`, SMALL)));
  const since = performance.now();
  const tenth = await begin(front, place(world, 'tenth', SMALL));
  await until('the tenth task', 120_000, async () => {
    const { nodes } = await admin.status();
    const isBegun = nodes.some(({ working }) => working.some((path) => basename(path).startsWith('tenth-')));
    return isBegun || (await tenth()).counts.done > 0;
  });
  const waited = (performance.now() - since) / 1000;
  for (const task of [...small, tenth, batch]) await ended(task);
  const costs = (await Promise.all(workers.map(costOf))).map((cost, at) => cost - before[at]!);
  const half = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  return { apart: (Math.max(...costs) / half - 1) * 100, waited };
}

/** s from the end of a worker until another one is at a file that it had. */
async function killed(world: World, front: Node, first: Node, admin: ClusterAdmin): Promise<number> {
  const id = nodeIdIn(join(first.home.folder, 'home'));
  const task = await begin(front, place(world, 'killed', FILES / 2));
  const filesOf = async (isOwn: boolean) => {
    const { nodes } = await admin.status();
    return nodes
      .filter((node) => (node.id === id) === isOwn)
      .flatMap(({ working }) => working.map((path) => basename(path)));
  };
  const undone = async (files: readonly string[]) => {
    const { results } = await task();
    const done = new Set(results.map(({ path }) => basename(path)));
    // A node reports late which file it works on: the file may belong to an earlier task.
    return files.filter((file) => file.startsWith('killed-') && !done.has(file));
  };
  const { child } = first.process;
  let remainingFiles: readonly string[] = [];
  await until('its first files', 60_000, async () => {
    // Stopped first: files that it finishes during the question would not remain.
    child.kill('SIGSTOP');
    remainingFiles = await undone(await filesOf(true));
    if (remainingFiles.length === 0) child.kill('SIGCONT');
    return remainingFiles.length > 0;
  });
  child.kill('SIGKILL');
  const since = performance.now();
  await until('another worker', 120_000, async () => {
    const others = new Set(await filesOf(false));
    return (
      remainingFiles.some((file) => others.has(file)) ||
      (await undone(remainingFiles)).length < remainingFiles.length
    );
  });
  const idle = (performance.now() - since) / 1000;
  await ended(task);
  return idle;
}
