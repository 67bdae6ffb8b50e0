// The journal of stages: one JSON object a line, appended. It survives a crash of the process because each
// line is written with a system call of its own. Engines that share a home folder share it. Tasks have
// records of their own.
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, EngineError, engineErrors } from '../../../runtime/errors.ts';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import type { Log } from '../../../runtime/log.ts';
import type { PreviousEngine } from '../../../runtime/process/guardian-client.ts';
import { hasEnded, thisProcess } from '../../../runtime/process/identity.ts';
import { decoderContract, mediaErrors } from '../../decoder/contract.ts';
import { indexContract } from '../../index/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { analysisErrors } from '../contract.ts';
import type { Watched } from '../media/survey.ts';
import { type JournalEntry, JournalHistory, quarantineReason, stageKey } from './quarantine.ts';

/** A journal that is longer is not read. Far above what compaction leaves. */
const MOST_BYTES = 64 << 20;

interface JournalReading {
  readonly bytes: number;
  /** Bytes that were not read. */
  readonly skipped: number;
  /** Lines that are no entries. */
  readonly damaged: number;
}

/**
 * Hands over every entry that can be read. A file that is not there has none. Errors are those of the file
 * system.
 */
function readEntries(path: string, take: (entry: JournalEntry) => void): JournalReading {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0 || bytes > MOST_BYTES) return { bytes, skipped: bytes, damaged: 0 };
  let damaged = 0;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    const entry = entryOf(line);
    if (entry) take(entry);
    else damaged++;
  }
  return { bytes, skipped: 0, damaged };
}

const withKey: readonly unknown[] = ['stage-start', 'stage-end', 'strike'];

function entryOf(line: string): JournalEntry | null {
  try {
    const entry = JSON.parse(line) as Record<string, unknown> | null;
    const whole =
      typeof entry?.['type'] === 'string' &&
      Number.isFinite(entry['pid']) &&
      Number.isFinite(entry['time']) &&
      (typeof entry['key'] === 'string' || !withKey.includes(entry['type']));
    return whole ? (entry as unknown as JournalEntry) : null;
  } catch {
    return null;
  }
}

// Files whose content cannot be read, with the reason: they are not opened again while they have not changed.
// Kept as long as the engine runs.

/** Kept at most; the oldest go first. */
const MOST = 10_000;

/** Reasons that lie in the content. A file that cannot be opened may be opened later. */
const ofContent: readonly string[] = [
  mediaErrors.FILE_EMPTY,
  mediaErrors.NOT_MEDIA,
  mediaErrors.NO_PICTURE,
  mediaErrors.UNSUPPORTED_CODEC,
].map(({ code }) => code);

class Refusals {
  readonly #errors = new Map<string, EngineError>();

  /** `key`: of the look at the file; it names path, size and times. */
  of(key: string): EngineError | undefined {
    return this.#errors.get(key);
  }

  note(key: string, error: unknown): void {
    if (!(error instanceof EngineError) || !ofContent.includes(error.code)) return;
    this.#errors.delete(key);
    const [oldest] = this.#errors.size >= MOST ? this.#errors.keys() : [];
    if (oldest !== undefined) this.#errors.delete(oldest);
    this.#errors.set(key, error);
  }
}

/** A journal that has grown by so much is compacted. */
const COMPACT_BYTES = 4 << 20;

type Entry = JournalEntry extends infer E
  ? E extends { readonly type: 'stage-start' | 'stage-end' }
    ? Omit<E, 'time' | 'pid'>
    : never
  : never;

export interface Journal {
  /** Entries of earlier engines and of this one. */
  readonly history: JournalHistory;
  /** Files that were looked at in vain; a second look leaves no entries. */
  readonly refusals: Refusals;
  /** Work that this engine does now. */
  readonly running: number;
  write(entry: Entry): void;
  /** The engine is asked to stop: a kill from now on says nothing about a file. */
  stopping(): void;
  close(): void;
}

/**
 * For an engine that only searches: it starts no stage, so it leaves none behind and needs no writable home.
 */
export const withoutJournal: Journal = {
  history: new JournalHistory(),
  refusals: new Refusals(),
  running: 0,
  write: () => {},
  stopping: () => {},
  close: () => {},
};

