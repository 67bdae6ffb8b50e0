// Conflation: the latest value of each key is kept, and emitted at most every `everyMs`; the last one always
// is. Pure but for the clock it is given.
import type { Clock } from '../clock.ts';

export interface Conflation<K, V> {
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
