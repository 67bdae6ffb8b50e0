// How well one ranking answers, what chance would reach, and how far a mean over queries may be off.
import { seeded } from '../diarization/random.ts';

export interface Ranked {
  readonly hit1: number;
  readonly hit3: number;
  /** Average precision. */
  readonly precision: number;
}

/** `right`: whether each picture is, best score first. */
export function ranked(right: readonly boolean[]): Ranked {
  let hits = 0;
  let sum = 0;
  right.forEach((is, i) => {
    if (is) sum += ++hits / (i + 1);
  });
  return {
    hit1: right[0] ? 1 : 0,
    hit3: right.slice(0, 3).some(Boolean) ? 1 : 0,
    precision: hits === 0 ? 0 : sum / hits,
  };
}

/** The same, expected of a random order of `count` pictures of which `right` are. */
export function byChance(right: number, count: number): Ranked {
  const none3 = [0, 1, 2].reduce((share, i) => share * Math.max(0, (count - right - i) / (count - i)), 1);
  let precision = 0;
  // Before a right picture at place k, the k-1 others hold (right-1)/(count-1) right ones each.
  for (let k = 1; k <= count; k++)
    precision += (1 + ((k - 1) * (right - 1)) / Math.max(1, count - 1)) / k / count;
  return { hit1: right / count, hit3: 1 - none3, precision };
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** 5th and 95th percentile of the mean, over samples of the values drawn with replacement. */
export function spread(values: readonly number[]): readonly [number, number] {
  const random = seeded(1);
  const means = Array.from({ length: 2000 }, () =>
    mean(values.map(() => values[random.below(values.length)]!)),
  ).toSorted((a, b) => a - b);
  return [means[100]!, means[1899]!];
}

/** The interval in which a share of so many lies with 90 % (Wilson). */
export function wilson(some: number, of: number): readonly [number, number] {
  if (of === 0) return [0, 1];
  const z = 1.645;
  const share = some / of;
  const middle = share + z ** 2 / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  const whole = 1 + z ** 2 / of;
  return [(middle - half) / whole, (middle + half) / whole];
}

/** 5th and 95th percentile of the share of some of many in each query, over samples of the queries. */
export function spreadOfShare(
  queries: readonly (readonly [some: number, of: number])[],
): readonly [number, number] {
  const random = seeded(1);
  const shares = Array.from({ length: 2000 }, () => {
    const drawn = queries.map(() => queries[random.below(queries.length)]!);
    const [some, of] = drawn.reduce<readonly [number, number]>(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
    return of === 0 ? 0 : some / of;
  }).toSorted((a, b) => a - b);
  return [shares[100]!, shares[1899]!];
}
