// Appends to a ledger until the system refuses, in a process that may write short files only. Prints what
// came of it.
import { readFileSync, statSync } from 'node:fs';
import { watcherErrors } from '../../../actors/watcher/contract.ts';
import { fileState } from '../../../actors/watcher/file-state.ts';
import { hashOf } from '../../../actors/watcher/hash.ts';
import { Ledger } from '../../../actors/watcher/ledger.ts';
import { headerBytes, recordBytes } from '../../../actors/watcher/ledger-format.ts';

const path = process.argv[2]!;
const ledger = new Ledger(path, 'all');
ledger.replace([]);
let appended = 0;
let refused: unknown;
try {
  for (; appended < 10_000; appended += 7) {
    const records = Array.from({ length: 7 }, (_, i) => {
      const hash = hashOf(String(appended + i));
      return { path: hash, mark: hash, state: fileState.analyzed };
    });
    ledger.append(records, () => []);
  }
} catch (error) {
  refused = error;
}
let read = 0;
const isWhole = new Ledger(path, 'all').read(
  () => (read += 1),
  () => {},
);
const result = {
  isUnwritable: watcherErrors.LEDGER_UNWRITABLE.is(refused),
  isAsBefore: statSync(path).size === headerBytes + appended * recordBytes,
  left: readFileSync(path).length % recordBytes,
  appended,
  read,
  isWhole,
};
process.stdout.write(JSON.stringify(result));
