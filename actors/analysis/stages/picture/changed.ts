// How much of a picture is different from the one before it, whatever its exposure. A car that passes a fixed
// camera changes a few blocks, and the camera makes all others darker: a cut changes most of them in ways
// that no exposure does.

/** How much brighter or darker a camera may make a picture from one second to the next. */
const gains = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.11, 1.25, 1.43, 1.67, 2];
/** Of 255: blocks that differ by less are the same. */
const least = 10;

/**
 * Share of the blocks of `after` that no gain and offset of the whole picture explains from `before`; of the
 * gain that explains most.
 */
export function changedShare(before: Uint8Array, after: Uint8Array): number {
  const blocks = after.length / 3;
  const differences = [0, 1, 2].map(() => new Float32Array(blocks));
  let fewest = blocks;
  for (const gain of gains) {
    const offsets = differences.map((of, channel) => {
      for (let i = 0; i < blocks; i++) of[i] = after[i * 3 + channel]! - gain * before[i * 3 + channel]!;
      return of.toSorted()[blocks >> 1]!;
    });
    const bound = least * Math.max(1, Math.sqrt(gain));
    let changed = 0;
    for (let i = 0; i < blocks; i++) {
      if (differences.some((of, channel) => Math.abs(of[i]! - offsets[channel]!) > bound)) changed++;
    }
    fewest = Math.min(fewest, changed);
  }
  return fewest / blocks;
}
