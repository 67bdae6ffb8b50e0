// The watch folders of a home folder, in one small file that every process reads again when it has changed.
// Changes are made under a lock, atomically and flushed. What a newer program added to it is kept.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import type { Clock } from '../../../runtime/clock.ts';
import { codeOf } from '../../../runtime/errors.ts';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import type { HomeFiles } from '../../../runtime/files/home-files.ts';
import { expectVersion, type JsonFields, markOf, readJsonNow } from '../../../runtime/files/json-file.ts';
import { rmSync } from '../../../runtime/files/names.ts';
import type { Log } from '../../../runtime/log.ts';
import type { RootsState } from '../../index/store/roots-file.ts';
import { FileCounts } from '../contract.ts';
import { FolderStats, NewWatchFolder, WatchFolder, watchErrors } from './contract.ts';

const { last_poll_time: _, files_analyzed_count: __, ...recorded } = WatchFolder.properties;

/** Stored settings of a watch folder; its statistics are stored separately. */
export const RecordedFolder = Type.Object({
  ...recorded,
  /** The folder without links, and its analysis folder, as they were when it was added. */
  real_folder: Type.String(),
  real_cache_dir: Type.String(),
});
export type RecordedFolder = Static<typeof RecordedFolder>;

/** Settings of a watch folder that a person chooses. */
export type FolderSettings = Omit<RecordedFolder, 'id' | 'created_at' | 'real_folder' | 'real_cache_dir'>;

export interface Configuration {
  /** The service runs, or ran when its engine ended. */
  readonly running: boolean;
  readonly watch_folders: readonly RecordedFolder[];
}

export interface FolderEdit {
  readonly running?: boolean;
  /** Takes the place of the one with its id, or comes last. */
  readonly put?: RecordedFolder;
  /** Id. */
  readonly remove?: string;
}

const VERSION = 1;
const Document = Type.Object({
  version: Type.Literal(VERSION),
  running: Type.Boolean(),
  watch_folders: Type.Array(RecordedFolder),
});
type Document = Static<typeof Document>;
const empty: Document = { version: VERSION, running: false, watch_folders: [] };

/** A program that was older knew less of a folder. */
const defaults: JsonFields = Object.fromEntries(
  Object.entries(NewWatchFolder.properties).flatMap(([name, schema]) =>
    'default' in schema ? [[name, schema.default]] : [],
  ),
);

export class ConfigurationFile {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #roots: () => RootsState;
  readonly #files: HomeFiles;
  /** Size, time and number of the file when it was read last, by which roots, and what it held. */
  #last: { readonly mark: string; readonly roots: RootsState; readonly configuration: Configuration } | null =
    null;

  constructor(path: string, files: HomeFiles, clock: Clock, roots: () => RootsState) {
    this.#path = path;
    this.#files = files;
    this.#clock = clock;
    this.#roots = roots;
  }

