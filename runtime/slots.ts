// Slots: a fixed number of equal pieces of one shared memory. Pixels are written once into a slot and stay
// there; messages carry handles. A slot has holders and is free when it has none. The table is pure and lives
// in one thread, where every message passes; workers see only the memory and each slot's generation.
import type { SlotHandle } from './contract.ts';
import { engineErrors } from './errors.ts';
import type { MailboxLane } from './mailbox.ts';
import { Line } from './sync/locks.ts';

/** Owner that prevents slots from being reused: one per turn, one per consumer of a feed. */
export type SlotHolder = number;

interface SlotTable {
  /** A free slot in a new generation, held by `holder`; undefined when none is free. */
  acquire(holder: SlotHolder): SlotHandle | undefined;
  /** Throws STALE_SLOT when the handle is of an earlier filling or the slot is free. */
  hold(handle: SlotHandle, holder: SlotHolder): void;
  /** Ends one hold; a hold that is not there is left alone, because a crash may have ended it first. */
  release(handle: SlotHandle, holder: SlotHolder): void;
  /** Ends every hold of `holder`. */
  releaseAll(holder: SlotHolder): void;
  readonly free: number;
}

/** `onGeneration` is told each new generation; `onFree` is told when a slot became free. */
export function createSlotTable(
  count: number,
  onGeneration: (slot: number, generation: number) => void = () => {},
  onFree: () => void = () => {},
): SlotTable {
  const generations = new Array<number>(count).fill(0);
  const holders = Array.from({ length: count }, () => new Map<SlotHolder, number>());
  const slotsByHolder = new Map<SlotHolder, Set<number>>();
  const free = Array.from({ length: count }, (_, slot) => count - 1 - slot);

  const checked = ({ slot, generation }: SlotHandle): Map<SlotHolder, number> => {
    const of = holders[slot];
    if (!of || generations[slot] !== generation || of.size === 0) throw staleSlot(slot, generation);
    return of;
  };
  const add = (slot: number, holder: SlotHolder) => {
    const of = holders[slot]!;
    of.set(holder, (of.get(holder) ?? 0) + 1);
    const slots = slotsByHolder.get(holder) ?? new Set();
    slotsByHolder.set(holder, slots.add(slot));
  };
  const forget = (slot: number, holder: SlotHolder) => {
    const of = holders[slot]!;
    if (!of.delete(holder) || of.size > 0) return;
    free.push(slot);
    onFree();
  };
  return {
    acquire: (holder) => {
      const slot = free.pop();
      if (slot === undefined) return undefined;
      const generation = generations[slot]! + 1;
      generations[slot] = generation;
      onGeneration(slot, generation);
      add(slot, holder);
      return { slot, generation };
    },
    hold: (handle, holder) => {
      checked(handle);
      add(handle.slot, holder);
    },
    release: ({ slot, generation }, holder) => {
      if (generations[slot] !== generation) return;
      const of = holders[slot]!;
      const times = of.get(holder);
      if (times === undefined) return;
      if (times > 1) of.set(holder, times - 1);
      else {
        const slots = slotsByHolder.get(holder);
        slots?.delete(slot);
        if (slots?.size === 0) slotsByHolder.delete(holder);
        forget(slot, holder);
      }
    },
    releaseAll: (holder) => {
      const slots = slotsByHolder.get(holder);
      slotsByHolder.delete(holder);
      for (const slot of slots ?? []) forget(slot, holder);
    },
    get free() {
      return free.length;
    },
  };
}

function staleSlot(slot: number, generation: number) {
  return engineErrors.STALE_SLOT(`slot ${slot} is no longer in generation ${generation}`, {
    slot,
    generation,
  });
}

/** Access to the slots for a thread: plain data that is shared, never copied. */
export interface SlotMemory {
  readonly pixels: SharedArrayBuffer;
  readonly generations: SharedArrayBuffer;
  readonly slotBytes: number;
  /** Bytes last looked at of each slot, in a process that has them copied. */
  readonly lengths?: Map<number, number>;
}

/**
 * The bytes of a slot, checked against its generation. *Borrowed while the turn that carries the handle
 * lasts.*
 */
export function slotView(
  memory: SlotMemory,
  { slot, generation }: SlotHandle,
  bytes = memory.slotBytes,
): Uint8Array {
  const generations = new Int32Array(memory.generations);
  if (slot >= generations.length || Atomics.load(generations, slot) !== generation)
    throw staleSlot(slot, generation);
  if (bytes > memory.slotBytes)
    throw new RangeError(`A slot of ${memory.slotBytes} bytes cannot hold ${bytes}`);
  memory.lengths?.set(slot, bytes);
  return new Uint8Array(memory.pixels, slot * memory.slotBytes, bytes);
}

export interface SlotPool {
  readonly memory: SlotMemory;
  readonly count: number;
  /** A new holder; whoever made it ends it with `releaseAll`. */
  holder(): SlotHolder;
  /**
   * Waits for a free slot, `now` before `later`, first come first served. Throws CANCELLED when the signal
   * aborts first.
   */
  acquire(holder: SlotHolder, signal?: AbortSignal, lane?: MailboxLane): Promise<SlotHandle>;
  /**
   * Acquires several slots at once: all of them or none, so that two callers that need several cannot
   * deadlock. `count` is at most that of the pool.
   */
  acquireAll(
    count: number,
    holder: SlotHolder,
    signal?: AbortSignal,
    lane?: MailboxLane,
  ): Promise<SlotHandle[]>;
  hold(handle: SlotHandle, holder: SlotHolder): void;
  release(handle: SlotHandle, holder: SlotHolder): void;
  releaseAll(holder: SlotHolder): void;
  view(handle: SlotHandle): Uint8Array;
  readonly free: number;
  /** Acquisitions waiting for a free slot. */
  readonly waiting: number;
}

/** `slotBytes`: bytes of one slot; the memory is `count × slotBytes` for as long as the pool lives. */
export function createSlotPool(count: number, slotBytes: number): SlotPool {
  const memory: SlotMemory = {
    pixels: new SharedArrayBuffer(count * slotBytes),
    generations: new SharedArrayBuffer(count * 4),
    slotBytes,
  };
  const generations = new Int32Array(memory.generations);
  const table = createSlotTable(
    count,
    (slot, generation) => Atomics.store(generations, slot, generation),
    () => line.serve(),
  );
  const line = new Line(() => table.free);
  const acquireAll: SlotPool['acquireAll'] = (needed, holder, signal, lane) =>
    line.wait(needed, () => Array.from({ length: needed }, () => table.acquire(holder)!), signal, lane);
  let lastHolder = 0;
  return {
    memory,
    count,
    holder: () => ++lastHolder,
    acquire: async (holder, signal, lane) => (await acquireAll(1, holder, signal, lane))[0]!,
    acquireAll,
    hold: table.hold,
    release: table.release,
    releaseAll: table.releaseAll,
    view: (handle) => slotView(memory, handle),
    get free() {
      return table.free;
    },
    get waiting() {
      return line.size;
    },
  };
}
