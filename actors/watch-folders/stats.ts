// What was found in a watch folder, in a small file of its own, so that it is known while nothing is watched.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { codeOf } from '../../runtime/files/error-code.ts';
import type { Log } from '../../runtime/log.ts';
import { FileCounts } from '../watcher/contract.ts';
import { FolderStats } from './contract.ts';

export const FolderRecord = Type.Object({
  version: Type.Literal(1),
  counts: FileCounts,
  last_poll_time: FolderStats.properties.last_poll_time,
  last_error: FolderStats.properties.last_error,
  failures: FolderStats.properties.failures,
});
export type FolderRecord = Static<typeof FolderRecord>;

/** Failures that are kept of a folder. */
export const MOST_FAILURES = 50;

export const noneFound: FolderRecord = {
  version: 1,
  counts: { files: 0, pending: 0, analyzed: 0, failed: 0, filtered: 0 },
  last_poll_time: 0,
  last_error: null,
  failures: [],
};

export class StatsFiles {
  readonly #folder: string;
  readonly #log: Log;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** A file that is not there or damaged says that nothing was found: the next poll knows better. */
  read(id: string): FolderRecord {
    const path = this.#path(id);
    try {
      const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
      if (Check(FolderRecord, value)) return value;
      this.#log.warn('what was found in a watch folder cannot be read', { path });
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        this.#log.warn('what was found in a watch folder cannot be read', { path, error });
    }
    return noneFound;
  }

  /** True when it is written. */
  write(id: string, record: FolderRecord): boolean {
    try {
      replaceFile(this.#path(id), JSON.stringify(record), { flush: false, folderMode: 0o777 });
      return true;
    } catch (error) {
      this.#log.warn('what was found in a watch folder cannot be recorded', { id, error });
      return false;
    }
  }

  remove(id: string): void {
    try {
      rmSync(this.#path(id), { force: true });
    } catch (error) {
      this.#log.warn('what was found in a watch folder cannot be removed', { id, error });
    }
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.stats.json`);
  }
}
