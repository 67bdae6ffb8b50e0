// A fake watcher: folders whose files a test puts there, with faults on demand. Its ledgers outlive it, as on
// a disk.

import {
  type FileCounts,
  type FileEnd,
  isSamePlan,
  type Plan,
  type WatchedFolder,
  watcherContract,
  watcherErrors,
} from '../../../../actors/watcher/contract.ts';
import type { FeedTurn, Turn } from '../../../../runtime/actor.ts';
import { actor } from '../../../../runtime/actor.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { createQueue } from '../../../../runtime/sync/queue.ts';

interface Ledger {
  plan: Plan;
  readonly ends: Map<string, { readonly mark: string; readonly end: FileEnd }>;
}

interface OpenFolder {
  readonly folder_path: string;
  readonly ledger: Ledger;
  /** By path: the mark of the last poll, and whether it was the same in the one before. */
  readonly seen: Map<string, { mark: string; settled: boolean; taken: boolean }>;
}

export class WatcherWorld {
  /** Marks of the files that lie there, by path. */
  readonly files = new Map<string, string>();
  readonly ledgers = new Map<string, Ledger>();
  readonly away = new Set<string>();
  /** The watcher is replaced when it lists them. */
  readonly hung = new Set<string>();
  readonly polls: string[] = [];
  readonly closed: { id: string; remove: boolean }[] = [];
  /** What was told of files, in order. */
  readonly settled: { path: string; end: FileEnd }[] = [];
  skip: readonly string[] = [];
  pollsAtOnce = 0;
  mostPollsAtOnce = 0;
  /** A poll waits for it. */
  hold: Promise<void> = Promise.resolve();
  /** A watcher that is starting opens nothing before. */
  starting: Promise<void> = Promise.resolve();
  unwritable = false;
  listening: string[] = [];
  tellChange: (id: string) => void = () => {};
  readonly open = new Map<string, OpenFolder>();

  /** A new thread: it has nothing open. */
  restart(): void {
    this.open.clear();
  }

  put(path: string, mark = 'a'): void {
    this.files.set(path, mark);
  }
}

export function fakeWatcher(world: WatcherWorld) {
  /** Opens a folder that is not open under this plan. */
  const folderOf = async ({ id, folder_path, ledger: path, plan }: WatchedFolder): Promise<OpenFolder> => {
    await world.starting;
    if (world.unwritable) throw watcherErrors.LEDGER_UNWRITABLE('the disk is full');
    const before = world.ledgers.get(path);
    const isSame = before !== undefined && isSamePlan(before.plan, plan);
    const ledger = isSame ? { ...before, plan } : { plan, ends: new Map() };
    world.ledgers.set(path, ledger);
    const seen = world.open.get(id)?.seen ?? new Map();
    if (!isSame) for (const one of seen.values()) one.taken = false;
    const open = { folder_path, ledger, seen };
    world.open.set(id, open);
    return open;
  };
  return actor<typeof watcherContract, unknown>({
    contract: watcherContract,
    create: () => ({
      handlers: {
        poll: async (request, turn) => poll(world, await folderOf(request.folder), request, turn),
        take: async ({ folder, size }) => {
          const open = await folderOf(folder);
          const files = ready(open).slice(0, size.most);
          for (const { path } of files) open.seen.get(path)!.taken = true;
          return { files, counts: countsOf(open) };
        },
        report: async ({ folder, files }) => {
          const open = await folderOf(folder);
          for (const { path, mark, end } of files) {
            world.settled.push({ path, end });
            const seen = open.seen.get(path) ?? { mark, settled: true, taken: false };
            seen.taken = false;
            if (end === 'returned') continue;
            open.seen.set(path, seen);
            open.ledger.ends.set(path, { mark, end });
          }
          return { counts: countsOf(open) };
        },
        close: ({ id, ledger, remove }) => {
          world.open.delete(id);
          world.closed.push({ id, remove });
          if (remove) world.ledgers.delete(ledger);
          return {};
        },
        changes: (request, turn) => changes(world, request.folders, turn),
      },
    }),
  });
}

async function poll(
  world: WatcherWorld,
  open: OpenFolder,
  { folder: { id }, skip }: { folder: { id: string }; skip: readonly string[] },
  turn: Turn,
) {
  world.polls.push(id);
  world.skip = skip;
  world.mostPollsAtOnce = Math.max(world.mostPollsAtOnce, ++world.pollsAtOnce);
  try {
    const cancelled = new Promise((resolve) =>
      turn.signal.addEventListener('abort', resolve, { once: true }),
    );
    await Promise.race([world.hold, cancelled]);
    turn.throwIfCancelled();
    if (world.hung.has(open.folder_path)) {
      world.restart();
      throw engineErrors.ACTOR_STUCK('watcher was replaced');
    }
    if (world.away.has(open.folder_path)) throw watcherErrors.FOLDER_AWAY(`${open.folder_path} is away`);
    look(world, open);
    const unsettled = [...open.seen.values()].filter(({ settled }) => !settled).length;
    const none = { unreadable: null, unreadable_count: 0, took_ms: 0 };
    return { counts: countsOf(open), ready: ready(open).length, unsettled, ...none };
  } finally {
    world.pollsAtOnce--;
  }
}

function look(world: WatcherWorld, { folder_path, seen }: OpenFolder): void {
  for (const path of [...seen.keys()]) if (!world.files.has(path)) seen.delete(path);
  for (const [path, mark] of world.files) {
    if (!path.startsWith(`${folder_path}/`)) continue;
    const before = seen.get(path);
    const taken = before?.taken ?? false;
    seen.set(path, { mark, settled: before?.mark === mark, taken });
  }
}

function endOf({ ledger, seen }: OpenFolder, path: string): FileEnd | null {
  const ended = ledger.ends.get(path);
  return ended && ended.mark === seen.get(path)?.mark ? ended.end : null;
}

function ready(open: OpenFolder) {
  return [...open.seen].flatMap(([path, { mark, settled, taken }]) =>
    settled && !taken && endOf(open, path) === null ? [{ path, mark }] : [],
  );
}

function countsOf(open: OpenFolder): FileCounts {
  const ends = [...open.seen.keys()].map((path) => endOf(open, path));
  const of = (wanted: FileEnd | null) => ends.filter((end) => end === wanted).length;
  const files = ends.length;
  return {
    files,
    pending: of(null),
    analyzed: of('analyzed'),
    failed: of('failed'),
    filtered: of('filtered'),
  };
}

async function* changes(world: WatcherWorld, folders: readonly { id: string }[], turn: FeedTurn) {
  world.listening = folders.map(({ id }) => id);
  const changed = createQueue<string>(100);
  world.tellChange = (id) => void changed.put(id);
  turn.signal.addEventListener('abort', () => changed.close(), { once: true });
  for (let id = await changed.take(); id !== undefined; id = await changed.take()) yield { id };
  world.listening = [];
  throw engineErrors.CANCELLED();
}
