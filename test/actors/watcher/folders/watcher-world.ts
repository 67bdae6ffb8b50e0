// The real watcher over a disk in memory, with faults on demand. Its ledgers are files, which outlive it.
import { definition } from '../../../../actors/watcher/actor.ts';
import { type FileEnd, watcherContract, watcherErrors } from '../../../../actors/watcher/contract.ts';
import { type ActorEnv, type ActorInstance, actor } from '../../../../runtime/actor.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { orAborted } from '../../../../runtime/sync/shared-work.ts';
import { type FakeFile, fakeDisk } from '../fake-disk.ts';
import { ears } from '../listening.ts';

export class WatcherWorld {
  /** By path below the base folder. */
  readonly files = new Map<string, FakeFile>();
  readonly away = new Set<string>();
  /** The watcher is replaced when it lists them. */
  readonly hung = new Set<string>();
  /** Ids of the folders that were listed, in order. */
  readonly polls: string[] = [];
  readonly closed: { id: string; remove: boolean }[] = [];
  /** What was told of files, in order. */
  readonly settled: { path: string; end: FileEnd }[] = [];
  skip: readonly string[] = [];
  pollsAtOnce = 0;
  mostPollsAtOnce = 0;
  /** A poll waits for it. */
  hold: Promise<void> = Promise.resolve();
  /** A watcher that is starting answers nothing before. */
  starting: Promise<void> = Promise.resolve();
  unwritable = false;
  /** Those that listen for changes, by folder. */
  readonly listeners = ears();
  /** A new thread: it knows what the ledgers have. */
  restart: () => void = () => {};
  readonly base: string;
  /** Of the files with each mark. */
  readonly #times = new Map<string, bigint>();

  constructor(base: string) {
    this.base = base;
  }

  /** Another `mark` is another content. */
  put(path: string, mark = 'a'): void {
    const mtimeNs = this.#times.get(mark) ?? BigInt(this.#times.size + 1);
    this.#times.set(mark, mtimeNs);
    this.files.set(path.slice(this.base.length + 1), { size: 1n, mtimeNs, locked: null });
  }
}

export function watcherOf(world: WatcherWorld, clock: Clock) {
  const settings = {
    disk: fakeDisk(world.base, world.files),
    clock,
    listen: world.listeners.listen,
    everyMs: 0,
  };
  return actor<typeof watcherContract, unknown>({
    contract: watcherContract,
    create: (env: ActorEnv) => {
      const begin = () => definition.create({ ...env, settings }) as ActorInstance<typeof watcherContract>;
      let { handlers } = begin();
      world.restart = () => ({ handlers } = begin());
      const ready = async () => {
        await world.starting;
        if (world.unwritable) throw watcherErrors.LEDGER_UNWRITABLE('the disk is full');
      };
      return {
        handlers: {
          poll: async (request, turn) => {
            await ready();
            const { id, folder_path } = request.folder;
            world.polls.push(id);
            world.skip = request.skip;
            world.mostPollsAtOnce = Math.max(world.mostPollsAtOnce, ++world.pollsAtOnce);
            try {
              await orAborted(world.hold, turn.signal);
              if (world.away.has(folder_path)) throw watcherErrors.FOLDER_AWAY(`${folder_path} is away`);
              if (world.hung.has(folder_path)) {
                world.restart();
                throw engineErrors.ACTOR_STUCK('watcher was replaced');
              }
              return await handlers.poll(request, turn);
            } finally {
              world.pollsAtOnce--;
            }
          },
          take: async (request, turn) => {
            await ready();
            return handlers.take(request, turn);
          },
          report: async (request, turn) => {
            await ready();
            world.settled.push(...request.files);
            return handlers.report(request, turn);
          },
          close: (request, turn) => {
            world.closed.push({ id: request.id, remove: request.remove });
            return handlers.close(request, turn);
          },
          changes: (request, turn) => handlers.changes(request, turn),
        },
      };
    },
  });
}
