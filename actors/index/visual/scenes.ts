// Where scenes begin, from how far each grid frame is from the one before it.
//
// A cut stands out against the usual distance between neighbours in the same film: a calm interview has small
// ones, a hand-held walk large ones. So the threshold is the median plus four deviations (from the median
// deviation, which a few cuts cannot move), held between two bounds: below the lower one is noise of a still
// picture, above the upper one two pictures are different however restless the film is (a montage of
// one-second shots is all cuts).

// With starter-visual a slow pan moves 0.04 to 0.12 a second and a cut 0.8 and more; with models of CLIP's
// kind cuts begin at about 0.3.
export const lowest = 0.25;
export const highest = 0.35;

function median(sorted: Float32Array): number {
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * The distance from which on a neighbour begins a new scene. `distances`: 1 - cosine of each frame to the one
 * before.
 */
export function sceneThreshold(distances: Float32Array): number {
  const centre = median(distances.toSorted());
  const spread = median(distances.map((distance) => Math.abs(distance - centre)).sort());
  return Math.min(highest, Math.max(lowest, centre + 4 * 1.4826 * spread));
}

/** Frames back to which each frame is compared: an interruption of up to four seconds is bridged. */
export const lags = 5;

/** A neighbour looks at least so much like another shot where a scene begins; see `sceneStarts`. */
export const leastChanged = 0.5;

/**
 * Positions at which scenes begin, ascending, the first one 0. `distances[k][i]`: of frame i to frame i + k +
 * 1. `changed[i]`: how much the frame behind frame i looks like another shot, 0 to 1.
 */
export function sceneStarts(
  distances: readonly Float32Array[],
  changed: ArrayLike<number>,
  frames: number,
): number[] {
  const next = distances[0] ?? new Float32Array(0);
  const threshold = sceneThreshold(next);
  const starts = frames === 0 ? [] : [0];
  for (let i = 1; i < frames; i++) {
    if (next[i - 1]! <= threshold || changed[i - 1]! < leastChanged) continue;
    const back = comesBack(distances, i - 1, threshold / 2);
    if (back === null) starts.push(i);
    else i = back;
  }
  return starts;
}

/**
 * The last frame within reach that looks like frame `before` again, after one that does not; null when none
 * does.
 */
function comesBack(distances: readonly Float32Array[], before: number, alike: number): number | null {
  for (let lag = distances.length; lag > 1; lag--) {
    const distance = distances[lag - 1]![before];
    if (distance !== undefined && distance < alike) return before + lag;
  }
  return null;
}

export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
