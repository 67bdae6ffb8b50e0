// A fake watcher: folders whose files a test puts there, with faults on demand. Its ledgers outlive it, as on
// a disk.

import {
  type FileCounts,
  type FileEnd,
  watcherContract,
  watcherErrors,
} from '../../../../actors/watcher/contract.ts';
import type { FeedTurn, Turn } from '../../../../runtime/actor.ts';
import { actor } from '../../../../runtime/actor.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { createQueue } from '../../../../runtime/sync/queue.ts';

interface Ledger {
  plan: string;
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
  readonly opened: { id: string; plan: string }[] = [];
  /** Files under each plan that were settled, in order. */
  readonly settled: { path: string; end: FileEnd; passedOver: boolean }[] = [];
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
  const folderOf = (id: string) => {
    const open = world.open.get(id);
    if (open) return open;
    throw watcherErrors.FOLDER_NOT_OPEN(id);
  };
  return actor<typeof watcherContract, unknown>({
    contract: watcherContract,
    create: () => ({
      handlers: {
        open: async ({ id, folder_path, ledger: path, plan, keeps }) => {
          await world.starting;
          if (world.unwritable) throw watcherErrors.LEDGER_UNWRITABLE(`${path} cannot be written`);
          const kept = world.ledgers.get(path);
          const isKept = kept !== undefined && (keeps || kept.plan === plan);
          const ledger = isKept ? { ...kept, plan } : { plan, ends: new Map() };
          world.ledgers.set(path, ledger);
          const seen = world.open.get(id)?.seen ?? new Map();
          for (const one of seen.values()) one.taken = false;
          world.open.set(id, { folder_path, ledger, seen });
          world.opened.push({ id, plan });
          return { counts: seen.size > 0 ? countsOf(world.open.get(id)!) : recalledOf(ledger) };
        },
        poll: (request, turn) => poll(world, folderOf(request.id), request, turn),
        take: ({ id, most }) => {
          const open = folderOf(id);
          const files = ready(open).slice(0, most);
          for (const { path } of files) open.seen.get(path)!.taken = true;
          return { files, counts: countsOf(open) };
        },
        report: ({ id, plan, files }) => {
          const open = folderOf(id);
          if (world.unwritable) throw watcherErrors.LEDGER_UNWRITABLE('the disk is full');
          for (const { path, mark, end } of files) {
            const passedOver = open.ledger.plan !== plan || !open.seen.has(path);
            world.settled.push({ path, end, passedOver });
            if (passedOver) continue;
            open.seen.get(path)!.taken = false;
            if (end !== 'returned') open.ledger.ends.set(path, { mark, end });
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
  { id, skip }: { id: string; skip: readonly string[] },
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
    const none = { unreadable: [], unreadable_count: 0 };
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

/** Of a folder that was not listed yet. */
function recalledOf({ ends }: Ledger): FileCounts {
  const of = (wanted: FileEnd) => [...ends.values()].filter(({ end }) => end === wanted).length;
  const counts = { analyzed: of('analyzed'), failed: of('failed'), filtered: of('filtered') };
  return { files: ends.size, pending: 0, ...counts };
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
