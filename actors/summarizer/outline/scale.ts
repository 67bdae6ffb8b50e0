// How fine an outline is, by the length of what it outlines.

export interface Scale {
  /** Seconds that a leaf usually has: 4 in 10 seconds, 14 in 10 minutes, 38 in 3 hours. */
  readonly leaf: number;
  /** No leaf is shorter where it can be avoided: a part is not a subtitle. */
  readonly shortestLeaf: number;
  /** No leaf is longer, as long as a minute can stay one leaf. */
  readonly longestLeaf: number;
  /** Levels of nodes below the root. */
  readonly depth: number;
  /** Bounds for the number of leaves. */
  readonly leaves: { readonly most: number };
  /** Seconds of the units that leaves are made of. */
  readonly unit: { readonly shortest: number; readonly longest: number };
}

export const mostChildren = 12;

export function scaleOf(seconds: number): Scale {
  const leaf = 1.7 * Math.cbrt(seconds);
  const depth = seconds === 1 ? 0 : Math.max(1, Math.ceil(Math.log(seconds / leaf) / Math.log(9) + 0.12));
  return {
    leaf,
    shortestLeaf: Math.max(0.6 * leaf, Math.min(5, seconds / 6)),
    longestLeaf: Math.max(60, 3 * leaf),
    depth,
    leaves: { most: Math.max(1, Math.min(mostChildren ** depth, Math.floor(seconds / (0.6 * leaf)))) },
    unit: { shortest: Math.max(1, leaf / 12), longest: Math.max(2, leaf / 3) },
  };
}
