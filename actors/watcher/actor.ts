// The watcher: lists watched folders in a thread of its own, and remembers of every file which content it had
// and what became of it.
import { type ActorEnv, type ActorInstance, actor, type FeedTurn, type Turn } from '../../runtime/actor.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import type { Reply, Request } from '../../runtime/contract.ts';
import { type ChangeTiming, changesOf, type Listen } from './changes.ts';
import { watcherContract, watcherErrors } from './contract.ts';
import { type Disk, systemDisk } from './disk.ts';
import { removeLedger } from './ledger.ts';
import { listen } from './listen.ts';
import { Reach } from './reach.ts';
import { type FolderParts, type FolderTiming, WatchedFolder } from './watched-folder.ts';

/** All optional; tests hand in time, file systems and how they are listened to. */
export interface WatcherSettings extends Partial<FolderTiming>, Partial<ChangeTiming> {
  /** How long a folder may take to answer. */
  readonly reachMs?: number;
  readonly disk?: Disk;
  readonly clock?: Clock;
  readonly listen?: Listen;
}

type Message<K extends keyof typeof watcherContract.messages> = Request<typeof watcherContract, K>;
type Answer<K extends 'open' | 'poll' | 'take' | 'report' | 'close'> = Reply<typeof watcherContract, K>;

export const definition = actor<typeof watcherContract, WatcherSettings | undefined>({
  contract: watcherContract,
  create: (env): ActorInstance<typeof watcherContract> => {
    const watcher = new Watcher(env);
    return {
      handlers: {
        open: (request, turn) => watcher.open(request, turn),
        poll: ({ id, exclusions, skip }, turn) => watcher.folder(id).poll(exclusions, skip, turn),
        take: (request, turn) => watcher.take(request, turn),
        report: (request) => watcher.report(request),
        close: (request) => watcher.close(request),
        changes: (request, turn) => watcher.changes(request, turn),
      },
    };
  },
});

class Watcher {
  readonly #parts: FolderParts;
  readonly #timing: ChangeTiming;
  readonly #listen: Listen;
  readonly #folders = new Map<string, WatchedFolder>();

  constructor({ settings = {}, log }: ActorEnv<WatcherSettings | undefined>) {
    const { disk = systemDisk, clock = systemClock, reachMs = 5000 } = settings;
    const { settleMs = 4000, sliceMs = 20, mostReady = 4096 } = settings;
    const { againMs = 30_000, atMostEveryMs = 1000 } = settings;
    const reach = new Reach(disk, clock, reachMs);
    this.#parts = { disk, clock, log, reach, settleMs, sliceMs, mostReady };
    this.#timing = { againMs, atMostEveryMs };
    this.#listen = settings.listen ?? listen;
  }

  /** Throws FOLDER_NOT_OPEN. */
  folder(id: string): WatchedFolder {
    const folder = this.#folders.get(id);
    if (folder) return folder;
    throw watcherErrors.FOLDER_NOT_OPEN(`There is no watched folder ${id}`, { id });
  }

  open(asked: Message<'open'>, turn: Turn): Answer<'open'> {
    const known = this.#folders.get(asked.id);
    if (known?.isOf(asked)) {
      known.reopen(asked);
      return { counts: known.counts };
    }
    const folder = new WatchedFolder(asked, this.#parts, turn);
    known?.close();
    this.#folders.set(asked.id, folder);
    return { counts: folder.counts };
  }

  async take({ id, ...size }: Message<'take'>, turn: Turn): Promise<Answer<'take'>> {
    const folder = this.folder(id);
    const files = await folder.take(size, turn);
    return { files, counts: folder.counts };
  }

  report({ id, plan, files }: Message<'report'>): Answer<'report'> {
    const folder = this.folder(id);
    folder.report(plan, files);
    return { counts: folder.counts };
  }

  close({ id, ledger, remove }: Message<'close'>): Answer<'close'> {
    this.#folders.get(id)?.close();
    this.#folders.delete(id);
    if (remove) removeLedger(ledger);
    return {};
  }

  changes({ folders }: Message<'changes'>, turn: FeedTurn): AsyncIterable<{ id: string }> {
    const { clock, reach, log } = this.#parts;
    return changesOf(folders, turn, { clock, reach, log, listen: this.#listen, ...this.#timing });
  }
}
