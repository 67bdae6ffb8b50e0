// The compactions of one kind of packs that are under way in one folder: one a model, each going on with a
// message of its own. One that nobody goes on with is given up, so that the lease is not held for it.
import type { Clock } from '../../../runtime/clock.ts';
import type { Disk } from './disk.ts';
import type { Environment, Writes } from './environment.ts';

/** What one step does at most. */
export interface CompactionStep {
  /** Records that are read, or copied, or moved. */
  readonly records: number;
  /** Of rows that are copied. */
  readonly bytes: number;
}

/** Some 5 ms. */
export const usualStep: CompactionStep = { records: 256, bytes: 2 << 20 };

export interface CompactionParts {
  readonly folder: string;
  readonly environment: Environment;
  readonly on: Disk;
  readonly size: CompactionStep;
  /** Throws when this writer may not write any more. */
  readonly confirm: (writes: Writes) => void;
}

/** Packs with less garbage are not worth it. */
export const leastGarbageRows = 4096;

/** Steps follow one another at once; whoever sent them may have ended. */
export const givenUpAfterMs = 10_000;

/** Rewrites the packs of one model, a part at a time. */
export interface CompactionWork {
  /** Records name the new packs, or may: it has to be finished. */
  readonly isPublishing: boolean;
  /** True when it is done. */
  step(): boolean;
  /** Ends it; what was copied goes. */
  abandon(): void;
}

export interface CompactorParts {
  readonly clock: Clock;
  /** What begins it; null when there is nothing to do. */
  readonly due: (modelKey: string) => (() => CompactionWork) | null;
  /** One was given up because nobody went on with it. */
  readonly givenUp: (fault: unknown) => void;
}

interface Running {
  readonly compaction: CompactionWork;
  cancelTimer: () => void;
}

export class Compactor {
  readonly #parts: CompactorParts;
  readonly #running = new Map<string, Running>();

  constructor(parts: CompactorParts) {
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Models of which one is under way. */
  get modelKeys(): string[] {
    return [...this.#running.keys()];
  }

  /** Something is to do. */
  wants(modelKey: string): boolean {
    return this.#running.has(modelKey) || this.#parts.due(modelKey) !== null;
  }

  /**
   * One step, for whoever holds the lease while nobody appends to the packs; true when there is no more to
   * do.
   */
  step(modelKey: string): boolean {
    const running = this.#running.get(modelKey) ?? this.#begin(modelKey);
    if (running === null) return true;
    running.cancelTimer();
    let done = true;
    try {
      done = running.compaction.step();
    } finally {
      if (done) this.#running.delete(modelKey);
      else running.cancelTimer = this.#watch(modelKey);
    }
    return done;
  }

  #begin(modelKey: string): Running | null {
    const begin = this.#parts.due(modelKey);
    if (begin === null) return null;
    const running = { compaction: begin(), cancelTimer: () => {} };
    this.#running.set(modelKey, running);
    return running;
  }

  #watch(modelKey: string): () => void {
    return this.#parts.clock.after(givenUpAfterMs, () => {
      let fault: unknown = null;
      try {
        this.end(modelKey);
      } catch (error) {
        fault = error;
      }
      this.#parts.givenUp(fault);
    });
  }

  /** Before the packs are appended to: what was copied goes, and what has begun to move is moved whole. */
  end(modelKey: string): void {
    const running = this.#running.get(modelKey);
    if (running === undefined) return;
    running.cancelTimer();
    this.#running.delete(modelKey);
    if (!running.compaction.isPublishing) running.compaction.abandon();
    else while (!running.compaction.step());
  }

  /** Before anything is removed: nothing is copied that goes. */
  endAll(): void {
    for (const modelKey of [...this.#running.keys()]) this.end(modelKey);
  }

  /** Before stages are removed: none is half moved then. */
  settle(): void {
    for (const [modelKey, { compaction }] of [...this.#running])
      if (compaction.isPublishing) this.end(modelKey);
  }

  /** Whatever state it is in: the next one goes on from there. */
  abandon(modelKey: string): void {
    const running = this.#running.get(modelKey);
    running?.cancelTimer();
    this.#running.delete(modelKey);
    running?.compaction.abandon();
  }

  abandonAll(): void {
    for (const modelKey of [...this.#running.keys()]) this.abandon(modelKey);
  }
}
