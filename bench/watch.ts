// The cost of watching a folder in which nothing happens: a poll of 100,000 and of a million files
// against the bare calls of the file system, its share of a processor, what is kept in memory of a file, and
// the time to read what was done.
import { linkSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PendingQueries, systemDisk } from '../actors/watcher/disk.ts';
import { FolderFiles } from '../actors/watcher/files.ts';
import { FileTable, Ledger } from '../actors/watcher/ledger.ts';
import { systemClock } from '../runtime/clock.ts';
import { alternate, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

const intervalSeconds = 30;
const exclusions = {
  excluded_extensions: ['.gif'],
  excluded_filename_globs: ['*_proxy.*'],
  excluded_folder_globs: ['backup', 'rushes/*/old'],
};
const turn = { signal: new AbortController().signal, throwIfCancelled: () => {} };
const queries = new PendingQueries(systemClock);
const parts = { disk: systemDisk, clock: systemClock, queries, settleMs: 0, sliceMs: 20 };
const plan = { work: '', store: null };

/**
 * `count` files of a byte in folders of a thousand; `linked`: names of one file a folder, which are made
 * faster.
 */
function makeFiles(root: string, count: number, linked: boolean): void {
  for (let folder = 0; folder < count / 1000; folder++) {
    const path = join(root, `card-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let i = 0; i < 1000; i++) {
      const name = join(path, `GX01${String(i).padStart(4, '0')}.MP4`);
      if (linked && i > 0) linkSync(join(path, 'GX010000.MP4'), name);
      else writeFileSync(name, 'x');
    }
  }
}

/** The calls of the file system that a poll cannot do without. */
function bareCalls(root: string): number {
  let bytes = 0;
  for (const folder of readdirSync(root)) {
    const prefix = `${root}/${folder}/`;
    for (const name of readdirSync(prefix)) bytes += statSync(prefix + name).size;
  }
  return bytes;
}

async function timed(work: () => unknown): Promise<{ ms: number; cpuMs: number }> {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - begun, cpuMs: (user + system) / 1000 };
}

const row = (name: string, value: number, unit: string, extra: Partial<Row> = {}): Row => ({
  question: 'watch',
  name,
  value,
  unit,
  against: null,
  ratio: null,
  goal: null,
  ...extra,
});

async function polls(home: string, count: number, rounds: number, linked: boolean): Promise<Row[]> {
  const root = join(home, `films-${count}`);
  makeFiles(root, count, linked);
  const folder = new FolderFiles(
    { id: 'one', folder_path: root, ledger: join(home, `ledger-${count}`), plan },
    parts,
  );
  let cpuMs = Number.POSITIVE_INFINITY;
  const took = await alternate(rounds, {
    floor: async () => (await timed(() => bareCalls(root))).ms,
    poll: async () => {
      const timing = await timed(() => folder.poll(exclusions, [], turn));
      cpuMs = Math.min(cpuMs, timing.cpuMs);
      return timing.ms;
    },
  });
  if (folder.counts.files !== count) throw new Error(`${folder.counts.files} of ${count} files are known`);
  rmSync(root, { recursive: true });
  const against = { name: 'bare readdirSync and statSync', value: took.floor };
  const files = `${count.toLocaleString('en')} files`;
  const isSmall = count === 100_000;
  const most = (than: number): Row['goal'] => ({ of: 'value', at: 'most', than });
  return [
    row(`poll of ${files} of which none changed`, took.poll, 'ms', {
      against,
      ratio: took.floor / took.poll,
      goal: isSmall ? most(1000) : null,
    }),
    row(
      `share of a processor of ${files}, polled every ${intervalSeconds} s`,
      cpuMs / 10 / intervalSeconds,
      '%',
      {
        goal: isSmall ? most(3) : null,
      },
    ),
  ];
}

const pathOf = (i: number) => `card-${Math.floor(i / 1000)}/GX01${String(i % 1000).padStart(4, '0')}.MP4`;
const markOf = (i: number) => `${1_000_000 + i}-${1_700_000_000_000_000_000n + BigInt(i)}`;

/** Bytes of a file on the heap. */
function memory(count: number): Row {
  const before = process.memoryUsage().heapUsed;
  const table = new FileTable();
  for (let i = 0; i < count; i++) table.add(pathOf(i), markOf(i), 'analyzed', i);
  const bytes = (process.memoryUsage().heapUsed - before) / table.counts.files;
  return row(`bytes of a file in a table of ${count.toLocaleString('en')}`, bytes, 'B', {
    goal: { of: 'value', at: 'most', than: 400 },
  });
}

async function opening(home: string, count: number): Promise<Row> {
  const folder = { id: 'one', folder_path: home, ledger: join(home, 'ledger'), plan };
  const records = Array.from({ length: count }, (_, i) => ({
    ...{ path: pathOf(i), mark: markOf(i), end: 'analyzed' as const },
  }));
  new Ledger(
    folder.ledger,
    plan,
    () => records,
    () => {},
  );
  const { open } = await alternate(7, {
    open: async () => (await timed(() => new FolderFiles(folder, parts))).ms,
  });
  return row(`opening a folder of which ${count.toLocaleString('en')} files are done`, open, 'ms');
}

export const watch: Question = async (say, home) => {
  const rows = [memory(sized(1_000_000, 1000))];
  say('100,000 files');
  rows.push(...(await polls(home, sized(100_000, 1000), 7, false)));
  rows.push(await opening(home, sized(100_000, 1000)));
  say('1,000,000 names of 1000 files');
  rows.push(...(await polls(home, sized(1_000_000, 2000), 3, true)));
  return rows;
};
