// The cost of a change of a cluster: how many people can change things at once on one machine, how fast one
// that was away has them, and how long it takes until every machine shows one.
import { clusterNodes, type Nodes, type Replica } from '../test/actors/cluster/replicas.ts';
import { spoken, turn } from '../test/actors/index/voices/spoken.ts';
import { batches, ending } from './cluster-batch.ts';
import { workers } from './cluster-workers.ts';
import type { Question, Row } from './row.ts';
import { sized } from './size.ts';

const CHANGES = sized(2_000, 40);
/** People who wait for their change before they make the next one. */
const PEOPLE = [64, 512];
const ONE_BY_ONE = sized(200, 5);

export function withNodes<T>(work: (nodes: Nodes) => Promise<T>): Promise<T> {
  return ending(async (t) => work(await clusterNodes(t, true)));
}

/** Gives one speaker of a film another name each time. */
async function name({ writes, cacheDir: cache_dir }: Replica, number: number): Promise<void> {
  const assignments = [{ speaker: 'SPEAKER_00', name: `Ada ${number}` }];
  await writes.ask('name_speakers', { cache_dir, hash_str: 'aa', assignments });
}

/** Changes a second that come from one machine. */
async function changed(node: Replica, people: number): Promise<number> {
  let changes = 0;
  const since = performance.now();
  const person = async () => {
    while (changes < CHANGES) await name(node, changes++);
  };
  await Promise.all(Array.from({ length: people }, person));
  return (1000 * changes) / (performance.now() - since);
}

/** ms from the beginning of a change until all have it. */
async function shown(nodes: readonly Replica[]): Promise<number[]> {
  const [first] = nodes;
  const times: number[] = [];
  for (let at = 0; at < ONE_BY_ONE; at++) {
    const since = performance.now();
    await name(first!, at);
    await Promise.all(nodes.map((node) => node.caughtUp()));
    times.push(performance.now() - since);
  }
  return times.toSorted((a, b) => a - b);
}

export const cluster: Question = async (say, folder) => [
  ...(await changing(say, folder)),
  ...(await batches(say, folder)),
  ...(await workers(say, folder)),
];

const changing: Question = (say) =>
  withNodes(async (nodes) => {
    await nodes.found((index, at) =>
      spoken(index, at, 'aa', [turn(0, 0, 2)], { SPEAKER_00: 1 }, { path: '/footage/aa.mp4' }),
    );
    const [first, second, away] = [
      await nodes.join('/footage'),
      await nodes.join('/footage'),
      await nodes.join('/footage'),
    ];
    for (const node of [first, second]) node.begin();
    await first.caughtUp();
    // A node that has just started is slower.
    await changed(first, PEOPLE[0]!);
    const rows: Row[] = [];
    for (const people of PEOPLE) {
      say(`${CHANGES} changes by ${people} people on one machine`);
      const rate = await changed(first, people);
      const goal = { at: 'least', than: 2_000 } as const;
      rows.push(row(`changes by ${people} people on one machine`, rate, 'changes/s', goal));
    }
    say('the same changes on one that was away');
    const since = performance.now();
    away.begin();
    await away.caughtUp();
    const followed = (1000 * away.follower.applied) / (performance.now() - since);
    say(`${ONE_BY_ONE} changes until three machines have each`);
    const times = await shown([first, second, away]);
    return [
      ...rows,
      row('changes on a machine that was away', followed, 'changes/s', { at: 'least', than: 2_000 }),
      row('one change on three machines, median', times[times.length >> 1]!, 'ms', null),
      row('one change on three machines, 95 of 100', times[Math.floor(times.length * 0.95)]!, 'ms', {
        ...{ at: 'most', than: 300 },
      }),
    ];
  });

function row(
  measured: string,
  value: number,
  unit: string,
  goal: Omit<NonNullable<Row['goal']>, 'of'> | null,
): Row {
  const of = goal && ({ of: 'value', ...goal } as const);
  return { question: 'cluster', name: measured, value, unit, against: null, ratio: null, goal: of };
}
