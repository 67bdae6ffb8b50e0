// Clusters that are larger than any that was tried: a month of each by simulation, with costs measured in the
// same run, and the number of workers at which each part of a cluster is full.
import { tellEvery } from '../actors/cluster/notices.ts';
import type { Question, Row } from './row.ts';
import { type Costs, measureCosts } from './simulation/costs.ts';
import { type ClusterSize, type Month, month } from './simulation/month.ts';
import { sized } from './size.ts';

const HOUR = 3_600;
const [MB, GB] = [1e6, 1e9];
/** Processors of the machine of the database, and connections that PostgreSQL allows unless told. */
const [PROCESSORS, CONNECTIONS] = [8, 100];
/** Bytes a second, of the storage of the footage and of the shared folder each. */
const STORAGE = 5 * GB;

/**
 * Assumptions. A worker has 16 processors and looks for things and words too (docs/sizing.md); footage
 * has 20 Mbit/s and comes from storage of 5 GB/s, as does the shared folder. A worker fails every 30 days for
 * ten minutes, the database and the shared folder fail every ten days for five.
 */
const assumed = {
  ...{ days: 30, fileHours: 0.5, speed: 70, footageBytes: 9 * GB, resultBytes: 63 * MB },
  noticed: 13,
  failures: {
    worker: { every: 30 * 24 * HOUR, lasts: 600 },
    database: { every: 10 * 24 * HOUR, lasts: 300 },
    share: { every: 10 * 24 * HOUR, lasts: 300 },
  },
};

/** A month of which the first part is for what waits, and what comes in needs a third of the workers. */
interface Case extends Pick<ClusterSize, 'workers' | 'waiting' | 'daily'> {
  readonly name: string;
  readonly fronts: number;
  /** Instead of `STORAGE`. */
  readonly storage?: number;
  /** Parts into which the database is split; each front stores one, and workers store none. */
  readonly parts?: number;
}

const ten = { workers: 12, fronts: 4, waiting: 10_000, daily: 6_000 };
const million = { workers: 400, fronts: 40, waiting: 1_000_000, daily: 200_000 };
const fast = { storage: 300 * GB };
const cases: readonly Case[] = [
  { ...ten, name: '10,000 hours, 12 workers, 4 fronts' },
  { ...million, name: '1,000,000 hours, 400 workers, 40 fronts' },
  { ...million, ...fast, name: 'these, storage of 300 GB/s' },
  { ...million, ...fast, parts: 20, name: 'these, and 20 parts, not on workers (not built)' },
];

export const simulation: Question = async (say) => {
  const costs = await measureCosts(say);
  const rows = costRows(costs);
  for (const { name, workers, fronts, waiting, daily, storage = STORAGE, parts } of cases) {
    say(name);
    const nodes = workers + fronts;
    const replicas = parts === undefined ? nodes : fronts / parts;
    const share = 1 / (parts ?? 1);
    const some = sized(1, 0.01);
    const size = { ...assumed, workers, replicas, storage, share: storage };
    const amounts = { waiting: some * waiting, daily: some * daily, takingOver: share * costs.takingOver };
    rows.push(
      ...monthRows(name, month({ ...size, ...amounts }, 1)),
      row(`${name}: database`, databaseLoad(costs, workers, nodes), 'processors'),
      row(`${name}: disk of a replica`, (share * waiting * assumed.resultBytes) / 1e12, 'TB'),
    );
  }
  return [...rows, ...limitRows(costs)];
};

function costRows({ job, jobOfWorker, node, connections, notice, heard, takingOver }: Costs): Row[] {
  return [
    row('of the database for a job', 1000 * job, 'ms'),
    row('of its worker, beside the analysis', 1000 * jobOfWorker, 'ms'),
    row('of the database in a second for each node', 1000 * node, 'ms'),
    row('connections of a node', connections, ''),
    row('of the database for a notice of progress', 1000 * notice, 'ms'),
    row('of the database for each node that hears it', 1000 * heard, 'ms'),
    row('of a node that takes over an hour of footage', takingOver, 's'),
  ];
}

/** Processors that the database has at work while all workers are. */
function databaseLoad({ job, node, notice, heard }: Costs, workers: number, nodes: number): number {
  const { speed, fileHours } = assumed;
  const jobs = (workers * speed) / fileHours / HOUR;
  const notices = (1000 * workers) / tellEvery(workers);
  return jobs * job + nodes * node + notices * (notice + nodes * heard);
}

function monthRows(name: string, { batch, busy, again, lost, shown, found }: Month): Row[] {
  const all: readonly (readonly [string, number, string])[] = [
    ['until the batch is analysed', batch / HOUR, 'h'],
    ['share of the time that workers are at work in it', 100 * busy, '%'],
    ['workers that were lost', lost, ''],
    ['footage done again for one of them', (60 * again) / Math.max(1, lost), 'min'],
    ['results until a front has them, median', shown.median, 's'],
    ['results until a front has them, 99 of 100', shown.late, 's'],
    ['later footage until it is found, median', found.median / 60, 'min'],
    ['later footage until it is found, 99 of 100', found.late / 60, 'min'],
  ];
  const validFigures = all.filter(([, value]) => !Number.isNaN(value));
  return validFigures.map(([what, value, unit]) => row(`${name}: ${what}`, value, unit));
}

/** Workers at which a part of the cluster is full, with a front for each ten. */
function limitRows(costs: Costs): Row[] {
  const { speed, footageBytes, resultBytes } = assumed;
  const nodesOf = (workers: number) => Math.ceil(1.1 * workers);
  const hours = (workers: number) => (workers * speed) / HOUR;
  const limits: readonly (readonly [string, (workers: number) => number])[] = [
    ['the storage of the footage', (workers) => (hours(workers) * footageBytes) / STORAGE],
    ['the connections of the database', (workers) => (nodesOf(workers) * costs.connections) / CONNECTIONS],
    ['the shared folder', (workers) => (hours(workers) * nodesOf(workers) * resultBytes) / STORAGE],
    ['a thread of a node that takes over results', (workers) => hours(workers) * costs.takingOver],
    ['the database', (workers) => databaseLoad(costs, workers, nodesOf(workers)) / PROCESSORS],
  ];
  return limits.map(([what, load]) => {
    let workers = 1;
    while (load(workers + 1) < 1) workers++;
    return row(`workers until ${what} is full`, workers, '');
  });
}

function row(name: string, value: number, unit: string): Row {
  return { question: 'simulation', name, value, unit, against: null, ratio: null, goal: null };
}
