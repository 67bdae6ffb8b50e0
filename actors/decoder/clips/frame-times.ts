// The times of the pictures of a clip. Matroska writes whole milliseconds and transport streams whole 1/90000
// s: a film of an even rate would come out as one of uneven rate.
import type { Rational } from '../contract.ts';

/** Finer clocks are not made: players of mp4 multiply them by the length of a film. */
const finest = 1_000_000;

export interface FrameTimes {
  /** Seconds per tick of the clip. */
  readonly base: Rational;
  /**
   * Ticks of the clip for ticks of the source from the start of the clip on. Never falls where those rise.
   */
  of(at: number): number;
}

/**
 * Times in a clock that has both those of the source, in `base`, and those of an even `rate`. One that lies
 * within a tick of the source from where the rate has it was rounded, and is there again.
 */
export function frameTimes(base: Rational, rate: Rational | null): FrameTimes {
  const asIs = { base, of: (at: number) => at };
  const isWhole = !rate || (rate.den * base.den) % (rate.num * base.num) === 0;
  if (isWhole || base.num !== 1) return asIs;
  const perSecond = leastCommonMultiple(base.den, rate.num);
  if (perSecond > finest) return asIs;
  const tick = perSecond / base.den;
  const step = (perSecond / rate.num) * rate.den;
  const of = (at: number) => {
    const exact = at * tick;
    const even = Math.round(exact / step) * step;
    return Math.abs(even - exact) <= tick ? even : exact;
  };
  return { base: { num: 1, den: perSecond }, of };
}

function leastCommonMultiple(a: number, b: number): number {
  let [common, rest] = [a, b];
  while (rest > 0) [common, rest] = [rest, common % rest];
  return (a / common) * b;
}
