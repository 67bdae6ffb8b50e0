// What is known of the files of a folder, each by its path below it, and how many are in which state.
import type { BigIntStats } from 'node:fs';
import { type FileCounts, fileEnds } from './contract.ts';

/**
 * `unsettled`: seen once, or changed since. `ready`: complete. `taken`: handed out. `unreadable`: cannot be
 * looked at or opened. `empty`: complete, and there is nothing in it.
 */
export type FileState = 'unsettled' | 'ready' | 'taken' | 'unreadable' | 'empty' | (typeof fileEnds)[number];

export interface FileEntry {
  /** See `markOf`; empty when it is not known. */
  mark: string;
  /** When it was first seen with this mark. */
  since: number;
  readonly state: FileState;
  /** Number of the poll that saw it last. */
  poll: number;
}

interface Observation {
  readonly mark: string;
  readonly isEmpty: boolean;
  readonly now: number;
  /** For how long a complete file has had the same mark. */
  readonly settleMs: number;
}

/** The state of a known file that a poll sees. */
export function stateSeen(
  { mark: before, since, state }: Pick<FileEntry, 'mark' | 'since' | 'state'>,
  { mark, isEmpty, now, settleMs }: Observation,
): FileState {
  if (mark !== before) return 'unsettled';
  // A file that is written over a network may stand still for a moment.
  if (state !== 'unsettled' || now - since < settleMs) return state;
  return isEmpty ? 'empty' : 'ready';
}

/** Size and time of a file: another mark means another content. */
export function markOf({ size, mtimeNs }: Pick<BigIntStats, 'size' | 'mtimeNs'>): string {
  return `${size}-${mtimeNs}`;
}

export function isEnd(state: FileState): state is (typeof fileEnds)[number] {
  return (fileEnds as readonly string[]).includes(state);
}

export class FileTable {
  readonly #entries = new Map<string, FileEntry>();
  readonly #counts = new Map<FileState, number>();

  get counts(): FileCounts {
    const of = (state: FileState) => this.count(state);
    const [analyzed, failed, filtered] = [of('analyzed'), of('failed'), of('filtered')];
    const files = this.#entries.size;
    return { files, pending: files - analyzed - failed - filtered, analyzed, failed, filtered };
  }

  count(state: FileState): number {
    return this.#counts.get(state) ?? 0;
  }

  get(path: string): FileEntry | undefined {
    return this.#entries.get(path);
  }

  entries(): Iterable<[string, FileEntry]> {
    return this.#entries;
  }

  add(path: string, mark: string, state: FileState, now: number): FileEntry {
    const entry = { mark, since: now, state, poll: 0 };
    this.#entries.set(path, entry);
    this.#tally(state, 1);
    return entry;
  }

  setState(entry: FileEntry, state: FileState): void {
    this.#tally(entry.state, -1);
    this.#tally(state, 1);
    (entry as { state: FileState }).state = state;
  }

  delete(path: string, { state }: FileEntry): void {
    this.#tally(state, -1);
    this.#entries.delete(path);
  }

  #tally(state: FileState, change: number): void {
    this.#counts.set(state, this.count(state) + change);
  }
}
