// Which voice each local speaker of a window is: the nearest one, and never one voice for two of a window.
import {
  leastShare,
  type SegmentationWindow,
  segmentationSamples,
  sharesOf,
} from './segmentation-channel.ts';
import type { EmbeddedSubsegment } from './session.ts';
import type { LabelledWindow } from './window-turns.ts';

/** Windows between two yields. */
const windowsPerStep = 100;

/**
 * `windows` and `pieces`: of one channel, ascending. `vectors`: n×d, the rows that they name. `voices`: k×d,
 * of length 1 each. A generator: it yields often, so that its thread can answer messages.
 */
export function* voicesOfWindows(
  windows: readonly SegmentationWindow[],
  pieces: readonly EmbeddedSubsegment[],
  vectors: Float32Array,
  voices: Float64Array,
  dimensions: number,
): Generator<void, LabelledWindow[]> {
  const labelled: LabelledWindow[] = [];
  let first = 0;
  for (const [at, window] of windows.entries()) {
    if (at % windowsPerStep === 0) yield;
    while (first < pieces.length && pieces[first]!.to <= window.start) first++;
    let last = first;
    while (last < pieces.length && pieces[last]!.from < window.start + segmentationSamples) last++;
    const sums = window.rows.map((row) => sumOf(row < 0 ? [] : [{ row, weight: 1 }], vectors, dimensions));
    for (const piece of pieces.slice(first, last)) {
      for (const [speaker, share] of sharesOf(window, piece).entries()) {
        if (window.rows[speaker]! >= 0 || share < leastShare) continue;
        add(sums[speaker]!, { row: piece.vector, weight: share }, vectors);
      }
    }
    const labels = distinctVoices(sums.map((sum) => cosinesWith(sum, voices)));
    labelled.push({ start: window.start, activity: window.activity, labels });
  }
  return labelled;
}

interface WeightedRow {
  readonly row: number;
  readonly weight: number;
}

function sumOf(rows: readonly WeightedRow[], vectors: Float32Array, dimensions: number): Float64Array {
  const sum = new Float64Array(dimensions);
  for (const row of rows) add(sum, row, vectors);
  return sum;
}

function add(sum: Float64Array, { row, weight }: WeightedRow, vectors: Float32Array): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += weight * vectors[row * sum.length + i]!;
}

/** Null for a sum without direction. */
function cosinesWith(sum: Float64Array, voices: Float64Array): Float64Array | null {
  const d = sum.length;
  const length = Math.hypot(...sum);
  if (!(length > 0)) return null;
  return Float64Array.from({ length: voices.length / d }, (_, voice) => {
    let dot = 0;
    for (let i = 0; i < d; i++) dot += sum[i]! * voices[voice * d + i]!;
    return dot / length;
  });
}

/**
 * The voice of each local speaker, so that the sum of cosines is largest and no voice is taken twice; -1 for
 * one of whom nothing is known, or for whom no voice is left.
 */
export function distinctVoices(cosines: readonly (Float64Array | null)[]): number[] {
  let best: { readonly labels: number[]; readonly sum: number } = { labels: cosines.map(() => -1), sum: 0 };
  const choose = (labels: number[], sum: number): void => {
    const speakerCosines = cosines[labels.length];
    if (speakerCosines === undefined) {
      if (sum > best.sum) best = { labels, sum };
      return;
    }
    for (const { voice, cosine } of speakerCosines === null ? [] : nearest(speakerCosines, cosines.length)) {
      // Cosines plus 1 are above 0, so that a voice is better than none.
      if (!labels.includes(voice)) choose([...labels, voice], sum + 1 + cosine);
    }
    choose([...labels, -1], sum);
  };
  choose([], 0);
  return best.labels;
}

/** The voices with the largest cosines: others are taken by nobody, as there are no more local speakers. */
function nearest(
  cosines: Float64Array,
  count: number,
): { readonly voice: number; readonly cosine: number }[] {
  const all = [...cosines].map((cosine, voice) => ({ voice, cosine }));
  return all.sort((a, b) => b.cosine - a.cosine || a.voice - b.voice).slice(0, count);
}
