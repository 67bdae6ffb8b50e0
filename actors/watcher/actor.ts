// The watcher: lists watched folders in a thread of its own, and remembers of every file which content it had
// and what became of it.

import { realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { watch } from 'chokidar';
import { type ActorInstance, actor, type Turn } from '../../runtime/actor.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { codeOf } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { Condition } from '../../runtime/sync/locks.ts';
import { conflate } from '../../runtime/sync/queue.ts';
import { isMediaName } from '../decoder/media-names.ts';
import { type WatchedFolder, watcherContract } from './contract.ts';
import { PendingQueries, systemDisk, type WatchedDisk } from './disk.ts';
import { isWatchedFile, isWatchedFolder } from './exclusions.ts';
import { type FilesParts, FolderFiles } from './files.ts';
import { removeLedger } from './ledger.ts';

/** All optional; tests hand in time, file systems and how they are listened to. */
export interface WatcherSettings extends Partial<Pick<FilesParts, 'settleMs' | 'sliceMs'>> {
  readonly everyMs?: number;
  readonly disk?: WatchedDisk;
  readonly clock?: Clock;
  readonly listen?: Listen;
}

export const definition = actor<typeof watcherContract, WatcherSettings | undefined>({
  contract: watcherContract,
  create: ({ settings = {}, log }): ActorInstance<typeof watcherContract> => {
    const { disk = systemDisk, clock = systemClock, settleMs = 4000, sliceMs = 20 } = settings;
    const queries = new PendingQueries(clock);
    const parts = { disk, clock, queries, settleMs, sliceMs };
    const changes = { clock, log, listen: settings.listen ?? listen, everyMs: settings.everyMs ?? 1000 };
    const folders = new Map<string, FolderFiles>();
    const filesOf = (folder: WatchedFolder) => {
      let files = folders.get(folder.id);
      if (files?.folder !== folder.folder_path) {
        files?.close();
        files = new FolderFiles(folder, parts);
      }
      folders.set(folder.id, files);
      files.setPlan(folder.plan);
      return files;
    };
    return {
      handlers: {
        poll: ({ folder, exclusions, skip }, turn) => filesOf(folder).poll(exclusions, skip, turn),
        take: async ({ folder, size }, turn) => {
          const files = filesOf(folder);
          return { files: await files.take(size, turn), counts: files.counts };
        },
        report: ({ folder, files: ends }) => {
          const files = filesOf(folder);
          files.report(ends);
          return { counts: files.counts };
        },
        close: ({ id, ledger, remove }) => {
          folders.get(id)?.close();
          folders.delete(id);
          if (remove) removeLedger(ledger);
          return {};
        },
        changes: ({ folders: all }, turn) => changesOf(all, turn, changes),
      },
    };
  },
});

// In which watched folders something changed. It only shortens the wait for the next poll, so what the system
// does not tell is no loss: links are not followed, and no file is listened to by itself.

export interface Listener {
  change(): void;
  /** Something cannot be listened to. */
  fault(error: unknown): void;
}

/** Listens until it is closed. */
export type Listen = (folder: string, listener: Listener) => { close(): Promise<void> };

interface ChangeParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly listen: Listen;
  /** A folder that changes all the time is told so often. */
  readonly everyMs: number;
}

/** Between two signs of life. */
const ALIVE_MS = 30_000;

export const listen: Listen = (folder, { change, fault }) => {
  const root = resolve(folder);
  const watcher = watch(folder, {
    ignoreInitial: true,
    followSymlinks: false,
    atomic: false,
    ignored: (path, stats) => {
      const name = basename(path);
      const isLeftOut = isMediaName(name) || !isWatchedFolder(name) || stats?.isFile() === true;
      return isLeftOut && resolve(path) !== root;
    },
  });
  watcher.on('error', (error) => fault(error));
  watcher.on('addDir', change);
  watcher.on('unlinkDir', change);
  // Files are told here only: null where the system does not say which.
  watcher.on('raw', (_, path: string | null) => {
    if (path === null || isWatchedFile(basename(path))) change();
  });
  return { close: () => watcher.close() };
};

/** Ids, until the turn ends. */
async function* changesOf(
  folders: readonly { readonly id: string; readonly folder_path: string }[],
  turn: Pick<Turn, 'signal' | 'throwIfCancelled'>,
  { clock, log, listen, everyMs }: ChangeParts,
): AsyncGenerator<{ id: string }> {
  const changed = new Set<string>();
  const condition = new Condition();
  const conflation = conflate<string, string>(clock, everyMs, (id) => {
    changed.add(id);
    condition.notifyAll();
  });
  const codes = new Set<string>();
  const fault = (folder: string, error: unknown) => {
    if (codes.has(codeOf(error))) return;
    codes.add(codeOf(error));
    log.warn('changes of a watched folder are found by polls only', { folder, error });
  };
  const listening = folders.map(async ({ id, folder_path: folder }) => {
    try {
      const listener = {
        change: () => conflation.put(id, id),
        fault: (error: unknown) => fault(folder, error),
      };
      // Links are not followed, and the folder itself may be one.
      const path = await realpath(folder);
      return turn.signal.aborted ? null : listen(path, listener);
    } catch (error) {
      fault(folder, error);
      return null;
    }
  });
  try {
    for (;;) {
      turn.throwIfCancelled();
      const [id] = changed;
      if (id === undefined) {
        const cancel = clock.after(ALIVE_MS, () => condition.notifyAll());
        await condition.wait(turn.signal);
        cancel();
      } else {
        changed.delete(id);
        yield { id };
      }
    }
  } finally {
    conflation.flush();
    // Nobody waits for what hangs on a share that is gone.
    for (const listener of listening) void listener.then((open) => open?.close()).catch(() => {});
  }
}
