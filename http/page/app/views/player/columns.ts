// Peaks of sound for as many columns as a drawing has.

/** The loudest of the peaks that fall into each column; where there are fewer peaks than columns, the one that is there. */
export function columnsOf(peaks: readonly number[], columns: number): number[] {
  if (peaks.length === 0) return [];
  return Array.from({ length: columns }, (_, x) => {
    const from = Math.floor((x * peaks.length) / columns);
    const to = Math.max(from + 1, Math.floor(((x + 1) * peaks.length) / columns));
    let loudest = 0;
    for (let at = from; at < to; at++) loudest = Math.max(loudest, peaks[at] ?? 0);
    return loudest;
  });
}
