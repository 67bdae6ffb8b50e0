// What the watcher answers: which files of a watched folder are there, which of them are complete, and what
// became of them. It lists folders and remembers a few bytes a file; it analyses nothing and knows nobody.
import { type Static, Type } from 'typebox';
import { ask, contract, feed } from '../../runtime/contract.ts';
import { errorTable } from '../../runtime/errors.ts';

export const watcherErrors = errorTable({
  /** Not there, not mounted, not readable, or it hung: nothing is taken for deleted. */
  FOLDER_AWAY: { meaning: 'The watched folder cannot be reached', status: 503, retryable: true },
  FOLDER_NOT_OPEN: { meaning: 'The folder is not being watched', status: 500, retryable: false },
  LEDGER_UNWRITABLE: {
    meaning: 'The progress of the watch folder cannot be recorded',
    status: 507,
    retryable: true,
  },
});

const Count = Type.Integer({ minimum: 0 });

/** Names a watched folder in every message. */
const Folder = { id: Type.String({ minLength: 1 }) };

/** What is left out, in the form in which a watch folder has it. */
export const Exclusions = Type.Object({
  /** Lower case, with the dot. */
  excluded_extensions: Type.Array(Type.String()),
  excluded_filename_globs: Type.Array(Type.String()),
  excluded_folder_globs: Type.Array(Type.String()),
});
export type Exclusions = Static<typeof Exclusions>;

/**
 * Size and time of a file as they were when it was seen: `<bytes>-<modified ns>`. Another mark means another
 * content.
 */
const Mark = Type.String({ minLength: 1 });

export const SeenFile = Type.Object({
  /** Absolute, below the watched folder as it was named. */
  path: Type.String({ minLength: 1 }),
  mark: Mark,
});
export type SeenFile = Static<typeof SeenFile>;

/**
 * What became of a file. `analyzed`: done, also when it was done before or holds nothing of the kind.
 * `failed`: not tried again until it changes. `filtered`: left out by the metadata filter. `returned`: to be
 * taken again.
 */
export const FileEnd = Type.Unsafe<'analyzed' | 'failed' | 'filtered' | 'returned'>({
  type: 'string',
  enum: ['analyzed', 'failed', 'filtered', 'returned'],
});
export type FileEnd = Static<typeof FileEnd>;

/** Media files of the folder, after exclusions. They sum up to `files`. */
export const FileCounts = Type.Object({
  files: Count,
  /** Not taken yet: `ready`, still being written, taken and not ended, or not to be opened. */
  pending: Count,
  analyzed: Count,
  failed: Count,
  filtered: Count,
});
export type FileCounts = Static<typeof FileCounts>;

export const PollReport = Type.Object({
  counts: FileCounts,
  /**
   * May be taken now: the same in two polls. At most as many as are kept by name; the next polls bring the
   * others.
   */
  ready: Count,
  /** Seen once, or changed since the last poll: another poll is needed soon. */
  unsettled: Count,
  /** Folders and files that could not be looked at, some of them by name, and how many there are. */
  unreadable: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  unreadable_count: Count,
});
export type PollReport = Static<typeof PollReport>;

/**
 * How many files are taken at once: `few` of any size, and `most` while they hold fewer than `bytes`
 * together.
 */
export const BatchSize = Type.Object({
  few: Type.Integer({ minimum: 1 }),
  most: Type.Integer({ minimum: 1 }),
  bytes: Count,
});
export type BatchSize = Static<typeof BatchSize>;

export const watcherContract = contract(
  'watcher',
  {
    /**
     * Takes a folder up; again, with another `plan`, when what is to be done changed: then nothing counts as
     * done, unless `keeps` says that what was done by the plan before was done by this one. What was recorded
     * of the same plan is read from `ledger`. A damaged ledger loses only what is damaged, which is done
     * again. What was taken before is pending again. LEDGER_UNWRITABLE, and then everything is as it was.
     */
    open: ask(
      Type.Object({
        ...Folder,
        /** Absolute. */
        folder_path: Type.String({ minLength: 1 }),
        /** Absolute path of the file that remembers what was done; its folder is there. */
        ledger: Type.String({ minLength: 1 }),
        /** What is done with a file, as a text to compare. */
        plan: Type.String(),
        keeps: Type.Boolean(),
      }),
      Type.Object({ counts: FileCounts }),
    ),
    /**
     * Lists the folder once. `skip`: absolute folders that are left out, such as analysis folders. A file
     * that was the same in two polls some seconds apart is ready. FOLDER_AWAY, FOLDER_NOT_OPEN, CANCELLED:
     * then no file is taken for gone.
     */
    poll: ask(
      Type.Object({ ...Folder, exclusions: Exclusions, skip: Type.Array(Type.String()) }),
      PollReport,
    ),
    /**
     * Files that are ready, each opened and unchanged since the poll. They are taken until their end is told;
     * when it is cancelled, nothing is taken. FOLDER_AWAY, FOLDER_NOT_OPEN, CANCELLED.
     */
    take: ask(
      Type.Object({ ...Folder, ...BatchSize.properties }),
      Type.Object({ files: Type.Array(SeenFile), counts: FileCounts }),
    ),
    /**
     * What became of files; recorded (*flushed*) when answered. A file that has another mark by now stays
     * pending. A file that is not known any more is passed over. FOLDER_NOT_OPEN, LEDGER_UNWRITABLE.
     */
    report: ask(
      Type.Object({
        ...Folder,
        /** Of the files when they were taken: ends of another plan are passed over. */
        plan: Type.String(),
        files: Type.Array(Type.Object({ ...SeenFile.properties, end: FileEnd })),
      }),
      Type.Object({ counts: FileCounts }),
    ),
    /**
     * Forgets a folder; `remove`: its ledger too. A folder that is not open is no error. LEDGER_UNWRITABLE.
     */
    close: ask(
      Type.Object({ ...Folder, ledger: Type.String({ minLength: 1 }), remove: Type.Boolean() }),
      Type.Object({}),
    ),
    /**
     * Ids of folders in which something changed, as the system tells it where it can. It never ends by itself
     * and never fails for a folder that cannot be listened to: polls find what it does not tell.
     */
    changes: feed(
      Type.Object({ folders: Type.Array(Type.Object({ ...Folder, folder_path: Type.String() })) }),
      Type.Object({ ...Folder }),
    ),
  },
  // A feed that stays open, one poll, and short messages beside it.
  { concurrency: 4 },
);