export interface JournalOptions {
  readonly log: Log;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** How the engine before this one ended, where that is known. */
  readonly before?: PreviousEngine | null;
  readonly compactBytes?: number;
}

/** Throws INVALID_CONFIG when the home folder cannot be written. */
export function openJournal(path: string, options: JournalOptions): Journal {
  try {
    makeFolder(dirname(path));
    return new JournalFile(path, options);
  } catch (error) {
    throw engineErrors.INVALID_CONFIG(
      `home: the journal ${path} cannot be written (${String(error)})`,
      {},
      error,
    );
  }
}

class JournalFile implements Journal {
  readonly history = new JournalHistory();
  readonly refusals = new Refusals();
  readonly #path: string;
  readonly #options: JournalOptions;
  readonly #token = randomUUID();
  readonly #started = thisProcess().started;
  #file: number;
  #state: 'open' | 'stopping' | 'closed' = 'open';
  /** Bytes to be written before it is compacted again. */
  #remainingBytes = 0;

  constructor(path: string, options: JournalOptions) {
    this.#path = path;
    this.#options = options;
    const { before = null } = options;
    const { bytes, ...reading } = this.#read(this.history);
    if (before) this.history.died(before);
    this.history.settle(isAlive);
    if (bytes > this.#compactBytes || reading.damaged > 0) this.#replace(this.history);
    this.#file = openSync(path, 'a');
    this.#remainingBytes = this.#compactBytes;
    this.#announce(before);
  }

  get running(): number {
    return this.history.running(process.pid).size;
  }

  write(entry: Entry): void {
    // A stage may still end after the engine was told to stop; then that changes nothing.
    if (this.#state === 'closed' || (this.#state === 'stopping' && entry.type === 'stage-start')) return;
    if (this.#remainingBytes <= 0) this.#compact();
    this.#reopenIfReplaced();
    this.#append({ ...entry, time: this.#now(), pid: process.pid });
  }

  stopping(): void {
    if (this.#state !== 'open') return;
    this.#state = 'stopping';
    try {
      this.#reopenIfReplaced();
      this.#append({ type: 'engine-stop', time: this.#now(), pid: process.pid });
    } catch (error) {
      // The engine stops all the same; what still runs may be taken for the cause of its end, once.
      this.#options.log.warn('the journal cannot be written', { path: this.#path, error });
    }
  }

  close(): void {
    this.stopping();
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    closeSync(this.#file);
  }

  get #compactBytes(): number {
    return this.#options.compactBytes ?? COMPACT_BYTES;
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #read(into: JournalHistory): JournalReading {
    const reading = readEntries(this.#path, (entry) => into.take(entry));
    const { skipped, damaged } = reading;
    if (skipped + damaged > 0) {
      const facts = { path: this.#path, skipped_bytes: skipped, damaged_lines: damaged };
      this.#options.log.warn('the journal was damaged or too long; only the readable rest is used', facts);
    }
    return reading;
  }

  /** Says which engine this is, and all that it works on. */
  #announce(before: PreviousEngine | null = null): void {
    const running = [...this.history.running(process.pid)];
    const pid = process.pid;
    const engine = { started: this.#started, token: this.#token, ...(before ? { before } : {}) };
    this.#append({ type: 'engine-start', time: this.#now(), pid, ...engine });
    for (const [key, time] of running) this.#append({ type: 'stage-start', time, task_id: '', key, pid });
  }

  #append(entry: JournalEntry): void {
    // A new line first: the last one may have been cut by a full disk or a crash, of whichever engine.
    const line = Buffer.from(`\n${JSON.stringify(entry)}\n`);
    const written = writeSync(this.#file, line);
    this.#remainingBytes -= written;
    if (written < line.byteLength) throw new Error(`ENOSPC: ${this.#path} takes no whole line`);
    this.history.take(entry);
  }

  /** Another engine may have compacted it, or a person deleted it. */
  #reopenIfReplaced(): void {
    const now = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    const open = fstatSync(this.#file, { bigint: true });
    if (now?.ino === open.ino && now.dev === open.dev) return;
    const file = this.#reopened();
    if (file === null) return;
    closeSync(this.#file);
    this.#file = file;
    this.#announce();
  }

  /** Null where the home folder is gone: then only what this engine remembers counts. */
  #reopened(): number | null {
    try {
      return openSync(this.#path, 'a');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** Keeps the entries that still say something, of every engine. */
  #compact(): void {
    // Tried again only after as much again: a folder that cannot be written is not read at every entry.
    this.#remainingBytes = this.#compactBytes;
    try {
      const history = new JournalHistory();
      this.#read(history);
      this.#replace(history);
    } catch (error) {
      this.#options.log.warn('the journal cannot be compacted', { path: this.#path, error });
    }
  }

  #replace(history: JournalHistory): void {
    const text = [...history.entries()].map((entry) => `${JSON.stringify(entry)}\n`).join('');
    replaceFile(this.#path, text, { flush: false });
  }
}

function isAlive(pid: number, started: string): boolean {
  // An earlier engine of this very process id is gone: this one is only starting.
  return pid !== process.pid && !hasEnded({ ...thisProcess(), pid, started });
}

// Work with its entries in the journal, and the end that an error is: a file can crash or hang the engine
// while it is looked at or worked on.

/**
 * `id`: of the task, or another name for the journal. `retryQuarantined`: set by `force`. Throws QUARANTINED,
 * and the reason why the file could not be read before.
 */
export function journalledSurvey(
  journal: Journal,
  id: string,
  path: string,
  retryQuarantined = false,
): Watched {
  return async (mark, work) => {
    const key = stageKey(mark, 'survey', path);
    const refused = journal.refusals.of(key);
    if (refused && !retryQuarantined) throw refused;
    if (!retryQuarantined) expectNotQuarantined(journal, key, path);
    return journalled(journal, { task_id: id, key }, work).catch((error) => {
      journal.refusals.note(key, error);
      throw error;
    });
  };
}

interface Stage {
  readonly task_id: string;
  readonly key: string;
}

export async function journalled<T>(journal: Journal, stage: Stage, work: () => Promise<T>): Promise<T> {
  journal.write({ type: 'stage-start', ...stage });
  let value: T;
  try {
    value = await work();
  } catch (error) {
    journalFailure(journal, stage, error);
    throw error;
  }
  journal.write({ type: 'stage-end', ...stage, outcome: 'stored' });
  return value;
}

export function journalFailure(journal: Journal, stage: Stage, error: unknown): void {
  journal.write({ type: 'stage-end', ...stage, ...endOf(error) });
}

function endOf(error: unknown): { outcome: string; alone?: boolean } {
  const hang = hangOf(error);
  if (hang) return { outcome: 'hung', alone: hang === 'file' };
  // A cancel, and what is worth another try, is no fault of the file, and no proof that it is sound.
  const ownEnd = !engineErrors.CANCELLED.is(error) && !worthAnotherTry(error);
  return { outcome: ownEnd ? 'failed' : 'left' };
}

/** Throws QUARANTINED, with what was seen. `again`: what tries it again. */
export function expectNotQuarantined(journal: Journal, key: string, name: string, again = '--force'): void {
  const strikes = journal.history.quarantine(key);
  if (strikes) throw quarantined(name, quarantineReason(strikes), again);
}

function quarantined(path: string, reason: string, again: string): EngineError {
  return analysisErrors.QUARANTINED(`${path}: ${reason}; ${again} tries it again`, { path });
}

// Which errors are worth a second attempt, and when.

/**
 * True for an error after which the same work may succeed at once: a crash or a full mailbox, not a bad file.
 */
export function worthAnotherTry(error: unknown): boolean {
  // Another process that writes goes on writing.
  return error instanceof EngineError && error.retryable && !storeErrors.STORE_IN_USE.is(error);
}

/**
 * Null when the work did not hang. `file`: an actor that works on one file at a time did. `unclear`: one that
 * may have been at work on others too. A store that hangs says nothing about a file.
 */
export function hangOf(error: unknown): 'file' | 'unclear' | null {
  if (!engineErrors.ACTOR_STUCK.is(error)) return null;
  const { role } = error.details;
  if (role === indexContract.name) return null;
  return role === decoderContract.name ? 'file' : 'unclear';
}
