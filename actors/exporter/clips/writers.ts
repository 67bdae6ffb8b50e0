// The threads that write clips and proxies, each one file at a time. None else has work for them.
import type { Ref } from '../../../runtime/ref.ts';
import { Semaphore } from '../../../runtime/sync/semaphore.ts';
import type { decoderContract } from '../../decoder/contract.ts';

export type Writer = Ref<typeof decoderContract>;

export class Writers {
  readonly #idle: Writer[];
  readonly #permits: Semaphore;

  /** At least one. */
  constructor(writers: readonly Writer[]) {
    this.#idle = [...writers];
    this.#permits = new Semaphore(writers.length);
  }

  /** Pieces of work that wait for a thread. */
  get waiting(): number {
    return this.#permits.waiting;
  }

  /** Throws CANCELLED when the signal aborts while it waits. */
  run<T>(work: (writer: Writer) => Promise<T>, signal: AbortSignal): Promise<T> {
    const alone = async () => {
      const writer = this.#idle.shift()!;
      try {
        return await work(writer);
      } finally {
        this.#idle.push(writer);
      }
    };
    return this.#permits.run(alone, { signal });
  }
}
