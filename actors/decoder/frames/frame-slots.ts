// The slots of a frame: one for each shape that was asked for.
import type { FeedTurn } from '../../../runtime/actor.ts';
import type { SlotHandle } from '../../../runtime/contract.ts';

export class FrameSlots {
  readonly #turn: FeedTurn;
  readonly #count: number;
  /**
   * Taken and not sent yet: a second attempt at the same frame uses them again, since there may be no others.
   */
  #taken: SlotHandle[] = [];

  constructor(turn: FeedTurn, count: number) {
    this.#turn = turn;
    this.#count = count;
  }

  /** Waits for all slots of a frame. The same slots are returned until `sent`. */
  async take(): Promise<{ readonly handles: readonly SlotHandle[]; readonly bytes: readonly Uint8Array[] }> {
    while (this.#taken.length < this.#count) this.#taken.push(await this.#turn.freeSlot());
    const handles = this.#taken;
    return { handles, bytes: handles.map((handle) => this.#turn.slot(handle)) };
  }

  /** The frame is handed over, and its slots with it. */
  sent() {
    this.#taken = [];
  }
}
