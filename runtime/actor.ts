// An actor is a contract, the number of turns it runs at once, and a function that makes its handlers inside
// the thread that will run them. Handlers see a turn, never a thread, a port or another actor.
import type { AskName, Contract, FeedItem, FeedName, Reply, Request, SlotHandle } from './contract.ts';
import type { Log } from './log.ts';

/** One message being worked on. */
export interface Turn {
  /** Aborted when the caller cancels or the actor is asked to stop. Needs the event loop to have turned. */
  readonly signal: AbortSignal;
  /**
   * True as soon as the turn should end, also while the event loop is blocked by native code: one atomic
   * load, about 5 ns. Loops over packets, frames or batches ask it every round.
   */
  cancelled(): boolean;
  /** Throws CANCELLED when `cancelled()`; a sign of life too, for loops over packets, records and rows. */
  throwIfCancelled(): void;
  /**
   * A sign of life: the turn is not stuck, however long it has been running. For a turn that waits for others
   * or works in steps, each well within the limit; to be called with every step, never by a timer. It is seen
   * while the event loop is blocked, and takes about 10 ns.
   */
  alive(): void;
  /**
   * Waits until `bytes` of memory may be used, and keeps them until the answer is called or the turn ends.
   * One reservation at a time; no slot is waited for while it lasts, else two turns might wait for each
   * other. Errors: OVER_BUDGET with the `limit` in its details, CANCELLED.
   */
  reserve(bytes: number): Promise<() => void>;
  /**
   * The bytes of a slot, or the first `bytes` of them: an actor in a process of its own has so many copied.
   * *Borrowed until the end of the turn.* Throws STALE_SLOT for a handle of an earlier filling.
   */
  slot(handle: SlotHandle, bytes?: number): Uint8Array;
  readonly log: Log;
}

/** The turn of a feed that fills slots. */
export interface FeedTurn extends Turn {
  /**
   * The next free slot this feed was granted; waits for credit. All slots of an item are granted together, so
   * only the first of them is waited for. Throws CANCELLED when the turn ends meanwhile.
   */
  freeSlot(): Promise<SlotHandle>;
}

/** A value that a handler answers, with the slots and buffers that go with it. */
export class Sent<T> {
  readonly value: T;
  /** Slots the value speaks of; the receiver becomes a holder. */
  readonly slots: readonly SlotHandle[];
  /** Buffers that are moved, not copied. Pooled Buffers cannot be moved. */
  readonly transfer: readonly ArrayBuffer[];

  constructor(value: T, travels: { slots?: readonly SlotHandle[]; transfer?: readonly ArrayBuffer[] }) {
    this.value = value;
    this.slots = travels.slots ?? [];
    this.transfer = travels.transfer ?? [];
  }
}

export type Handlers<C extends Contract> = {
  readonly [K in AskName<C>]: (
    request: Request<C, K>,
    turn: Turn,
  ) => Promise<Reply<C, K> | Sent<Reply<C, K>>> | Reply<C, K> | Sent<Reply<C, K>>;
} & {
  readonly [K in FeedName<C>]: (
    request: Request<C, K>,
    turn: FeedTurn,
  ) => AsyncIterable<FeedItem<C, K> | Sent<FeedItem<C, K>>>;
};

/** Environment of a thread when it starts. `settings` is plain data chosen by the composition root. */
export interface ActorEnv<S = unknown> {
  readonly settings: S;
  readonly log: Log;
  /** Aborted when the actor is asked to stop; turns are given their own signal. */
  readonly stopping: AbortSignal;
}

export interface ActorInstance<C extends Contract> {
  readonly handlers: Handlers<C>;
  /** Frees everything the actor owns. Called once, after the last turn has ended. */
  close?(): Promise<void> | void;
}

export interface ActorDefinition<C extends Contract = Contract, S = unknown> {
  readonly contract: C;
  create(env: ActorEnv<S>): Promise<ActorInstance<C>> | ActorInstance<C>;
}

export function actor<C extends Contract, S>(definition: ActorDefinition<C, S>): ActorDefinition<C, S> {
  return definition;
}
