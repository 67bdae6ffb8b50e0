// What is asked of the file systems that are watched, some of which may never answer.
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Clock } from '../../runtime/clock.ts';
import { isPseudoFolder } from '../../runtime/files/pseudo-folder.ts';
import { orAborted } from '../../runtime/sync/shared-work.ts';

/** Errors are those of the file system. */
export interface Disk {
  list(folder: string): Dirent[];
  /** Follows links. */
  stat(path: string): BigIntStats;
  /** The same without stopping the thread while a file system hangs. */
  reach(path: string): Promise<BigIntStats>;
  /** Opens the file for reading, and answers how it stands then. */
  opened(path: string): BigIntStats;
  realpath(path: string): string;
  /** Whether the kernel makes the folder up. */
  isPseudo(folder: string, stat: Pick<BigIntStats, 'dev'>): boolean;
}

/** Not to be kept waiting by a pipe that has the name of a film. */
const reading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export const systemDisk: Disk = {
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  stat: (path) => statSync(path, { bigint: true }),
  reach: (path) => stat(path, { bigint: true }),
  opened: (path) => {
    const file = openSync(path, reading);
    try {
      return fstatSync(file, { bigint: true });
    } finally {
      closeSync(file);
    }
  },
  realpath: (path) => realpathSync.native(path),
  isPseudo: (folder, { dev }) => isPseudoFolder(statfsSync(folder).type, dev),
};

interface Query {
  readonly answer: Promise<unknown>;
  readonly since: number;
}

/**
 * Waits for answers, but not for long. A query that hangs is not asked again, however many want to know:
 * each keeps one of the few threads that wait for disks.
 */
export class PendingQueries {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #pending = new Map<string, Query>();

  constructor(clock: Clock, limitMs = 5000) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Null when it does not answer in time. Rejects as `ask` does, and with CANCELLED. */
  async ask<T>(key: string, ask: () => Promise<T>, signal?: AbortSignal): Promise<T | null> {
    const { answer, since } = this.#pending.get(key) ?? this.#begin(key, ask);
    const { promise: limit, resolve } = Promise.withResolvers<null>();
    const wait = since + this.#limitMs - this.#clock.now();
    if (wait <= 0) return null;
    const cancel = this.#clock.after(wait, () => resolve(null));
    try {
      const first = Promise.race([answer as Promise<T>, limit]);
      return await (signal ? orAborted(first, signal) : first);
    } finally {
      cancel();
    }
  }

  #begin(key: string, ask: () => Promise<unknown>): Query {
    const answer = ask().finally(() => this.#pending.delete(key));
    // Nobody may be waiting for it any more.
    answer.catch(() => {});
    const query = { answer, since: this.#clock.now() };
    this.#pending.set(key, query);
    return query;
  }
}
