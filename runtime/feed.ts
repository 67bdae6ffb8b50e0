// The consumer's half of a feed: items that arrived and were not yet taken, and the credit that lets the producer send
// more. For a feed with slots every credit is a free slot, so "no free slot" and "no credit" are the same wait.
import type { SlotHandle } from './contract.ts';
import type { EngineError } from './errors.ts';
import type { Holder, SlotPool } from './slots.ts';

export interface FeedItem {
  readonly value: unknown;
  readonly slots: readonly SlotHandle[];
}

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
  /** True while the producer has no credit left. */
  consumerIsSlow(): boolean;
}

/** `pool` given: the feed's credit is slots of this pool. `window`: credit in flight at most. */
export function createFeedStream(window: number, pool: SlotPool | undefined): FeedStream {
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
  /** Finds one slot for the producer. It is held by the producer's turn, so it is freed with that turn. */
  const seek = async () => {
    if (!pool) return;
    const handle = await pool.acquire(turn, seeking.signal).catch(() => undefined);
    if (!handle) return;
    if (seeking.signal.aborted) return pool.release(handle, turn);
    outstanding++;
    grant(1, [handle]);
  };
  /** Plain credit goes back in halves of the window: one message for many items. */
  const payBack = () => {
    if (pool) return void seek();
    if (++owed < Math.max(1, window >> 1)) return;
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
      if (pool) for (let i = 0; i < window; i++) void seek();
    },
    push: (value, slots, from) => {
      for (const handle of slots) {
        pool?.hold(handle, consumer);
        pool?.release(handle, from);
      }
      outstanding--;
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
      if (ended === 'open') payBack();
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
