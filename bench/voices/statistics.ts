// Means with their spread: over voices, or over conversations.
import { seeded } from '../diarization/random.ts';

export interface Spread {
  readonly mean: number;
  /** Standard deviation of the sample; 0 for a single value. */
  readonly deviation: number;
  /** In which the mean of nine in ten other draws of as many would lie (percentile bootstrap). */
  readonly interval: readonly [number, number];
}

const draws = 2000;

export const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

/** The same values give the same spread. Throws RangeError without values. */
export function spreadOf(values: readonly number[], seed = 1): Spread {
  if (values.length === 0) throw new RangeError('no values');
  const random = seeded(seed);
  const middle = mean(values);
  const squares = values.reduce((sum, x) => sum + (x - middle) ** 2, 0);
  const means = Array.from({ length: draws }, () => {
    let sum = 0;
    for (let at = 0; at < values.length; at++) sum += values[random.below(values.length)]!;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return {
    mean: middle,
    deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0,
    interval: [means[Math.floor(0.05 * draws)]!, means[Math.ceil(0.95 * draws) - 1]!],
  };
}

/** Mean of the largest tenth, of one value at least. */
export function worstTenth(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => b - a);
  return mean(sorted.slice(0, Math.max(1, Math.round(values.length / 10))));
}
