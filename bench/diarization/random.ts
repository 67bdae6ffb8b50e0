// A seeded random generator.

export interface Random {
  /** Evenly in [from, to). */
  between(from: number, to: number): number;
  /** A whole number in [0, count). */
  below(count: number): number;
  shuffled<T>(items: readonly T[]): T[];
}

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    between: (from, to) => from + next() * (to - from),
    below,
    shuffled: (items) => {
      const list = [...items];
      for (let at = list.length - 1; at > 0; at--) {
        const partner = below(at + 1);
        [list[at], list[partner]] = [list[partner]!, list[at]!];
      }
      return list;
    },
  };
}
