// A map of at most so many entries: the one that was not asked for for the longest time goes first.

export interface Bounded<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  readonly size: number;
  clear(): void;
}

export function createBounded<V>(most: number): Bounded<V> {
  const entries = new Map<string, V>();
  return {
    get: (key) => {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      for (const oldest of entries.keys()) {
        if (entries.size <= most) break;
        entries.delete(oldest);
      }
    },
    get size() {
      return entries.size;
    },
    clear: () => entries.clear(),
  };
}
