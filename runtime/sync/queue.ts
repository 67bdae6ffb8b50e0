// A bounded queue between producers and consumers in one thread.

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
