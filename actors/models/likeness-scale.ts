// What a cosine of two people's faces says, as a number from 0 to 1.

/**
 * Cosine below the threshold of one person from which a pair is still worth a question: the faces of one
 * person often are.
 */
const belowSame = 0.1;

export interface LikenessScale {
  /** Pairs that are less alike are not asked about. */
  readonly least: number;
  /** 0: nothing in common; 0.5: the model would just call two faces one person; 1: the same picture. */
  of(cosine: number): number;
}

/** `same`: the cosine from which two faces are one person. */
export function likenessScale(same: number): LikenessScale {
  const at = Math.min(0.999, Math.max(0.001, same));
  return {
    least: Math.max(0, at - belowSame),
    of: (cosine) => {
      const part = cosine < at ? (0.5 * cosine) / at : 0.5 + (0.5 * (cosine - at)) / (1 - at);
      return Math.max(0, Math.min(1, part));
    },
  };
}
