// Grid frames of one file as ascending lists, packed as runs: [first, count, first, count...].

/** `frames`: ascending, without repeats. */
export function packFrames(frames: ArrayLike<number>): number[] {
  const runs: number[] = [];
  for (let i = 0; i < frames.length; i++) {
    const last = runs.length - 2;
    if (last >= 0 && runs[last]! + runs[last + 1]! === frames[i]) runs[last + 1]!++;
    else runs.push(frames[i]!, 1);
  }
  return runs;
}

export function countFrames(runs: readonly number[]): number {
  let count = 0;
  for (let i = 1; i < runs.length; i += 2) count += runs[i]!;
  return count;
}

export function unpackFrames(runs: readonly number[]): Int32Array {
  const frames = new Int32Array(countFrames(runs));
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    for (let frame = 0; frame < runs[i + 1]!; frame++) frames[at++] = runs[i]! + frame;
  }
  return frames;
}

/** The first position whose value is at least `value`; `sorted.length` when there is none. */
export function lowerBound(sorted: ArrayLike<number>, value: number, from = 0, to = sorted.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function positionOf(sorted: ArrayLike<number>, value: number): number {
  const at = lowerBound(sorted, value);
  return at < sorted.length && sorted[at] === value ? at : -1;
}

/** Intersection, as start, end, start, end...; both inputs ascend and have gaps. */
export function commonRanges(
  flat: Uint32Array,
  ranges: readonly (readonly [number, number])[],
): Uint32Array<ArrayBuffer> {
  const common: number[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    while (at < flat.length && flat[at + 1]! <= start) at += 2;
    for (let i = at; i < flat.length && flat[i]! < end; i += 2)
      common.push(Math.max(start, flat[i]!), Math.min(end, flat[i + 1]!));
  }
  return Uint32Array.from(common);
}
