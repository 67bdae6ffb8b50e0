// How unlike each other the seconds of a range are: the sum of their squared distances to its mean, by
// channel, for all ranges of neighbouring units within reach.
import type { Steps } from '../../../runtime/sync/steps.ts';
import { stepNumbers } from './changes.ts';
import type { Channel } from './channels.ts';
import { dot } from './vector.ts';

/** Of units, which follow each other without gaps: where each starts, and where the last one ends. */
export type Bounds = readonly number[];

export interface Spreads {
  /**
   * The spread of units `from` to before `to`, weighted: of one unit, or of more that are no longer than was
   * asked for.
   */
  of(from: number, to: number): number;
}

/**
 * Of all ranges of units that are not longer than `longest` seconds; bounds have one number more than there
 * are units. O(units · ranges from one unit · dimensions) time, O(ranges) memory.
 */
export function* spreadsOf(
  channels: readonly Channel[],
  bounds: Bounds,
  longest = Number.POSITIVE_INFINITY,
): Steps<Spreads> {
  const width = widest(bounds, longest);
  const spreads = new Float64Array((bounds.length - 1) * width);
  for (const channel of channels) yield* addSpreads(channel, bounds, longest, width, spreads);
  return { of: (from, to) => spreads[from * width + to - from - 1]! };
}

/** The most units that a range has. */
function widest(bounds: Bounds, longest: number): number {
  let [width, from] = [1, 0];
  for (let to = 1; to < bounds.length; to++) {
    while (from < to - 1 && bounds[to]! - bounds[from]! > longest) from++;
    width = Math.max(width, to - from);
  }
  return width;
}

/** Adds those of one channel: number `from` · width + k is of the k + 1 units that begin with `from`. */
function* addSpreads(
  { dimensions: d, weight, add }: Channel,
  bounds: Bounds,
  longest: number,
  width: number,
  spreads: Float64Array,
): Steps<void> {
  const units = bounds.length - 1;
  const sums = new Float32Array(units * d);
  const counts = new Float64Array(units);
  let numbers = 0;
  for (let unit = 0; unit < units; unit++) {
    const [start, end] = [bounds[unit]!, bounds[unit + 1]!];
    counts[unit] = add(start, end, sums, unit * d);
    numbers += (end - start) * d;
    if (numbers < stepNumbers) continue;
    numbers = 0;
    yield;
  }
  // By `from`: the squared length of the sum over all units from there to the one before `to`.
  const squares = new Float64Array(width);
  for (let to = 0; to < units; to++) {
    if (numbers >= stepNumbers) {
      numbers = 0;
      yield;
    }
    let across = 0;
    let count = 0;
    for (let from = to; from >= 0; from--) {
      if (from < to && bounds[to + 1]! - bounds[from]! > longest) break;
      const isKnown = counts[from]! > 0 && counts[to]! > 0;
      const product = isKnown ? dot(sums, from * d, sums, to * d, d) : 0;
      numbers += d;
      across += from === to ? product : 2 * product;
      count += counts[from]!;
      const square = (from === to ? 0 : squares[from % width]!) + across;
      squares[from % width] = square;
      if (count > 0) spreads[from * width + to - from]! += weight * Math.max(0, count - square / count);
    }
  }
}
