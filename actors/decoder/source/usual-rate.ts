// The nominal rate of a film: that of most of its pictures. What containers average is too low where a phone
// dropped pictures, and where the first picture of a fragment counts twice.
import type { Rational } from '../contract.ts';

/** Rates at which pictures are recorded. */
const nominal: readonly Rational[] = [
  ...[8, 10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 200, 240].map((num) => ({ num, den: 1 })),
  ...[15, 24, 30, 48, 60, 120, 240].map((thousand) => ({ num: thousand * 1000, den: 1001 })),
];
/** Largest share by which a measured rate may differ from the nominal one. */
const mostOff = 0.01;
/** Largest share by which equal distances differ: clocks of phones jitter. */
const jitter = 0.06;
/** Distances needed to say anything, and the share of them that must be equal. */
const fewest = { steps: 8, share: 0.5 };

/** `times`: of consecutive pictures, ascending, in ticks of so many seconds. Null where no rate is usual. */
export function usualRate(times: readonly number[], tick: number): Rational | null {
  const steps = times
    .slice(1)
    .map((time, i) => time - times[i]!)
    .filter((step) => step > 0)
    .sort((a, b) => a - b);
  if (steps.length < fewest.steps) return null;
  const equal = mostEqual(steps);
  if (equal.length < fewest.share * steps.length) return null;
  const step = (equal.reduce((sum, value) => sum + value, 0) / equal.length) * tick;
  const off = ({ num, den }: Rational) => Math.abs((num / den) * step - 1);
  const nearest = nominal.reduce((best, rate) => (off(rate) < off(best) ? rate : best));
  return off(nearest) <= mostOff ? nearest : null;
}

/** The longest run of ascending steps that differ by jitter and rounding only. */
function mostEqual(steps: readonly number[]): readonly number[] {
  let best: readonly number[] = [];
  for (let from = 0, to = 0; from < steps.length; from++) {
    const limit = Math.max(steps[from]! * (1 + 2 * jitter), steps[from]! + 1);
    while (to < steps.length && steps[to]! <= limit) to++;
    if (to - from > best.length) best = steps.slice(from, to);
  }
  return best;
}
