// How a file of a watched folder stands, and what seeing it in a poll makes of that.
import type { FileCounts, FileEnd } from './contract.ts';

/**
 * Numbers, because there is one for each of a million files; 0 is no file. They are written into ledgers:
 * never renumber.
 */
export const fileState = {
  /** Seen once, or changed since. */
  unsettled: 1,
  /** Seen twice and the same. */
  ready: 2,
  /** Handed out. */
  taken: 3,
  /** Cannot be looked at or opened. */
  unreadable: 4,
  /** Seen twice, and there is nothing in it. */
  empty: 5,
  analyzed: 6,
  failed: 7,
  filtered: 8,
} as const;
export type FileState = (typeof fileState)[keyof typeof fileState];

export const mostStates = 9;

/** What a ledger remembers. */
export function isEnd(state: number): boolean {
  return state >= fileState.analyzed && state <= fileState.filtered;
}

export function stateAfter(end: FileEnd): FileState {
  return end === 'returned' ? fileState.ready : fileState[end];
}

export interface Sighting {
  /** The mark is the one that is known. */
  readonly same: boolean;
  readonly empty: boolean;
  /** The mark was seen in an earlier poll, long enough ago to trust that nobody writes. */
  readonly apart: boolean;
}

/** The state of a known file that is seen. */
export function stateSeen(before: FileState, { same, empty, apart }: Sighting): FileState {
  if (!same) return fileState.unsettled;
  if (before !== fileState.unsettled || !apart) return before;
  return empty ? fileState.empty : fileState.ready;
}

/** `count`: of the files in a state. */
export function countsOf(files: number, count: (state: FileState) => number): FileCounts {
  const analyzed = count(fileState.analyzed);
  const failed = count(fileState.failed);
  const filtered = count(fileState.filtered);
  return { files, pending: files - analyzed - failed - filtered, analyzed, failed, filtered };
}
