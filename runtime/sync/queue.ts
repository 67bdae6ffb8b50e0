// A bounded queue between producers and consumers in one thread.
import type { Clock } from '../clock.ts';

export interface Queue<T> {
  /** Waits while the queue is full. False when the queue was closed meanwhile. */
  put(value: T): Promise<boolean>;
  /** Waits for a value; undefined when the queue is closed and empty. */
  take(): Promise<T | undefined>;
  /** Nothing more will be put. */
  close(): void;
}

export function createQueue<T>(capacity: number): Queue<T> {
  const values: T[] = [];
  let closed = false;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  return {
    put: async (value) => {
      while (values.length >= capacity && !closed) await changed.promise;
      if (closed) return false;
      values.push(value);
      change();
      return true;
    },
    take: async () => {
      while (values.length === 0 && !closed) await changed.promise;
      const value = values.shift();
      change();
      return value;
    },
    close: () => {
      closed = true;
      change();
    },
  };
}

// Conflation: the latest value of each key is kept, and emitted at most every `everyMs`; the last one always
// is. Pure but for the clock it is given.

interface Conflation<K, V> {
  /** Replaces what waits under this key. */
  put(key: K, value: V): void;
  /** Emits what waits now, in the order the keys first came. */
  flush(): void;
}

export function conflate<K, V>(
  clock: Clock,
  everyMs: number,
  emit: (value: V, key: K) => void,
): Conflation<K, V> {
  const waiting = new Map<K, V>();
  let last = Number.NEGATIVE_INFINITY;
  let timer: (() => void) | undefined;
  const flush = () => {
    timer?.();
    timer = undefined;
    if (waiting.size === 0) return;
    last = clock.now();
    const now = [...waiting];
    waiting.clear();
    for (const [key, value] of now) emit(value, key);
  };
  return {
    put: (key, value) => {
      waiting.set(key, value);
      if (timer) return;
      const due = last + everyMs - clock.now();
      if (due <= 0) flush();
      else timer = clock.after(due, flush);
    },
    flush,
  };
}
