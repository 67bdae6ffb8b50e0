// Exact seconds as fractions, as FCPXML writes them.
import type { Rational } from '../../decoder/contract.ts';

export interface Seconds {
  readonly num: bigint;
  readonly den: bigint;
}

export function secondsOf(frames: number, { num, den }: Rational): Seconds {
  return lowest(BigInt(frames) * BigInt(den), BigInt(num));
}

export function sum(a: Seconds, b: Seconds): Seconds {
  return lowest(a.num * b.den + b.num * a.den, a.den * b.den);
}

/** `1001/30000s`, `2s`. */
export function shownSeconds({ num, den }: Seconds): string {
  return den === 1n ? `${num}s` : `${num}/${den}s`;
}

function lowest(num: bigint, den: bigint): Seconds {
  let [a, b] = [num, den];
  while (b > 0n) [a, b] = [b, a % b];
  return { num: num / a, den: den / a };
}
