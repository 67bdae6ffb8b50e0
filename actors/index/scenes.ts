// Where scenes begin, from how far each grid frame is from the one before it. Pure.
//
// A cut stands out against the usual distance between neighbours in the same film: a calm interview has small ones, a
// hand-held walk large ones. So the threshold is the median plus four deviations (from the median deviation, which a few
// cuts cannot move), held between two bounds: below the lower one is noise of a still picture, above the upper one two
// pictures are different however restless the film is (a montage of one-second shots is all cuts).

const lowest = 0.06;
const highest = 0.25;

function median(sorted: Float32Array): number {
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The distance from which on a neighbour begins a new scene. `distances`: 1 - cosine of each frame to the one before. */
export function sceneThreshold(distances: Float32Array): number {
  const centre = median(distances.toSorted());
  const spread = median(distances.map((distance) => Math.abs(distance - centre)).sort());
  return Math.min(highest, Math.max(lowest, centre + 4 * 1.4826 * spread));
}

/** Positions at which scenes begin, ascending, the first one 0. `distances[i]`: of frame i + 1 to frame i. */
export function sceneStarts(distances: Float32Array, frames: number): number[] {
  if (frames === 0) return [];
  const threshold = sceneThreshold(distances);
  const starts = [0];
  for (let i = 0; i < distances.length; i++) if (distances[i]! > threshold) starts.push(i + 1);
  return starts;
}

export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
