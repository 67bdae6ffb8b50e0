// What is being written in one analysis folder, of whatever kind: open stages and compactions. The lease is held from the
// first of them to the end of the last, so two processes can take turns.
import type { Environment, Writes } from './environment.ts';
import { putFormat } from './format.ts';
import { HeldLease, type LeaseOptions } from './held-lease.ts';

export interface OpenStage {
  readonly hash: string;
  readonly modelKey: string;
}

/** One kind of what is written. */
export interface WorkKind {
  /** Something of it goes on beside its stages. */
  readonly isBusy: boolean;
  /** Nothing of any kind goes on: what is open for stages is freed. */
  idle(): void;
}

export class OpenWork {
  readonly #environment: Environment;
  readonly #lease: HeldLease;
  readonly #clear: () => void;
  readonly #stages = new Set<OpenStage>();
  readonly #kinds: WorkKind[] = [];
  #count = 0;

  /** `clear` removes what writers that ended in the middle left; called for the first stage, with the lease held. */
  constructor(environment: Environment, options: LeaseOptions, clear: () => void) {
    this.#environment = environment;
    this.#lease = new HeldLease(environment, options);
    this.#clear = clear;
  }

  add(kind: WorkKind): void {
    this.#kinds.push(kind);
  }

  /** Holds the lease. */
  get isBusy(): boolean {
    return this.#stages.size > 0 || this.#kinds.some((kind) => kind.isBusy);
  }

  /** Another one for each writer. */
  get token(): string {
    return this.#lease.token;
  }

  /** Any open stage of one of these contents. */
  stageOf(hashes: { has(hash: string): boolean }): OpenStage | undefined {
    return [...this.#stages].find(({ hash }) => hashes.has(hash));
  }

  /** Open stages of these contents. */
  stagesOf(hashes: { has(hash: string): boolean }): OpenStage[] {
    return [...this.#stages].filter(({ hash }) => hashes.has(hash));
  }

  /** `open` makes the stage; `token` is its own name for parts. Throws STORE_IN_USE naming the process that writes here. */
  begin<S extends OpenStage>(open: (token: string) => S): S {
    const isFirst = this.#stages.size === 0;
    if (isFirst) this.#lease.take(putFormat);
    try {
      if (isFirst) this.#clear();
      const stage = open(`${this.#lease.token}-${++this.#count}`);
      this.#stages.add(stage);
      return stage;
    } catch (error) {
      this.settle();
      throw error;
    }
  }

  /** The stage has ended, whatever became of it. */
  end(stage: OpenStage): void {
    this.#stages.delete(stage);
    this.settle();
  }

  /** For work that is over when this returns. Throws STORE_IN_USE when another process writes here. */
  exclusively<T>(work: () => T): T {
    if (this.#stages.size === 0) this.#lease.take(putFormat);
    try {
      return work();
    } finally {
      this.settle();
    }
  }

  /** For work that says itself that it is busy, and settles. */
  hold(): void {
    if (this.isBusy) this.confirm();
    else this.#lease.take(putFormat);
  }

  /** Throws when this is not the folder, or not its writer, any more. */
  confirm(): void {
    this.#environment.requireSame();
    this.#environment.refresh();
    this.#lease.confirm(this.#environment);
  }

  /** The same for a transaction, which sees the folder as it is. */
  confirmIn(writes: Pick<Writes, 'get'>): void {
    this.#lease.confirm(writes);
  }

  /** Gives the lease back when nothing goes on. */
  settle(): void {
    if (this.isBusy) return;
    for (const kind of this.#kinds) kind.idle();
    this.#lease.release();
  }
}
