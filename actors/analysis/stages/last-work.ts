// Work that was running in a crash comes last and alone, so that a second crash tells which it was: after the
// other work of all groups, and one piece at a time.
import { Condition } from '../../../runtime/sync/condition.ts';
import { SharedLock } from '../../../runtime/sync/shared-lock.ts';

/** A group, as far as the order of its work matters. */
interface StageGroup {
  readonly needs: readonly string[];
  readonly stages: readonly { readonly stage: { readonly kind: { readonly type: string } } }[];
}

export class LastWork {
  /** Groups that have other work left. */
  readonly #busy: Set<StageGroup>;
  readonly #groups: readonly StageGroup[];
  readonly #changed = new Condition();
  /** Other work shares it. */
  readonly lock = new SharedLock();

  constructor(groups: readonly StageGroup[]) {
    this.#groups = groups;
    this.#busy = new Set(groups);
  }

  /** Nothing is left of the group but what comes last. */
  reached(group: StageGroup): void {
    if (this.#busy.delete(group)) this.#changed.notifyAll();
  }

  /** Resolves when no group has other work left, apart from those that wait for this one. */
  async turn(group: StageGroup): Promise<void> {
    this.reached(group);
    const others = this.#groups.filter((other) => other !== group && !this.#waitsFor(other, group));
    while (others.some((other) => this.#busy.has(other))) await this.#changed.wait();
  }

  /** What a group needs is done by groups before it, so this ends. */
  #waitsFor(group: StageGroup, other: StageGroup): boolean {
    return this.#groups.some((between) => {
      const needed = between.stages.some(({ stage }) => group.needs.includes(stage.kind.type));
      return needed && (between === other || this.#waitsFor(between, other));
    });
  }
}