  /** Reads the file on disk. WATCH_FOLDERS_DAMAGED naming the file. */
  read(): Configuration {
    const [mark, roots] = [this.#read(() => markOf(this.#path)), this.#roots()];
    if (this.#last?.mark !== mark || this.#last.roots !== roots) {
      this.#last = { mark, roots, configuration: this.#shown(this.#document()) };
    }
    return this.#last.configuration;
  }

  /**
   * `edit` is handed what is on the disk, and nothing else is changed meanwhile. *Flushed* when answered.
   * Throws what `edit` throws, WATCH_FOLDERS_DAMAGED, WATCH_FOLDERS_UNWRITABLE.
   */
  change(edit: (now: Configuration) => FolderEdit): Promise<void> {
    const options = { clock: this.#clock, refused: unwritable };
    return this.#files.change(`${this.#path}.lock`, options, (files) => {
      const document = this.#document();
      const { put, ...edits } = edit(this.#shown(document));
      const { paths } = this.#roots();
      const stored = put && withPaths(put, (path) => paths.stored(path));
      const edited = editedDocument(document, { ...edits, ...(stored && { put: stored }) });
      try {
        files.replace(this.#path, `${JSON.stringify(edited, null, 2)}\n`, { flush: true });
      } catch (error) {
        throw unwritable(`${this.#path} cannot be written (${codeOf(error)})`, this.#path, error);
      }
    });
  }

  #document(): Document {
    return this.#read(() => {
      const document = readJsonNow(Document, this.#path, completed) ?? empty;
      const folders = document.watch_folders;
      if (new Set(folders.map(({ id }) => id)).size < folders.length) throw new Error('names an id twice');
      return document;
    });
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      const what = `${this.#path} ${(error as Error).message}`;
      throw watchErrors.WATCH_FOLDERS_DAMAGED(what, { path: this.#path }, error);
    }
  }

  #shown({ running, watch_folders }: Document): Configuration {
    const { paths } = this.#roots();
    const shown = watch_folders.map((folder) => withPaths(folder, (path) => paths.shown(path)));
    return { running, watch_folders: shown };
  }
}

/** The error of whoever cannot write what several processes share in the home folder. */
export function unwritable(what: string, path: string, cause?: unknown): Error {
  return watchErrors.WATCH_FOLDERS_UNWRITABLE(what, { path }, cause);
}

function completed(document: JsonFields): JsonFields {
  const { watch_folders } = expectVersion(VERSION, document);
  if (!Array.isArray(watch_folders)) return document;
  return { ...document, watch_folders: watch_folders.map((folder) => ({ ...defaults, ...folder })) };
}

function withPaths(folder: RecordedFolder, path: (path: string) => string): RecordedFolder {
  const { folder_path, real_folder, cache_dir, real_cache_dir } = folder;
  return {
    ...folder,
    folder_path: path(folder_path),
    real_folder: path(real_folder),
    cache_dir: cache_dir && path(cache_dir),
    real_cache_dir: path(real_cache_dir),
  };
}

function editedDocument(document: Document, { running, put, remove }: FolderEdit): Document {
  const folders = document.watch_folders.filter(({ id }) => id !== remove);
  const isKnown = folders.some(({ id }) => id === put?.id);
  const edited = folders.map((folder) => (folder.id === put?.id ? { ...folder, ...put } : folder));
  const watch_folders = put === undefined || isKnown ? edited : [...edited, put];
  return { ...document, ...(running !== undefined && { running }), watch_folders };
}

// Statistics of watch folders, in a small file each, so that they are available while nothing is watched.

const { last_poll_time, last_error, failures } = FolderStats.properties;
const FolderRecord = Type.Object({
  version: Type.Literal(1),
  counts: FileCounts,
  last_poll_time,
  last_error,
  failures,
});
export type FolderRecord = Static<typeof FolderRecord>;

const none: FolderRecord = {
  version: 1,
  counts: { files: 0, pending: 0, analyzed: 0, failed: 0, filtered: 0 },
  last_poll_time: 0,
  last_error: null,
  failures: [],
};

/** The time of the last poll alone is recorded so seldom. */
const SAVE_MS = 300_000;

export class FolderRecords {
  readonly #folder: string;
  readonly #ledgers: () => string;
  readonly #log: Log;
  /**
   * Text that was last read or written for each id, without the time of the last poll, and when it was
   * written.
   */
  readonly #saved = new Map<string, { readonly text: string; readonly at: number }>();

  /** `ledgers`: where the ledgers are; in `folder` when left out. */
  constructor(folder: string, log: Log, ledgers: () => string = () => folder) {
    this.#folder = folder;
    this.#ledgers = ledgers;
    this.#log = log;
  }

  ledgerOf(id: string): string {
    return join(this.#ledgers(), `${id}.ledger`);
  }

  /** A file that is not there or damaged says that nothing was found: the next poll knows better. */
  read(id: string): FolderRecord {
    let record = none;
    try {
      record = readJsonNow(FolderRecord, this.#path(id)) ?? none;
    } catch (error) {
      this.#log.warn('what was found in a watch folder cannot be read', { path: this.#path(id), error });
    }
    if (!this.#saved.has(id)) this.#saved.set(id, { text: textOf(record), at: Number.NEGATIVE_INFINITY });
    return record;
  }

  /** Writes what has changed; `now`: ms of a clock. */
  save(id: string, record: FolderRecord, now: number): void {
    const text = textOf(record);
    const saved = this.#saved.get(id);
    const isDue = record.last_poll_time > 0 && now - (saved?.at ?? now) >= SAVE_MS;
    if (saved?.text === text && !isDue) return;
    this.#saved.set(id, { text, at: now });
    this.write(id, record);
  }

  write(id: string, record: FolderRecord): void {
    try {
      replaceFile(this.#path(id), JSON.stringify(record), { flush: false, folderMode: 0o777 });
    } catch (error) {
      this.#log.warn('what was found in a watch folder cannot be recorded', { id, error });
    }
  }

  /** With its ledger. */
  remove(id: string): void {
    try {
      rmSync(this.#path(id), { force: true });
      rmSync(this.ledgerOf(id), { force: true });
    } catch (error) {
      this.#log.warn('what was done in a watch folder cannot be removed', { id, error });
    }
  }

  /** Removes what remains of folders that another process removed meanwhile. */
  removeOthers(ids: ReadonlySet<string>): void {
    for (const name of new Set([this.#folder, this.#ledgers()].flatMap((folder) => readdirSync(folder)))) {
      const [, id] = /^(.+)\.(?:ledger|stats\.json)$/.exec(name) ?? [];
      if (id !== undefined && !ids.has(id)) this.remove(id);
    }
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.stats.json`);
  }
}

export function statsOf({ counts, last_poll_time, last_error, failures }: FolderRecord): FolderStats {
  return {
    files_pending: counts.pending,
    files_analyzed: counts.analyzed,
    files_failed: counts.failed,
    files_filtered: counts.filtered,
    last_poll_time,
    last_error,
    paused_until: null,
    failures: [...failures],
  };
}

function textOf(record: FolderRecord): string {
  return JSON.stringify({ ...record, last_poll_time: 0 });
}
