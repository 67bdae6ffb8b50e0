// A million files in some 40 bytes each: by the hash of a path, the hash of its mark and how it stands. Open
// addressing with linear probing in typed arrays.
import { type FileState, mostStates } from './file-state.ts';
import type { Hash64 } from './hash.ts';

/** Integers of a slot: the hash of the path, the hash of the mark. */
const WIDTH = 4;
const LEAST = 64;

/** A slot is *borrowed until the next `add`, `sweep` or `clear`*. */
export class FileTable {
  #hashes = new Int32Array(LEAST * WIDTH);
  /** 0 where the slot is free. */
  #states = new Uint8Array(LEAST);
  #seen = new Uint8Array(LEAST);
  #marked = new Uint8Array(LEAST);
  #size = 0;
  readonly #counts = new Float64Array(mostStates);

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#hashes.byteLength + this.#states.byteLength * 3;
  }

  count(state: FileState): number {
    return this.#counts[state]!;
  }

  /** -1 when it is not there. */
  slotOf(path: Hash64): number {
    const slot = this.#probe(path);
    return this.#states[slot] === 0 ? -1 : slot;
  }

  /** The slot of a path that is not there yet. */
  add(path: Hash64, mark: Hash64, state: FileState): number {
    if ((this.#size + 1) * 4 > this.#states.length * 3) this.#resize(this.#states.length * 2);
    const slot = this.#probe(path);
    this.#hashes[slot * WIDTH] = path.high;
    this.#hashes[slot * WIDTH + 1] = path.low;
    this.setMark(slot, mark);
    this.#states[slot] = state;
    this.#seen[slot] = 0;
    this.#marked[slot] = 0;
    this.#counts[state]! += 1;
    this.#size += 1;
    return slot;
  }

  stateAt(slot: number): FileState {
    return this.#states[slot] as FileState;
  }

  setState(slot: number, state: FileState): void {
    this.#counts[this.#states[slot]!]! -= 1;
    this.#counts[state]! += 1;
    this.#states[slot] = state;
  }

  hasMark(slot: number, mark: Hash64): boolean {
    const at = slot * WIDTH;
    return this.#hashes[at + 2] === mark.high && this.#hashes[at + 3] === mark.low;
  }

  setMark(slot: number, mark: Hash64): void {
    this.#hashes[slot * WIDTH + 2] = mark.high;
    this.#hashes[slot * WIDTH + 3] = mark.low;
  }

  /** `generation`: of the poll that sees it, 0 to 255. */
  see(slot: number, generation: number): void {
    this.#seen[slot] = generation;
  }

  /** The generation of the poll in which its mark was new, 0 to 255. */
  markedIn(slot: number): number {
    return this.#marked[slot]!;
  }

  setMarkedIn(slot: number, generation: number): void {
    this.#marked[slot] = generation;
  }

  /** Drops what the poll of `generation` did not see; answers how many. */
  sweep(generation: number): number {
    const before = this.#size;
    for (let slot = 0; slot < this.#states.length; slot++) {
      // What is moved into the slot was behind it, so it is looked at too.
      while (this.#states[slot] !== 0 && this.#seen[slot] !== generation) this.#remove(slot);
    }
    if (this.#states.length > LEAST && this.#size * 8 < this.#states.length) {
      this.#resize(Math.max(LEAST, 2 ** Math.ceil(Math.log2(this.#size * 2 + 1))));
    }
    return before - this.#size;
  }

  /** Every file in no order. */
  *entries(): Generator<{ path: Hash64; mark: Hash64; state: FileState; slot: number }> {
    for (let slot = 0; slot < this.#states.length; slot++) {
      const state = this.#states[slot] as FileState | 0;
      if (state === 0) continue;
      const [path, mark] = [this.#hashAt(slot * WIDTH), this.#hashAt(slot * WIDTH + 2)];
      yield { path, mark, state, slot };
    }
  }

  #hashAt(at: number): Hash64 {
    return { high: this.#hashes[at]!, low: this.#hashes[at + 1]! };
  }

  /** Its slot, or the free one where it belongs. */
  #probe({ high, low }: Hash64): number {
    const last = this.#states.length - 1;
    let slot = low & last;
    while (this.#states[slot] !== 0) {
      if (this.#hashes[slot * WIDTH + 1] === low && this.#hashes[slot * WIDTH] === high) break;
      slot = (slot + 1) & last;
    }
    return slot;
  }

  /** Moves back what was pushed on by it, so that no gap ends a search too early. */
  #remove(gone: number): void {
    const last = this.#states.length - 1;
    this.#counts[this.#states[gone]!]! -= 1;
    this.#size -= 1;
    let gap = gone;
    for (let slot = (gap + 1) & last; this.#states[slot] !== 0; slot = (slot + 1) & last) {
      const home = this.#hashes[slot * WIDTH + 1]! & last;
      if (((slot - home) & last) < ((slot - gap) & last)) continue;
      this.#hashes.copyWithin(gap * WIDTH, slot * WIDTH, (slot + 1) * WIDTH);
      this.#states[gap] = this.#states[slot]!;
      this.#seen[gap] = this.#seen[slot]!;
      this.#marked[gap] = this.#marked[slot]!;
      gap = slot;
    }
    this.#states[gap] = 0;
  }

  #resize(capacity: number): void {
    const [hashes, states, seen, marked] = [this.#hashes, this.#states, this.#seen, this.#marked];
    this.#hashes = new Int32Array(capacity * WIDTH);
    this.#states = new Uint8Array(capacity);
    this.#seen = new Uint8Array(capacity);
    this.#marked = new Uint8Array(capacity);
    for (let slot = 0; slot < states.length; slot++) {
      if (states[slot] === 0) continue;
      const at = slot * WIDTH;
      const to = this.#probe({ high: hashes[at]!, low: hashes[at + 1]! });
      this.#hashes.set(hashes.subarray(at, at + WIDTH), to * WIDTH);
      this.#states[to] = states[slot]!;
      this.#seen[to] = seen[slot]!;
      this.#marked[to] = marked[slot]!;
    }
  }
}
