// One turn of an actor, as its handler sees it, and the credit of its feed.
import type { FeedTurn } from './actor.ts';
import { overBudget } from './budget.ts';
import type { SlotHandle } from './contract.ts';
import { engineErrors } from './errors.ts';
import type { Log } from './log.ts';
import { slotView } from './slots.ts';
import { Condition } from './sync/condition.ts';
import { type CallId, type FromActor, type HostStart, lifeWord, STOP_WORD } from './wire.ts';

export class HostTurn implements FeedTurn {
  readonly log: Log;
  replyTransfer: readonly ArrayBuffer[] | undefined;
  readonly #abort = new AbortController();
  readonly #start: HostStart;
  readonly #control: Int32Array;
  readonly #word: number;
  readonly #life: number;
  readonly #id: CallId;
  readonly #post: (message: FromActor) => void;
  readonly #slots: SlotHandle[] = [];
  #credit = 0;
  /** A reservation of memory that is waited for or held. */
  #reservation: PromiseWithResolvers<number | null> | null = null;
  /** Credit arrived, or the turn was cancelled. */
  readonly #changed = new Condition();

  constructor(
    start: HostStart,
    { id, word }: { readonly id: CallId; readonly word: number },
    log: Log,
    post: (message: FromActor) => void,
  ) {
    this.log = log;
    this.#id = id;
    this.#post = post;
    this.#start = start;
    this.#control = new Int32Array(start.control);
    this.#word = word;
    this.#life = lifeWord(this.#control, word);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  cancelled(): boolean {
    return Atomics.load(this.#control, STOP_WORD) !== 0 || Atomics.load(this.#control, this.#word) !== 0;
  }

  throwIfCancelled(): void {
    this.alive();
    if (this.cancelled()) throw engineErrors.CANCELLED();
  }

  alive(): void {
    Atomics.add(this.#control, this.#life, 1);
  }

  async reserve(bytes: number): Promise<() => void> {
    this.throwIfCancelled();
    if (this.#reservation) throw engineErrors.INTERNAL('a turn reserves memory while it holds some');
    const reservation = Promise.withResolvers<number | null>();
    this.#reservation = reservation;
    this.#post({ type: 'reserve', id: this.#id, bytes });
    const refused = await reservation.promise;
    if (refused !== null) {
      this.#reservation = null;
      throw overBudget(bytes, refused);
    }
    return () => {
      if (this.#reservation !== reservation) return;
      this.#reservation = null;
      this.#post({ type: 'release', id: this.#id });
    };
  }

  /** The answer to a reservation; `refused` is the limit when it is above it. */
  reserved(refused: number | null): void {
    this.#reservation?.resolve(refused);
  }

  slot(handle: SlotHandle): Uint8Array {
    if (!this.#start.memory) throw engineErrors.STALE_SLOT('this actor was given no slots');
    return slotView(this.#start.memory, handle);
  }

  async freeSlot(): Promise<SlotHandle> {
    await this.pay();
    const handle = this.#slots.shift();
    if (!handle) throw engineErrors.INTERNAL('a credit of this feed came without a slot');
    return handle;
  }

  /** Takes one credit, waiting until there is one. */
  async pay(): Promise<void> {
    this.throwIfCancelled();
    while (this.#credit === 0) {
      await this.#changed.wait();
      this.throwIfCancelled();
    }
    this.#credit--;
  }

  grant(credit: number, slots: readonly SlotHandle[]): void {
    this.#credit += credit;
    this.#slots.push(...slots);
    this.#changed.notifyAll();
  }

  cancel(): void {
    this.#abort.abort(engineErrors.CANCELLED());
    this.#reservation?.reject(engineErrors.CANCELLED());
    this.#changed.notifyAll();
  }
}
