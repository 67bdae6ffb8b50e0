// A watcher over a real folder, in memory and with a clock that is moved by hand.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { definition, type WatcherSettings } from '../../../actors/watcher/actor.ts';
import {
  type Exclusions,
  type FileCounts,
  type FileEnd,
  type PollReport,
  type SeenFile,
  type WatchedFolder,
  type WatchPlan,
  watcherContract,
} from '../../../actors/watcher/contract.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { startInMemory } from '../../runtime/memory.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

export const nothingExcluded: Exclusions = {
  excluded_extensions: [],
  excluded_filename_globs: [],
  excluded_folder_globs: [],
};

/** More than a file has to stand still for. */
export const settled = 5000;

/** Writes a file and the folders above it. `seconds`: its time. */
export function put(folder: string, name: string, text = 'film', seconds = 1_700_000_000): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, seconds, seconds);
  return path;
}

export interface Started {
  readonly folder: string;
  readonly ledger: string;
  readonly lines: LogLine[];
  readonly clock: ReturnType<typeof manualClock>;
  readonly ref: Awaited<ReturnType<typeof connect>>;
  /** What is known of the folder from now on under this plan, before it is listed. */
  open(plan?: Partial<WatchPlan>, folder?: string): Promise<FileCounts>;
  poll(options?: { signal?: AbortSignal; exclusions?: Exclusions; skip?: string[] }): Promise<PollReport>;
  /** Two polls, far enough apart. */
  settledPoll(): Promise<PollReport>;
  take(limit?: number, signal?: AbortSignal): Promise<SeenFile[]>;
  settle(files: readonly SeenFile[], end: FileEnd): Promise<FileCounts>;
  close(remove?: boolean): Promise<unknown>;
}

async function connect(settings: WatcherSettings, lines: LogLine[], t: Pick<TestContext, 'after'>) {
  const log = createLog('test', (line) => lines.push(line));
  const supervisor = createSupervisor({ clock: manualClock(), log });
  t.after(() => supervisor.stop());
  return supervisor.add({
    name: 'watcher',
    contract: watcherContract,
    start: () => startInMemory(definition, { settings, log }),
  });
}

/** `at`: the folder and the ledger of an earlier one, whose process is gone. */
export async function start(
  t: Pick<TestContext, 'after'>,
  settings: WatcherSettings = {},
  at: { folder: string; ledger: string } | null = null,
): Promise<Started> {
  const folder = at?.folder ?? temporaryFolder(t);
  const ledger = at?.ledger ?? join(temporaryFolder(t), 'ledger');
  const lines: LogLine[] = [];
  const clock = manualClock();
  const ref = await connect({ clock, ...settings }, lines, t);
  const id = 'one';
  let watched: WatchedFolder = { id, folder_path: folder, ledger, plan: { work: 'all', store: 'a' } };
  const poll: Started['poll'] = ({ signal, exclusions = nothingExcluded, skip = [] } = {}) =>
    ref.ask('poll', { folder: watched, exclusions, skip }, { signal });
  const report = async (files: (SeenFile & { end: FileEnd })[]) =>
    (await ref.ask('report', { folder: watched, files })).counts;
  return {
    folder,
    ledger,
    lines,
    clock,
    ref,
    open: (plan = {}, folder_path = folder) => {
      watched = { ...watched, folder_path, plan: { ...watched.plan, ...plan } };
      return report([]);
    },
    poll,
    settledPoll: async () => {
      await poll();
      clock.advance(settled);
      return poll();
    },
    take: async (limit = 100, signal) => {
      const size = { few: limit, most: limit, bytes: 0 };
      return (await ref.ask('take', { folder: watched, size }, { signal })).files;
    },
    settle: (files, end) => report(files.map((file) => ({ ...file, end }))),
    close: (remove = false) => ref.ask('close', { id, ledger, remove }),
  };
}
