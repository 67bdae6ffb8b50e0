// A home folder with watch folders, the watcher over a disk in memory, a fake front door, and services that
// share them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Value } from 'typebox/value';
import type { Analysis } from '../../../../actors/analysis/contract.ts';
import type { indexContract } from '../../../../actors/index/contract.ts';
import { RootsFile } from '../../../../actors/index/store/roots-file.ts';
import { watcherContract } from '../../../../actors/watcher/contract.ts';
import { NewWatchFolder, type WatchFolders } from '../../../../actors/watcher/folders/contract.ts';
import { type WatchFolderParts, WatchService } from '../../../../actors/watcher/folders/service.ts';
import type { EngineError } from '../../../../runtime/errors.ts';
import { ownFiles } from '../../../../runtime/files/home-files.ts';
import { createLog, type LogLine } from '../../../../runtime/log.ts';
import type { Ref } from '../../../../runtime/ref.ts';
import { createSupervisor } from '../../../../runtime/supervisor.ts';
import { manualClock } from '../../../runtime/manual-clock.ts';
import { startInMemory } from '../../../runtime/memory.ts';
import { until } from '../../../until.ts';
import { FakeTasks } from './fake-tasks.ts';
import { WatcherWorld, watcherOf } from './watcher-world.ts';

export const never = new AbortController().signal;

export const code = (wanted: string, field?: string) => (error: unknown) => {
  const { code: is, details } = error as EngineError;
  return is === wanted && (field === undefined || details['field'] === field);
};

/** A body as the API hands it on. */
export function bodyOf(given: Partial<NewWatchFolder> & { folder_path: string }): NewWatchFolder {
  return Value.Default(NewWatchFolder, structuredClone(given)) as NewWatchFolder;
}

export type Watching = Awaited<ReturnType<typeof watching>>;

export async function watching(t: TestContext) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'framehound-watch-')));
  const home = join(base, 'home');
  const cache = join(home, 'analysis');
  const roots = new RootsFile(join(home, 'roots.json'));
  mkdirSync(cache, { recursive: true });
  const clock = manualClock();
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const world = new WatcherWorld(base);
  const tasks = new FakeTasks();
  const supervisor = createSupervisor({ clock: manualClock(), log });
  const watcher = await supervisor.add({
    name: 'watcher',
    contract: watcherContract,
    turnLimitMs: 60_000,
    start: () => startInMemory(watcherOf(world, clock), { log }),
  });
  const services: WatchFolders[] = [];
  const facts = { skew: 0, ids: 0, filters: fakeFilters() };
  const service = (more: Partial<WatchFolderParts> = {}): WatchFolders => {
    const made = new WatchService({
      homes: { home, cache },
      homeFiles: ownFiles,
      shared: null,
      claims: null,
      watcher,
      tasks,
      analysis: facts.filters.analysis,
      index: facts.filters.index,
      expectModelFor: async () => {},
      size: { few: 4, most: 4, bytes: 0 },
      interval: 30_000,
      resumes: true,
      roots: () => roots.read(),
      clock,
      now: () => 1_700_000_000 + facts.skew + clock.now() / 1000,
      log,
      newId: () => `folder-${++facts.ids}`,
      ...more,
    });
    services.push(made);
    return made;
  };
  t.after(async () => {
    for (const one of services) await one.close();
    await supervisor.stop();
    rmSync(base, { recursive: true, force: true });
  });
  const folder = (name: string) => {
    const path = join(base, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  /** Lets time pass until it is true. */
  const pass = <T>(fact: () => T | Promise<T>, step = 250, within = 10_000) => {
    let turns = 0;
    const turn = () => {
      // Messages take some turns of the event loop, and looks at the disk as long as this one.
      if (++turns % 8 === 0) clock.advance(step);
      return fact();
    };
    return until(turn, { within, next: () => stat(base) });
  };
  /** The analysis folder holds something from now on. */
  const fill = (in_ = cache) => writeFileSync(join(in_, 'records.mdb'), 'x');
  const made = { base, home, cache, clock, lines, log, world, tasks, watcher, roots };
  return { ...made, service, folder, pass, fill, facts };
}

/** Files that pass are those that are not `out`; asked for as often as `asked` says. */
function fakeFilters() {
  const out = new Set<string>();
  const asked: string[][] = [];
  let refusal: unknown = null;
  const index = {
    name: 'index',
    phase: 'ready',
    ask: async (message: string, { names = [] }: { names?: string[] }) => {
      if (refusal !== null) throw refusal;
      return { done: message === 'ready_facets', passing: names.map((name) => !out.has(name)) };
    },
  } as unknown as Ref<typeof indexContract>;
  const analysis: Pick<Analysis, 'properties'> = {
    properties: async ({ media_paths }) => {
      asked.push([...media_paths]);
      return { media_properties: {}, unreadable: {} };
    },
  };
  return {
    out,
    asked,
    index,
    analysis,
    refuse: (error: unknown) => {
      refusal = error;
    },
  };
}

/** One folder that is watched, with a service that runs. */
export async function oneFolder(t: TestContext, given: Partial<NewWatchFolder> = {}) {
  const w = await watching(t);
  const folder_path = w.folder('films');
  const service = w.service();
  const { id } = await service.add(bodyOf({ folder_path, ...given }), never);
  w.fill();
  const file = (name: string, mark?: string) => {
    const path = join(folder_path, name);
    w.world.put(path, mark);
    return path;
  };
  const status = () => service.status();
  const state = async () => (await status()).state;
  const stats = async () => (await status()).folder_stats[id]!;
  const isState = (wanted: string) => w.pass(async () => (await state()) === wanted);
  const begun = (count: number) => w.pass(() => w.tasks.started.length >= count);
  return { ...w, another: w.service, folder_path, service, id, file, status, state, stats, isState, begun };
}
