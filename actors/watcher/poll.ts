// What one poll makes of what it sees: files join the table, change or stand still, and some that are ready
// are kept by name.
import { reasonOf } from '../../runtime/files/error-code.ts';
import type { PollReport } from './contract.ts';
import type { Disk } from './disk.ts';
import { fileState, stateSeen } from './file-state.ts';
import type { FileTable } from './file-table.ts';
import type { Hash64 } from './hash.ts';
import type { Stamp } from './stamps.ts';
import type { Visitor } from './walk.ts';

/** Named in a report; the others are counted. */
const mostNamed = 20;

/** Of a file of which nothing is known: every mark is another one. */
const noMark: Hash64 = { high: 0, low: 0 };

export class Poll implements Visitor {
  /** Absolute paths, at most `mostReady`. */
  readonly ready: string[] = [];
  readonly unreadableNamed: PollReport['unreadable'] = [];
  unreadableCount = 0;
  readonly #table: FileTable;
  readonly #stamp: Stamp;
  readonly #disk: Disk;
  readonly #mostReady: number;

  constructor(table: FileTable, stamp: Stamp, disk: Disk, mostReady: number) {
    this.#table = table;
    this.#stamp = stamp;
    this.#disk = disk;
    this.#mostReady = mostReady;
  }

  file(key: Hash64, mark: Hash64, isEmpty: boolean, path: string): void {
    const slot = this.#table.slotOf(key);
    if (slot < 0) {
      const added = this.#table.add(key, mark, fileState.unsettled);
      this.#table.setMarkedIn(added, this.#stamp.generation);
      this.#table.see(added, this.#stamp.generation);
      return;
    }
    this.#table.see(slot, this.#stamp.generation);
    const same = this.#table.hasMark(slot, mark);
    const apart = this.#stamp.isApart(this.#table.markedIn(slot));
    let state = stateSeen(this.#table.stateAt(slot), { same, empty: isEmpty, apart });
    if (!same) {
      this.#table.setMark(slot, mark);
      this.#table.setMarkedIn(slot, this.#stamp.generation);
    }
    if (state === fileState.unreadable && this.#opens(path)) state = fileState.ready;
    this.#table.setState(slot, state);
    if (state === fileState.ready && this.ready.length < this.#mostReady) this.ready.push(path);
  }

  unknownFile(key: Hash64, path: string, message: string): void {
    this.unreadable(path, message);
    let slot = this.#table.slotOf(key);
    if (slot < 0) slot = this.#table.add(key, noMark, fileState.unreadable);
    this.#table.see(slot, this.#stamp.generation);
    const state = this.#table.stateAt(slot);
    if (state === fileState.unsettled) this.#table.setMark(slot, noMark);
    if (state === fileState.unsettled || state === fileState.ready || state === fileState.empty) {
      this.#table.setState(slot, fileState.unreadable);
    }
  }

  unreadable(path: string, message: string): void {
    this.unreadableCount += 1;
    if (this.unreadableNamed.length < mostNamed) this.unreadableNamed.push({ path, message });
  }

  #opens(path: string): boolean {
    try {
      this.#disk.opened(path);
      return true;
    } catch (error) {
      this.unreadable(path, reasonOf(error));
      return false;
    }
  }
}
