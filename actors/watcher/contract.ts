// The watcher reports the files of a watched folder, which of them are complete, and their outcomes. It lists
// folders and remembers files, but analyses nothing.
import { type Static, Type } from 'typebox';
import { ask, contract, feed } from '../../runtime/contract.ts';
import { errorTable } from '../../runtime/errors.ts';
import { nullable } from '../../runtime/schema.ts';

export const watcherErrors = errorTable({
  /** Not there, not mounted, not readable, or it hung: nothing is taken for deleted. */
  FOLDER_AWAY: { meaning: 'The watched folder cannot be reached', status: 503, retryable: true },
  LEDGER_UNWRITABLE: {
    meaning: 'The progress of the watch folder cannot be recorded',
    status: 507,
    retryable: true,
  },
});

const Count = Type.Integer({ minimum: 0 });
const Text = Type.String({ minLength: 1 });

/** Exclusions of a watch folder, in normal form. */
export const Exclusions = Type.Object({
  /** Lower case, with the dot. */
  excluded_extensions: Type.Array(Type.String()),
  excluded_filename_globs: Type.Array(Type.String()),
  excluded_folder_globs: Type.Array(Type.String()),
});
export type Exclusions = Static<typeof Exclusions>;

/** Work on the files of a folder. The same plan is not carried out twice on a file. */
export const WatchPlan = Type.Object({
  /** The kinds of work and their settings, as a text to compare. */
  work: Type.String(),
  /** Names the analysis folder that has the results, wherever it lies; null while it is empty. */
  store: nullable(Type.String()),
});
export type WatchPlan = Static<typeof WatchPlan>;

/** Results may have filled the analysis folder, and of a new one its time becomes known after its number. */
export function isSamePlan(before: WatchPlan, now: WatchPlan): boolean {
  if (before.work !== now.work) return false;
  if (before.store === null || before.store === now.store) return true;
  return now.store?.startsWith(`${before.store}-`) ?? false;
}

export const WatchedFolder = Type.Object({
  id: Text,
  /** Absolute. */
  folder_path: Text,
  /** Absolute path of the file that remembers what was done; its folder is there. */
  ledger: Text,
  /** Other machines write the ledger too, one at a time. */
  shared: Type.Optional(Type.Boolean()),
  plan: WatchPlan,
});
export type WatchedFolder = Static<typeof WatchedFolder>;

export const SeenFile = Type.Object({
  /** Absolute, below the watched folder as it was named. */
  path: Text,
  /** Size and time when it was seen, `<bytes>-<modified ns>`: another mark means another content. */
  mark: Text,
});
export type SeenFile = Static<typeof SeenFile>;

export const fileEnds = ['analyzed', 'failed', 'filtered'] as const;

/**
 * Outcome of a file. `analyzed`: done, also when it was done before or has nothing of the kind. `failed`: not
 * tried again until it changes. `filtered`: excluded by the metadata filter. `returned`: to be processed
 * again.
 */
export type FileEnd = (typeof fileEnds)[number] | 'returned';
const FileEnd = Type.Unsafe<FileEnd>({ type: 'string', enum: [...fileEnds, 'returned'] });

/** Media files of the folder, after exclusions. They sum up to `files`. */
export const FileCounts = Type.Object({
  files: Count,
  /** Complete, still being written, being analysed, empty or not to be opened. */
  pending: Count,
  analyzed: Count,
  failed: Count,
  filtered: Count,
});
export type FileCounts = Static<typeof FileCounts>;

export const PollReport = Type.Object({
  counts: FileCounts,
  /** May be taken now: the same in two polls. */
  ready: Count,
  /** Seen once, or changed since the last poll: another poll is needed soon. */
  unsettled: Count,
  /** The first folder or file that could not be looked at, and how many there are. */
  unreadable: nullable(Type.Object({ path: Type.String(), message: Type.String() })),
  unreadable_count: Count,
  took_ms: Type.Number(),
});
export type PollReport = Static<typeof PollReport>;

/** How many files are taken at once: `few` of any size, and `most` while they hold fewer than `bytes`. */
export const BatchSize = Type.Object({
  few: Type.Integer({ minimum: 1 }),
  most: Type.Integer({ minimum: 1 }),
  bytes: Count,
});
export type BatchSize = Static<typeof BatchSize>;

/**
 * Each message names the folder in full, so a restarted watcher goes on where the one before
 * ended: what was done by the same plan is read from the ledger, and what was taken is pending again. What is
 * damaged in a ledger is done again. LEDGER_UNWRITABLE is an error of all.
 */
export const watcherContract = contract(
  'watcher',
  {
    /**
     * Lists the folder once. `skip`: absolute folders without links that are left out, such as analysis
     * folders. A file that was the same in two polls some seconds apart is ready. FOLDER_AWAY, CANCELLED:
     * then no file counts as deleted.
     */
    poll: ask(
      Type.Object({ folder: WatchedFolder, exclusions: Exclusions, skip: Type.Array(Type.String()) }),
      PollReport,
    ),
    /**
     * Files that are ready, each opened and unchanged since the poll. They stay taken until they are
     * reported; when it is cancelled, none is taken. FOLDER_AWAY, CANCELLED.
     */
    take: ask(
      Type.Object({ folder: WatchedFolder, size: BatchSize }),
      Type.Object({ files: Type.Array(SeenFile), counts: FileCounts }),
    ),
    /** Records outcomes of files; *flushed* when answered. A file that has changed since stays pending. */
    report: ask(
      Type.Object({
        folder: WatchedFolder,
        files: Type.Array(Type.Object({ ...SeenFile.properties, end: FileEnd })),
      }),
      Type.Object({ counts: FileCounts }),
    ),
    /** Forgets a folder; `remove`: its ledger too. */
    close: ask(Type.Object({ id: Text, ledger: Text, remove: Type.Boolean() }), Type.Object({})),
    /**
     * Ids of folders in which something changed, as the system tells it where it can. It never ends by itself
     * and never fails for a folder that cannot be listened to: polls find what it does not tell.
     */
    changes: feed(
      Type.Object({ folders: Type.Array(Type.Object({ id: Text, folder_path: Text })) }),
      Type.Object({ id: Text }),
    ),
  },
  // A feed that stays open, one poll, and short messages beside it.
  { concurrency: 4 },
);
