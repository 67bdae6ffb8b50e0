// The equal error rate: where misses and false acceptances of pairs are equally frequent.

/** Similarities of pairs that are of one voice, and of pairs that are not. */
export interface Pairs {
  readonly same: readonly number[];
  readonly other: readonly number[];
}

/** Shares of the pairs of one voice below `threshold`, and of those of two voices not below it. */
export function errorsAt({ same, other }: Pairs, threshold: number): { missed: number; confused: number } {
  const below = (values: readonly number[]) => values.filter((value) => value < threshold).length;
  return { missed: below(same) / same.length, confused: 1 - below(other) / other.length };
}

/**
 * The rate where missed and confused pairs cross, and the similarity there. Between two similarities that
 * leave one or the other larger it is the mean of both where they are closest. Both lists have to hold
 * something.
 */
export function equalError({ same, other }: Pairs): { rate: number; threshold: number } {
  const ascending = (values: readonly number[]) => Float64Array.from(values).sort();
  const [alike, unlike] = [ascending(same), ascending(other)];
  if (alike.length === 0 || unlike.length === 0)
    throw new RangeError('pairs of one and of two voices are needed');
  let best = { rate: 1, threshold: 0, apart: Number.POSITIVE_INFINITY };
  let [missed, passed] = [0, 0];
  for (const threshold of ascending([...same, ...other])) {
    while (missed < alike.length && alike[missed]! < threshold) missed++;
    while (passed < unlike.length && unlike[passed]! < threshold) passed++;
    const misses = missed / alike.length;
    const confusions = 1 - passed / unlike.length;
    const apart = Math.abs(misses - confusions);
    if (apart < best.apart) best = { rate: (misses + confusions) / 2, threshold, apart };
  }
  return { rate: best.rate, threshold: best.threshold };
}
