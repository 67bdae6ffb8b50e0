// The journal of stages: one JSON object a line, appended. It survives a crash of the process because each line is written
// with a system call of its own. Tasks have records of their own.
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { engineErrors } from '../../../runtime/errors.ts';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../../runtime/files/make-folder.ts';
import { hasEnded, thisProcess } from '../../../runtime/process/identity.ts';
import { type JournalEntry, type JournalState, readJournal } from './quarantine.ts';

/** A larger journal is compacted when it is opened. */
const COMPACT_BYTES = 4 << 20;

type Entry = JournalEntry extends infer E
  ? E extends JournalEntry
    ? Omit<E, 'time' | 'pid'>
    : never
  : never;

export interface Journal {
  /** What earlier engines left behind, as it was when the journal was opened. */
  readonly before: JournalState;
  write(entry: Entry): void;
  close(): void;
}

/** For an engine that only searches: it starts no stage, so it leaves none behind and needs no writable home. */
export const withoutJournal: Journal = {
  before: readJournal([], () => false),
  write: () => {},
  close: () => {},
};

/** Throws INVALID_CONFIG when the home folder cannot be written. */
export function openJournal(path: string, now: () => number = Date.now): Journal {
  try {
    makeFolder(dirname(path));
    const entries = existsSync(path) ? parse(readFileSync(path, 'utf8')) : [];
    const before = readJournal(entries, isAlive);
    if (existsSync(path) && !before.shared && statSync(path).size > COMPACT_BYTES) compact(path, before);
    return append(path, before, now);
  } catch (error) {
    throw engineErrors.INVALID_CONFIG(
      `home: the journal ${path} cannot be written (${String(error)})`,
      {},
      error,
    );
  }
}

function append(path: string, before: JournalState, now: () => number): Journal {
  const file = openSync(path, 'a');
  let open = true;
  const write = (entry: Entry) => {
    // A stage may still end after the journal was closed; after `engine-stop` that changes nothing.
    if (!open) return;
    writeSync(file, `${JSON.stringify({ time: now(), pid: process.pid, ...entry })}\n`);
  };
  // A new line first: the last one may have been cut by a full disk.
  if (statSync(path).size > 0) writeSync(file, '\n');
  write({ type: 'engine-start', started: thisProcess().started });
  return {
    before,
    write,
    close: () => {
      write({ type: 'engine-stop' });
      open = false;
      closeSync(file);
    },
  };
}

/** Skips lines that were cut short. */
function parse(text: string): JournalEntry[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line ? [JSON.parse(line) as JournalEntry] : [];
    } catch {
      return [];
    }
  });
}

/** Keeps only the crashes: each as a stage that started under an engine that is gone. */
function compact(path: string, state: JournalState): void {
  const lines = [...state.crashes].flatMap(([key, times]) =>
    Array.from({ length: times }, () => [
      { type: 'stage-start', time: 0, task_id: '', key, pid: 0 },
      { type: 'engine-start', time: 0, pid: 0 },
    ]).flat(),
  );
  replaceFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { flush: false });
}

function isAlive(pid: number, started: string): boolean {
  // An earlier engine of this very process id is gone: this one is only starting.
  return pid !== process.pid && !hasEnded({ ...thisProcess(), pid, started });
}
