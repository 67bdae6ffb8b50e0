// The watch folders of a home folder, in one small file that every process reads anew when it has changed.
// Changes are made under a lock, atomically and flushed. What a newer program added to it is kept.
import { readFileSync, statSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Check, Errors } from 'typebox/value';
import type { Clock } from '../../../runtime/clock.ts';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import { codeOf } from '../../../runtime/files/error-code.ts';
import { NewWatchFolder, WatchFolder, watchErrors } from './contract.ts';
import { unwritable, withLock } from './lock.ts';

const { last_poll_time: _, files_analyzed_count: __, ...recorded } = WatchFolder.properties;

/** What is recorded of a watch folder; what was found in it is recorded apart. */
export const RecordedFolder = Type.Object({
  ...recorded,
  /** The folder without links, and its analysis folder, as they were when it was added. */
  real_folder: Type.String(),
  real_cache_dir: Type.String(),
});
export type RecordedFolder = Static<typeof RecordedFolder>;

/** What a person decides about a watch folder. */
export type FolderSettings = Omit<RecordedFolder, 'id' | 'created_at' | 'real_folder' | 'real_cache_dir'>;

export interface Configuration {
  /** The service runs, or ran when its engine ended. */
  readonly running: boolean;
  readonly watch_folders: readonly RecordedFolder[];
}

export interface Edit {
  readonly running?: boolean;
  /** Takes the place of the one with its id, or comes last. */
  readonly put?: RecordedFolder;
  /** Id. */
  readonly remove?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const VERSION = 1;
const empty: Configuration = { running: false, watch_folders: [] };

export class ConfigurationFile {
  readonly path: string;
  readonly #clock: Clock;
  /** What was read last: a configuration, or why there is none; `mark` is of the file at that time. */
  #last: { readonly mark: string; readonly found: Configuration | Error } | null = null;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
  }

  /** As it is on the disk now. WATCH_FOLDERS_DAMAGED naming the file. */
  read(): Configuration {
    const mark = this.#mark();
    if (this.#last?.mark !== mark) this.#last = { mark, found: this.#found() };
    if (this.#last.found instanceof Error) throw this.#last.found;
    return this.#last.found;
  }

  /**
   * `edit` is handed what is on the disk, and nothing else is changed meanwhile. *Flushed* when answered.
   * Throws what `edit` throws, WATCH_FOLDERS_DAMAGED, WATCH_FOLDERS_UNWRITABLE.
   */
  change(edit: (now: Configuration) => Edit): Promise<Configuration> {
    return withLock(`${this.path}.lock`, this.#clock, () => {
      const document = this.#document() ?? { version: VERSION, running: false, watch_folders: [] };
      const edited = editedDocument(document, edit(this.#checked(document)));
      try {
        replaceFile(this.path, `${JSON.stringify(edited, null, 2)}\n`, { flush: true });
      } catch (error) {
        throw unwritable(this.path, error);
      }
      this.#last = null;
      return this.#checked(edited);
    });
  }

  #mark(): string {
    try {
      const stats = statSync(this.path, { bigint: true, throwIfNoEntry: false });
      return stats ? `${stats.size}-${stats.mtimeNs}-${stats.ino}` : '';
    } catch (error) {
      throw this.#damaged(`cannot be read (${codeOf(error)})`, error);
    }
  }

  #found(): Configuration | Error {
    try {
      const document = this.#document();
      return document === null ? empty : this.#checked(document);
    } catch (error) {
      return error as Error;
    }
  }

  /** Null when there is no file. */
  #document(): Fields | null {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
      throw this.#damaged(`cannot be read (${codeOf(error)})`, error);
    }
    try {
      const value: unknown = JSON.parse(text);
      if (isFields(value)) return value;
    } catch (error) {
      throw this.#damaged('is not JSON', error);
    }
    throw this.#damaged('holds no watch folders');
  }

  #checked({ version, running, watch_folders }: Fields): Configuration {
    if (typeof version === 'number' && version > VERSION) {
      throw this.#damaged(`was written by a newer program (version ${version})`);
    }
    if (version !== VERSION || typeof running !== 'boolean' || !Array.isArray(watch_folders)) {
      throw this.#damaged('holds no watch folders');
    }
    const folders = watch_folders.map((value: unknown, i) => {
      // A program that was older knew less of a folder.
      const folder = isFields(value) ? { ...defaults, ...value } : value;
      if (Check(RecordedFolder, folder)) return folder;
      const [first] = Errors(RecordedFolder, folder);
      throw this.#damaged(`watch_folders[${i}]${first?.instancePath ?? ''} ${first?.message ?? 'is wrong'}`);
    });
    if (new Set(folders.map(({ id }) => id)).size < folders.length) {
      throw this.#damaged('names an id twice');
    }
    return { running, watch_folders: folders };
  }

  #damaged(what: string, cause?: unknown): Error {
    return watchErrors.WATCH_FOLDERS_DAMAGED(`${this.path} ${what}`, { path: this.path }, cause);
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const defaults: Fields = Object.fromEntries(
  Object.entries(NewWatchFolder.properties).flatMap(([name, schema]) =>
    'default' in schema ? [[name, schema.default]] : [],
  ),
);

function editedDocument(document: Fields, { running, put, remove }: Edit): Fields {
  const before = document['watch_folders'] as readonly Fields[];
  const left = before.filter(({ id }) => id !== remove);
  const at = left.findIndex(({ id }) => id === put?.id);
  const after =
    put === undefined
      ? left
      : at < 0
        ? [...left, put]
        : left.map((folder, i) => (i === at ? { ...folder, ...put } : folder));
  return { ...document, ...(running !== undefined && { running }), watch_folders: after };
}
