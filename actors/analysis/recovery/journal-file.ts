// Reads the lines of a journal of any size and in any condition, a piece at a time.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf } from '../../../runtime/files/error-code.ts';
import type { JournalEntry } from './quarantine.ts';

/** Read of a journal that is longer: its end. Far above what compaction leaves. */
const MOST_BYTES = 1 << 30;
/** Far above the longest line that is written: a path has at most some thousand characters. */
const LONGEST_LINE = 1 << 17;
const CHUNK = 1 << 20;

export interface JournalReading {
  /** Size of the file. */
  readonly bytes: number;
  /** Bytes at the start that were not read. */
  readonly skipped: number;
  /** Lines, or runs of bytes, that are no entries. */
  readonly damaged: number;
}

/**
 * Hands over every entry that can be read. A file that is not there has none. Errors are those of the file
 * system.
 */
export function readEntries(
  path: string,
  take: (entry: JournalEntry) => void,
  most = MOST_BYTES,
): JournalReading {
  const file = openExisting(path);
  if (file === null) return { bytes: 0, skipped: 0, damaged: 0 };
  try {
    const bytes = fstatSync(file).size;
    const skipped = Math.max(0, bytes - most);
    let damaged = 0;
    for (const line of linesOf(file, skipped, bytes)) {
      const entry = line === null ? null : entryOf(line);
      if (entry) take(entry);
      else damaged++;
    }
    return { bytes, skipped, damaged };
  } finally {
    closeSync(file);
  }
}

function openExisting(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Lines that are not empty; null for what is too long for one. */
function* linesOf(file: number, from: number, to: number): Generator<string | null> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let rest: Buffer = Buffer.alloc(0);
  let tooLong = false;
  for (let at = from; at < to; ) {
    const read = readSync(file, chunk, 0, Math.min(CHUNK, to - at), at);
    if (read === 0) break;
    at += read;
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0 && end < read; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([rest, chunk.subarray(start, end)]);
      rest = Buffer.alloc(0);
      start = end + 1;
      if (tooLong || line.byteLength > LONGEST_LINE) yield null;
      else if (line.byteLength > 0) yield line.toString();
      tooLong = false;
    }
    if (!tooLong) rest = Buffer.concat([rest, chunk.subarray(start, read)]);
    if (rest.byteLength > LONGEST_LINE) {
      tooLong = true;
      rest = Buffer.alloc(0);
    }
  }
  if (tooLong) yield null;
  else if (rest.byteLength > 0) yield rest.toString();
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
