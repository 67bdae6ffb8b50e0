// The watcher: lists watched folders in a thread of its own, and remembers of every file which content it had
// and what became of it.
import { type ActorInstance, actor } from '../../runtime/actor.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { changesOf, type Listen, listen } from './changes.ts';
import { type WatchedFolder, watcherContract } from './contract.ts';
import { type Disk, PendingQueries, systemDisk } from './disk.ts';
import { type FilesParts, FolderFiles } from './files.ts';
import { removeLedger } from './ledger.ts';

/** All optional; tests hand in time, file systems and how they are listened to. */
export interface WatcherSettings extends Partial<Pick<FilesParts, 'settleMs' | 'sliceMs'>> {
  /** How long a folder may take to answer. */
  readonly reachMs?: number;
  readonly everyMs?: number;
  readonly disk?: Disk;
  readonly clock?: Clock;
  readonly listen?: Listen;
}

export const definition = actor<typeof watcherContract, WatcherSettings | undefined>({
  contract: watcherContract,
  create: ({ settings = {}, log }): ActorInstance<typeof watcherContract> => {
    const { disk = systemDisk, clock = systemClock, reachMs, settleMs = 4000, sliceMs = 20 } = settings;
    const queries = new PendingQueries(clock, reachMs);
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
