// Work that was running in a crash comes last and alone, so that a second crash tells which it was: after the other work of
// all lanes, and one piece at a time.
import { Condition } from '../../../runtime/sync/condition.ts';
import { SharedLock } from '../../../runtime/sync/shared-lock.ts';

/** A lane, as far as the order of its work matters. */
interface Lane {
  readonly needs: readonly string[];
  readonly stages: readonly { readonly stage: { readonly kind: { readonly type: string } } }[];
}

export class LastWork {
  /** Lanes that have other work left. */
  readonly #busy: Set<Lane>;
  readonly #lanes: readonly Lane[];
  readonly #changed = new Condition();
  /** Other work shares it. */
  readonly lock = new SharedLock();

  constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes;
    this.#busy = new Set(lanes);
  }

  /** Nothing is left of the lane but what comes last. */
  reached(lane: Lane): void {
    if (this.#busy.delete(lane)) this.#changed.notifyAll();
  }

  /** Resolves when no lane has other work left, apart from those that wait for this one. */
  async turn(lane: Lane): Promise<void> {
    this.reached(lane);
    const others = this.#lanes.filter((other) => other !== lane && !this.#waitsFor(other, lane));
    while (others.some((other) => this.#busy.has(other))) await this.#changed.wait();
  }

  /** What a lane needs is done by lanes before it, so this ends. */
  #waitsFor(lane: Lane, other: Lane): boolean {
    return this.#lanes.some((between) => {
      const needed = between.stages.some(({ stage }) => lane.needs.includes(stage.kind.type));
      return needed && (between === other || this.#waitsFor(between, other));
    });
  }
}
