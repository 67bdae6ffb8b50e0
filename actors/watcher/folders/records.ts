// What was found in watch folders, in a small file for each, so that it is known while nothing is watched.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import { codeOf } from '../../../runtime/files/error-code.ts';
import type { Log } from '../../../runtime/log.ts';
import { FileCounts } from '../contract.ts';
import { FolderStats } from './contract.ts';

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
  readonly #log: Log;
  /** By id, what was read or written last but for the time of the last poll, and when it was written. */
  readonly #saved = new Map<string, { readonly text: string; readonly at: number }>();

  /** `folder`: where the ledgers are, too. */
  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  ledgerOf(id: string): string {
    return join(this.#folder, `${id}.ledger`);
  }

  read(id: string): FolderRecord {
    const record = this.#read(this.#path(id));
    if (!this.#saved.has(id)) this.#saved.set(id, { text: textOf(record), at: Number.NEGATIVE_INFINITY });
    return record;
  }

  /** A file that is not there or damaged says that nothing was found: the next poll knows better. */
  #read(path: string): FolderRecord {
    let error: unknown = null;
    try {
      const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
      if (Check(FolderRecord, value)) return value;
    } catch (caught) {
      if (codeOf(caught) === 'ENOENT') return none;
      error = caught;
    }
    this.#log.warn('what was found in a watch folder cannot be read', { path, error });
    return none;
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

  /** What is left of folders that another process removed while nobody watched. */
  removeOthers(ids: ReadonlySet<string>): void {
    for (const name of readdirSync(this.#folder)) {
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
