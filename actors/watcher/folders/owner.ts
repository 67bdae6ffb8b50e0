// Which process watches the folders of a home folder: one at a time. Its record is renewed while it does; it
// counts for nothing when its process has ended, or, on another machine, when it was not renewed for a
// minute.
import { readFileSync, rmSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock } from '../../../runtime/clock.ts';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import { Holder, isAlive, letGo, newHolder } from '../../../runtime/files/lock.ts';
import type { Log } from '../../../runtime/log.ts';
import { watchErrors } from './contract.ts';
import { unwritable, withLock } from './lock.ts';

const RENEW_MS = 15_000;
const SILENT_MS = 60_000;

/** `renewals` is another number each time, so that nobody has to compare clocks. */
const OwnerRecord = Type.Object({ ...Holder.properties, renewals: Type.Integer() });
type OwnerRecord = Static<typeof OwnerRecord>;

interface Foreign {
  readonly token: string;
  readonly renewals: number;
  /** When it was first seen so. */
  readonly since: number;
}

export class Ownership {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Log;
  #own: Holder | null = null;
  #renewals = 0;
  #disarm = () => {};
  #foreign: Foreign | null = null;

  constructor(path: string, clock: Clock, log: Log) {
    this.#path = path;
    this.#clock = clock;
    this.#log = log;
  }

  /** The process that watches, when it is another one; null when nobody does, or this one. */
  other(): Holder | null {
    const record = this.#read();
    if (record === null || record.token === this.#own?.token) return null;
    const alive = isAlive(record);
    return alive === true || (alive === 'unknown' && !this.#isSilent(record)) ? record : null;
  }

  /**
   * Takes and keeps it; `lost` is called when another process has it after all, as after a long sleep of this
   * machine. WATCHED_ELSEWHERE, WATCH_FOLDERS_UNWRITABLE.
   */
  async take(lost: () => void): Promise<void> {
    const own = newHolder();
    try {
      await withLock(`${this.#path}.lock`, this.#clock, () => {
        const other = this.other();
        if (other !== null) throw elsewhere(other);
        this.#write(own);
        this.#own = own;
      });
    } catch (error) {
      this.#own = null;
      letGo(own);
      throw error;
    }
    this.#keep(own, lost);
  }

  /** Never fails: a record that stays is of a process that has ended. */
  release(): void {
    this.#disarm();
    const own = this.#own;
    if (own === null) return;
    this.#own = null;
    try {
      if (this.#read()?.token === own.token) rmSync(this.#path, { force: true });
    } catch (error) {
      this.#log.warn('the record of who watches cannot be removed', { error });
    }
    letGo(own);
  }

  #keep(own: Holder, lost: () => void): void {
    this.#disarm = this.#clock.after(RENEW_MS, () => {
      const record = this.#read();
      if (record !== null && record.token !== own.token) {
        this.#own = null;
        letGo(own);
        lost();
        return;
      }
      try {
        this.#write(own);
      } catch (error) {
        this.#log.warn('the record of who watches cannot be renewed', { error });
      }
      this.#keep(own, lost);
    });
  }

  #isSilent({ token, renewals }: OwnerRecord): boolean {
    const now = this.#clock.now();
    if (this.#foreign?.token !== token || this.#foreign.renewals !== renewals) {
      this.#foreign = { token, renewals, since: now };
    }
    return now - this.#foreign.since >= SILENT_MS;
  }

  #write(own: Holder): void {
    try {
      replaceFile(this.#path, JSON.stringify({ ...own, renewals: ++this.#renewals }), {
        flush: false,
        folderMode: 0o777,
      });
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }

  /** Null where nobody is named, or what is there cannot be read: who watches writes it again soon. */
  #read(): OwnerRecord | null {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      return Check(OwnerRecord, value) ? value : null;
    } catch {
      return null;
    }
  }
}

function elsewhere({ pid, host }: Holder) {
  return watchErrors.WATCHED_ELSEWHERE(watchedBy({ pid, host }), { pid, host });
}

export function watchedBy({ pid, host }: Pick<Holder, 'pid' | 'host'>): string {
  return `Process ${pid} on ${host} watches the folders of this home folder`;
}
