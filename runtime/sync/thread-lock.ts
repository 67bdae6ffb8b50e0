// A lock that the threads of a process hold one at a time, in the order in which they asked. It lies in
// shared memory; who waits for it does not block its thread.
import { threadId } from 'node:worker_threads';
import { engineErrors } from '../errors.ts';

/** Tickets at once. A ring this size has room for every thread of an engine many times over. */
const places = 1024;
/** Cells: the ticket whose turn it is, the next ticket, and for each ticket by its place who has it. */
const [turn, next, first] = [0, 1, 2];
/**
 * Marks of a place whose ticket nobody has yet, and of one whose owner waits no more. Owners are thread ids,
 * which begin at 0.
 */
const [free, left] = [0, -1];

/**
 * Longer than any process runs; kept only so that the process does not end while a promise of
 * `Atomics.waitAsync` waits.
 */
const never = 2 ** 31 - 1;

export class ThreadLock {
  readonly #cells: Int32Array<SharedArrayBuffer>;

  /** Memory for the locks of all threads. */
  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer((first + places) * Int32Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory);
  }

  /** Runs `work` alone. Rejects as it does, and with CANCELLED when `signal` aborts before its turn. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const ticket = await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#pass(ticket);
    }
  }

  /** Gives up what a thread that has ended held or waited for. */
  abandon(thread: number): void {
    const last = Atomics.load(this.#cells, next);
    for (let ticket = Atomics.load(this.#cells, turn); ticket !== last; ticket = (ticket + 1) | 0) {
      this.#leave(ticket, thread);
    }
  }

  async #turn(signal?: AbortSignal): Promise<number> {
    if (signal?.aborted) throw engineErrors.CANCELLED();
    const ticket = Atomics.add(this.#cells, next, 1);
    Atomics.store(this.#cells, placeOf(ticket), threadId + 1);
    const aborted = Promise.withResolvers<void>();
    const abort = () => aborted.resolve();
    signal?.addEventListener('abort', abort, { once: true });
    const alive = setInterval(() => {}, never);
    try {
      for (let now = Atomics.load(this.#cells, turn); now !== ticket; now = Atomics.load(this.#cells, turn)) {
        const { value } = Atomics.waitAsync(this.#cells, turn, now);
        await Promise.race([value, aborted.promise]);
        if (!signal?.aborted) continue;
        this.#leave(ticket, threadId);
        throw engineErrors.CANCELLED();
      }
      return ticket;
    } finally {
      clearInterval(alive);
      signal?.removeEventListener('abort', abort);
    }
  }

  #leave(ticket: number, thread: number): void {
    const place = placeOf(ticket);
    if (Atomics.compareExchange(this.#cells, place, thread + 1, left) !== thread + 1) return;
    // Its turn may have come meanwhile; whoever passed it on saw that somebody waited.
    if (Atomics.load(this.#cells, turn) === ticket) this.#pass(ticket);
  }

  /** Hands the turn on to the next ticket whose owner still waits, or to the next that is drawn. */
  #pass(ticket: number): void {
    let at = ticket;
    do {
      // Before the turn moves on: from then on, the place belongs to a later ticket.
      Atomics.store(this.#cells, placeOf(at), free);
      if (Atomics.compareExchange(this.#cells, turn, at, (at + 1) | 0) !== at) return;
      at = (at + 1) | 0;
    } while (Atomics.load(this.#cells, placeOf(at)) === left);
    Atomics.notify(this.#cells, turn);
  }
}

const placeOf = (ticket: number) => first + (ticket & (places - 1));
