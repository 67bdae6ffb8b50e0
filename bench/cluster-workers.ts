// Two workers against one, where each has one of the two processors of a machine: what is lost to the queue,
// the log and the replicas. The database and the front run beside them on both. The floor: two engines
// without a cluster against one, each on its processor, with nothing beside them.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openAdmin } from '../actors/cluster/admin.ts';
import { systemClock } from '../runtime/clock.ts';
import { type Node, newWorld, type World } from '../test/system/cluster-world.ts';
import { newHome } from '../test/system/command-line.ts';
import { startService } from '../test/system/service.ts';
import { ending, place } from './cluster-batch.ts';
import { median, type Question, type Row } from './row.ts';
import { until } from './service.ts';
import { sized } from './size.ts';

const FILMS = sized(48, 4);
const ROUNDS = sized(3, 1);
const films = (world: World, batch: string) => place(world, batch, FILMS, ['a-day-outdoors.mp4']);

export const workers: Question = (say) =>
  ending(async (t) => {
    const world = await newWorld(t, () => {});
    const front = await world.join('front');
    const both = [await world.join('worker'), await world.join('worker')] as const;
    for (const node of [front, ...both]) await node.modelReady();
    pin(both);
    const admin = openAdmin(world.postgres.url, systemClock);
    t.after(() => admin.close());
    const { nodes } = await admin.status();
    const second = nodes.filter(({ roles }) => roles.includes('worker')).at(-1)!.id;
    const seconds: Record<'one' | 'two', number[]> = { one: [], two: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      for (const count of ['one', 'two'] as const) {
        await admin.drain(second, count === 'one');
        // A node hears of it by its next sign of life.
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        const elapsed = await analysed(front, films(world, `${round}-${count}`));
        say(`round ${round}: ${count} ${elapsed.toFixed(1)} s`);
        if (round > 0) seconds[count].push(elapsed);
      }
    }
    for (const node of [front, ...both]) await node.stop();
    const apart = await alone(t, world, say);
    const goal = { of: 'ratio', at: 'least', than: 1.85 } as const;
    return [
      {
        ...row('two workers, each with its processor', 'one, with one of the two processors', seconds),
        goal,
      },
      row('two engines without a cluster, each with its processor', 'one of them', apart),
    ];
  });

interface Rounds {
  readonly one: readonly number[];
  readonly two: readonly number[];
}

function row(name: string, peer: string, { one, two }: Rounds): Row {
  const against = { name: peer, value: FILMS / median(one) };
  const ratio = median(one.map((elapsed, at) => elapsed / two[at]!));
  return {
    question: 'cluster',
    name,
    value: FILMS / median(two),
    unit: 'films/s',
    against,
    ratio,
    goal: null,
  };
}

/** Each on a processor of its own. */
function pin(nodes: readonly Pick<Node, 'process'>[]): void {
  for (const [at, { process }] of nodes.entries())
    execFileSync('taskset', ['-a', '-cp', `${at}`, `${process.child.pid}`], { stdio: 'ignore' });
}

/** The same batches in engines that know nothing of each other; two have half of the films each. */
async function alone(t: TestContext, world: World, say: (text: string) => void): Promise<Rounds> {
  const start = async (): Promise<Node> => {
    const home = newHome();
    const cacheDir = join(home.folder, 'analysis');
    const service = await startService(['--no-guardian', '--cache-dir', cacheDir], home);
    t.after(service.end);
    await service.modelReady();
    return { ...service, cacheDir };
  };
  const [first, second] = [await start(), await start()];
  pin([first, second]);
  const rounds: Record<'one' | 'two', number[]> = { one: [], two: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const batch = films(world, `${round}-alone`);
    const half = films(world, `${round}-apart`);
    const one = await analysed(first, batch);
    const two = await Promise.all([
      analysed(first, half.slice(0, FILMS / 2)),
      analysed(second, half.slice(FILMS / 2)),
    ]);
    say(`round ${round}, without a cluster: one ${one.toFixed(1)} s, two ${Math.max(...two).toFixed(1)} s`);
    if (round === 0) continue;
    rounds.one.push(one);
    rounds.two.push(Math.max(...two));
  }
  return rounds;
}

/** s that a batch takes, until the front has all of it. */
async function analysed(
  { ok, cacheDir: cache_dir }: Node,
  visual_media_paths: readonly string[],
): Promise<number> {
  const since = performance.now();
  const { task_id } = await ok<{ task_id: string }>('/analyze', { cache_dir, visual_media_paths });
  await until('a batch', 600_000, async () => {
    const { state, counts } = await ok<{ state: string; counts: { failed: number } }>(
      `/tasks/${task_id}?limit=0`,
    );
    if (state === 'failed' || counts.failed > 0) throw new Error(`${counts.failed} films failed`);
    return state === 'completed';
  });
  return (performance.now() - since) / 1000;
}
