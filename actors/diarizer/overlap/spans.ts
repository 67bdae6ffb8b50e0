// From the probabilities of overlap to the times in which two surely speak.
import { fbankHop, fbankSize } from '../../acoustics/fbank.ts';
import { soundRate } from '../../decoder/contract.ts';
import { overlapStep } from './detector.ts';

/** Half-open, in seconds. */
export type Span = readonly [start: number, end: number];

export interface OverlapRules {
  /** 0 to 1: a span has a frame of at least `sure`, and goes on while frames are at least `likely`. */
  readonly sure: number;
  readonly likely: number;
  /** Seconds: a gap up to `bridge` is part of a span, and a span under `shortest` is none. */
  readonly bridge: number;
  readonly shortest: number;
}

/** Chosen on voices of the training data that the network never heard. */
export const overlapRules: OverlapRules = { sure: 0.87, likely: 0.6, bridge: 0.1, shortest: 0.3 };

/** Samples from one probability to the next. */
export const overlapHop = overlapStep * fbankHop;
/**
 * Samples from the start of the features' first frame to that of the 20 ms for which the first probability
 * stands.
 */
export const overlapLead = (fbankSize - overlapHop) / 2;

/** `probabilities`: 0 to 255 for every 20 ms from sample `start` on. Ascending, apart. */
export function overlapSpans(
  probabilities: Uint8Array,
  start: number,
  { sure, likely, bridge, shortest }: OverlapRules = overlapRules,
): Span[] {
  const found: { from: number; to: number; most: number }[] = [];
  const gap = (bridge * soundRate) / overlapHop;
  probabilities.forEach((probability, at) => {
    if (probability < 255 * likely) return;
    const last = found.at(-1);
    if (last && at - last.to <= gap) {
      last.to = at + 1;
      last.most = Math.max(last.most, probability);
    } else {
      found.push({ from: at, to: at + 1, most: probability });
    }
  });
  const seconds = (frame: number) => (start + frame * overlapHop + overlapLead) / soundRate;
  return found
    .filter(({ from, to, most }) => most >= 255 * sure && (to - from) * overlapHop >= shortest * soundRate)
    .map(({ from, to }): Span => [seconds(from), seconds(to)]);
}

/**
 * For each part of the channel (samples, half-open) the share in which one speaks alone, but at least
 * `least`. `parts` ascending by start, `spans` ascending and apart.
 */
export function clearShares(
  parts: readonly { readonly from: number; readonly to: number }[],
  spans: readonly Span[],
  least: number,
): number[] {
  let first = 0;
  return parts.map(({ from, to }) => {
    while (first < spans.length && spans[first]![1] * soundRate <= from) first++;
    let overlapped = 0;
    for (let at = first; at < spans.length && spans[at]![0] * soundRate < to; at++) {
      const [start, end] = spans[at]!;
      overlapped += Math.min(to, end * soundRate) - Math.max(from, start * soundRate);
    }
    return Math.max(least, 1 - overlapped / (to - from));
  });
}
