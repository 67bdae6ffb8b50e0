// The consumer's half of a feed: items that arrived and were not yet taken, and the credit that lets the
// producer send more. For a feed with slots every credit is a free slot, so "no free slot" and "no credit"
// are the same wait. The slots of one item are granted together: a producer never holds a part of them while
// it waits for the rest.
import type { SlotHandle } from './contract.ts';
import type { EngineError } from './errors.ts';
import type { MailboxLane } from './mailbox.ts';
import type { SlotHolder, SlotPool } from './slots.ts';
import { Condition } from './sync/locks.ts';

interface FeedItem {
  readonly value: unknown;
  readonly slots: readonly SlotHandle[];
}

/** Credit of an item: one for each slot, and one for an item without slots. */
const creditOf = (slots: readonly SlotHandle[]) => Math.max(1, slots.length);

type Grant = (credit: number, slots: readonly SlotHandle[]) => void;

export class FeedStream {
  readonly #window: number;
  readonly #pool: SlotPool | undefined;
  readonly #slotsPerItem: number;
  readonly #lane: MailboxLane | undefined;
  readonly #items: FeedItem[] = [];
  /** The consumer, as a holder of slots. */
  readonly #consumer: SlotHolder;
  /** Aborted when no more credit is looked for. */
  readonly #shut = new AbortController();
  readonly #changed = new Condition();
  #state: 'open' | 'end' | EngineError = 'open';
  #turn: SlotHolder = 0;
  #grant: Grant = () => {};
  /** Credit the consumer has given back and the producer was not told of yet. */
  #pending = 0;
  /** Credit the producer has. */
  #outstanding = 0;

  /**
   * `window`: credit in flight at most. `pool`: given for a feed with slots, whose credit is slots of this
   * pool, `slotsPerItem` at a time, at most `window` of them. `lane`: in which it waits for them.
   */
  constructor(window: number, pool: SlotPool | undefined, slotsPerItem = 1, lane?: MailboxLane) {
    this.#window = window;
    this.#pool = pool;
    this.#slotsPerItem = slotsPerItem;
    this.#lane = lane;
    this.#consumer = pool?.holder() ?? 0;
  }

  /**
   * Credit the request itself carries: all of it for a plain feed, none where slots have to be found first.
   */
  firstCredit(): number {
    if (this.#pool) return 0;
    this.#outstanding = this.#window;
    return this.#window;
  }

  /** The turn has begun; `grant` sends credit to it. */
  open(turn: SlotHolder, grant: Grant): void {
    this.#turn = turn;
    this.#grant = grant;
    if (!this.#pool) return;
    const perItem = this.#slotsPerItem;
    for (let slots = perItem; slots <= this.#window; slots += perItem) void this.#grantSlots(this.#pool);
  }

  push(value: unknown, slots: readonly SlotHandle[], turn: SlotHolder): void {
    for (const handle of slots) {
      this.#pool?.hold(handle, this.#consumer);
      this.#pool?.release(handle, turn);
    }
    this.#outstanding -= creditOf(slots);
    this.#items.push({ value, slots });
    this.#changed.notifyAll();
  }

  take(): FeedItem | undefined {
    return this.#items.shift();
  }

  async next(): Promise<FeedItem | 'end'> {
    for (;;) {
      const item = this.#items.shift();
      if (item) return item;
      if (this.#state === 'end') return 'end';
      if (this.#state !== 'open') throw this.#state;
      await this.#changed.wait();
    }
  }

  /** The consumer is done with an item: its slots are released and its credit goes back. */
  used(item: FeedItem): void {
    for (const handle of item.slots) this.#pool?.release(handle, this.#consumer);
    if (this.#state !== 'open') return;
    this.#pending += creditOf(item.slots);
    this.#grantBack();
  }

  /** Finds the slots of one item. They are held by the producer's turn, so they are freed with that turn. */
  async #grantSlots(pool: SlotPool): Promise<void> {
    const { signal } = this.#shut;
    const acquired = pool.acquireAll(this.#slotsPerItem, this.#turn, signal, this.#lane);
    const handles = await acquired.catch(() => undefined);
    if (!handles) return;
    if (signal.aborted) {
      for (const handle of handles) pool.release(handle, this.#turn);
      return;
    }
    this.#outstanding += handles.length;
    this.#grant(handles.length, handles);
  }

  /**
   * Slots are looked for at once; plain credit goes back in halves of the window: one message for many items.
   */
  #grantBack(): void {
    if (this.#pool) {
      const perItem = this.#slotsPerItem;
      for (; this.#pending >= perItem; this.#pending -= perItem) void this.#grantSlots(this.#pool);
      return;
    }
    if (this.#pending < Math.max(1, this.#window >> 1)) return;
    this.#outstanding += this.#pending;
    this.#grant(this.#pending, []);
    this.#pending = 0;
  }

  end(): void {
    this.#state = 'end';
    this.#changed.notifyAll();
  }

  fail(error: EngineError): void {
    this.#state = error;
    this.#changed.notifyAll();
  }

  /** The producer's turn has ended: no more credit is looked for. */
  shut(): void {
    this.#shut.abort();
  }

  /** The consumer is gone: everything it held is released. */
  close(): void {
    this.#shut.abort();
    this.#pool?.releaseAll(this.#consumer);
  }

  /** True while the producer has no credit left for an item. */
  consumerIsSlow(): boolean {
    return this.#outstanding === 0;
  }
}
