// Primitives to wait for: a share of something, a permit, a key, a lock, a notification.
import { engineErrors } from '../errors.ts';
import { createMailbox, type MailboxLane } from '../mailbox.ts';

interface Waiting {
  readonly amount: number;
  grant(): void;
}

// Waiting line for shares of a fixed amount. It is served in order, whatever the size of a share, because a
// large one might wait forever otherwise.
export class Line {
  readonly #free: () => number;
  readonly #waiting = createMailbox<Waiting>(Infinity);

  /** `free`: how much there is now. */
  constructor(free: () => number) {
    this.#free = free;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Calls `take` as soon as `amount` is free, at once where nobody waits. Throws CANCELLED when the signal
   * aborts first.
   */
  wait<T>(amount: number, take: () => T, signal?: AbortSignal, lane: MailboxLane = 'later'): Promise<T> {
    if (signal?.aborted) return Promise.reject(engineErrors.CANCELLED());
    if (this.size === 0 && amount <= this.#free()) return Promise.resolve(take());
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        amount,
        grant: () => {
          signal?.removeEventListener('abort', abort);
          resolve(take());
        },
      };
      const abort = () => {
        this.#waiting.remove(entry);
        reject(engineErrors.CANCELLED());
        this.serve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.offer(lane, entry);
    });
  }

  /** To be called when more has become free. */
  serve(): void {
    for (let next = this.#waiting.peek(); next && next.amount <= this.#free(); next = this.#waiting.peek()) {
      this.#waiting.take();
      next.grant();
    }
  }
}

// Runs a bounded number of pieces of work at the same time, urgent ones first.

interface SemaphoreOptions {
  readonly urgent?: boolean;
  /** Ends the wait for a permit; work that has begun goes on. */
  readonly signal?: AbortSignal | undefined;
}

export class Semaphore {
  #free: number;
  readonly #line = new Line(() => this.#free);

  /** `permits`: pieces of work at the same time, at least 1. */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** Pieces of work without a permit yet. */
  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Runs `work` as soon as there is a permit. Within a lane, first come first served. Rejects as `work` does,
   * and with CANCELLED when the signal aborts before there is a permit.
   */
  async run<T>(work: () => Promise<T>, { urgent = false, signal }: SemaphoreOptions = {}): Promise<T> {
    await this.#line.wait(1, () => this.#free--, signal, urgent ? 'now' : 'later');
    try {
      return await work();
    } finally {
      this.#free++;
      this.#line.serve();
    }
  }
}

// A semaphore with one permit: one piece of work at a time.
export class Mutex extends Semaphore {
  constructor() {
    super(1);
  }
}

// One lock for each key: work on the same key waits, work on other keys goes on.
export class KeyedLock {
  readonly #promises = new Map<string, Promise<void>>();

  /** Waits, by `wait`, while another holder has the key. Answers the function that releases it. */
  async acquire(
    key: string,
    wait: (earlier: Promise<void>) => Promise<void> = (earlier) => earlier,
  ): Promise<() => void> {
    for (let earlier = this.#promises.get(key); earlier; earlier = this.#promises.get(key)) {
      await wait(earlier);
    }
    // No await between the check and the set: of several that wait, one goes on.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#promises.set(key, promise);
    return () => {
      this.#promises.delete(key);
      resolve();
    };
  }
}

// A condition variable: a waiter checks its predicate, waits for a notification, and checks again.
export class Condition {
  #waiting: (() => void)[] = [];

  notifyAll(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  /** Resolves at the next notification, or when the signal aborts; at once when it is aborted already. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (!signal) return void this.#waiting.push(resolve);
      if (signal.aborted) return resolve();
      const go = () => {
        signal.removeEventListener('abort', go);
        resolve();
      };
      // If nobody notifies, the listener goes with the signal.
      signal.addEventListener('abort', go, { once: true });
      this.#waiting.push(go);
    });
  }
}

// A lock that many hold together or one holds alone. Whoever waits to be alone goes before those that come
// later.

export class SharedLock {
  #together = 0;
  #isAlone = false;
  #waiting = 0;
  readonly #changed = new Condition();

  /** Waits, by `wait`, while somebody is alone or waits to be. Answers the function that releases it. */
  async share(wait: (earlier: Promise<void>) => Promise<void> = (earlier) => earlier): Promise<() => void> {
    while (this.#isAlone || this.#waiting > 0) await wait(this.#changed.wait());
    this.#together++;
    return () => {
      this.#together--;
      this.#changed.notifyAll();
    };
  }

  /** Runs `work` while nobody else has the lock. Rejects as `work` does. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    while (this.#isAlone || this.#together > 0) await this.#changed.wait();
    this.#waiting--;
    this.#isAlone = true;
    try {
      return await work();
    } finally {
      this.#isAlone = false;
      this.#changed.notifyAll();
    }
  }
}
