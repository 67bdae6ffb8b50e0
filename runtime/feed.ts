// The consumer's half of a feed: items that arrived and were not yet taken, and the credit that lets the producer send
// more. For a feed with slots every credit is a free slot, so "no free slot" and "no credit" are the same wait. The slots
// of one item are granted together: a producer never holds a part of them while it waits for the rest.
import type { SlotHandle } from './contract.ts';
import type { EngineError } from './errors.ts';
import type { Holder, SlotPool } from './slots.ts';

export interface FeedItem {
  readonly value: unknown;
  readonly slots: readonly SlotHandle[];
}

/** What the producer paid for an item: a credit for each slot, and one for an item without slots. */
const creditOf = (slots: readonly SlotHandle[]) => Math.max(1, slots.length);

type Grant = (credit: number, slots: readonly SlotHandle[]) => void;

export interface FeedStream {
  /** Credit the request itself carries: all of it for a plain feed, none where slots have to be found first. */
  firstCredit(): number;
  /** The turn has begun; `grant` sends credit to it. */
  open(turn: Holder, grant: Grant): void;
  push(value: unknown, slots: readonly SlotHandle[], turn: Holder): void;
  take(): FeedItem | undefined;
  next(): Promise<FeedItem | 'end'>;
  /** The consumer is done with an item: its slots are released and its credit goes back. */
  used(item: FeedItem): void;
  end(): void;
  fail(error: EngineError): void;
  /** The producer's turn has ended: no more credit is looked for. */
  shut(): void;
  /** The consumer is gone: everything it held is released. */
  close(): void;
  /** True while the producer has no credit left for an item. */
  consumerIsSlow(): boolean;
}

/**
 * `window`: credit in flight at most. `pool` given: the feed's credit is slots of this pool, `slotsPerItem` at a time, at
 * most `window` of them.
 */
export function createFeedStream(window: number, pool?: SlotPool, slotsPerItem = 1): FeedStream {
  const items: FeedItem[] = [];
  const consumer = pool?.holder() ?? 0;
  const seeking = new AbortController();
  let ended: 'open' | 'end' | EngineError = 'open';
  let wake: (() => void) | undefined;
  let turn: Holder = 0;
  let grant: Grant = () => {};
  let owed = 0;
  let outstanding = 0;

  const wakeUp = () => {
    wake?.();
    wake = undefined;
  };
  /** Finds the slots of one item. They are held by the producer's turn, so they are freed with that turn. */
  const seek = async () => {
    if (!pool) return;
    const handles = await pool.acquireAll(slotsPerItem, turn, seeking.signal).catch(() => undefined);
    if (!handles) return;
    if (seeking.signal.aborted) {
      for (const handle of handles) pool.release(handle, turn);
      return;
    }
    outstanding += handles.length;
    grant(handles.length, handles);
  };
  /** Plain credit goes back in halves of the window: one message for many items. */
  const payBack = (credit: number) => {
    owed += credit;
    if (pool) {
      for (; owed >= slotsPerItem; owed -= slotsPerItem) void seek();
      return;
    }
    if (owed < Math.max(1, window >> 1)) return;
    outstanding += owed;
    grant(owed, []);
    owed = 0;
  };
  return {
    firstCredit: () => {
      if (pool) return 0;
      outstanding = window;
      return window;
    },
    open: (holder, send) => {
      turn = holder;
      grant = send;
      if (pool) for (let slots = slotsPerItem; slots <= window; slots += slotsPerItem) void seek();
    },
    push: (value, slots, from) => {
      for (const handle of slots) {
        pool?.hold(handle, consumer);
        pool?.release(handle, from);
      }
      outstanding -= creditOf(slots);
      items.push({ value, slots });
      wakeUp();
    },
    take: () => items.shift(),
    next: async () => {
      for (;;) {
        const item = items.shift();
        if (item) return item;
        if (ended === 'end') return 'end';
        if (ended !== 'open') throw ended;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    used: (item) => {
      for (const handle of item.slots) pool?.release(handle, consumer);
      if (ended === 'open') payBack(creditOf(item.slots));
    },
    end: () => {
      ended = 'end';
      wakeUp();
    },
    fail: (error) => {
      ended = error;
      wakeUp();
    },
    shut: () => seeking.abort(),
    close: () => {
      seeking.abort();
      pool?.releaseAll(consumer);
    },
    consumerIsSlow: () => outstanding === 0,
  };
}
