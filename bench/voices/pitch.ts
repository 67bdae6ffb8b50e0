// The pitch of a voice, to choose voices that are alike: file names do not say who is a man or a woman.
import { rate, speechIn, type Voice } from '../diarization/compose.ts';

const size = 0.04 * rate;
const step = 0.02 * rate;
const [lowest, highest] = [70, 400];

/** Median over voiced frames of the frequency by autocorrelation, hertz; 0 when no frame is voiced. */
export function medianPitch({ pieces }: Pick<Voice, 'pieces'>): number {
  const pitches: number[] = [];
  for (const samples of pieces) {
    for (const [from, to] of speechIn(samples)) {
      for (let at = from; at + 2 * size <= to; at += step) {
        const pitch = pitchAt(samples, at);
        if (pitch > 0) pitches.push(pitch);
      }
    }
  }
  pitches.sort((a, b) => a - b);
  return pitches[pitches.length >> 1] ?? 0;
}

/** The first lag whose correlation is nearly the best: a later one would be an octave below. */
function pitchAt(samples: Float32Array, at: number): number {
  const longest = Math.floor(rate / lowest);
  const shortest = Math.floor(rate / highest);
  const correlations = new Float64Array(longest + 1);
  let best = 0;
  for (let lag = shortest; lag <= longest; lag++) {
    let product = 0;
    let here = 1e-9;
    let there = 1e-9;
    for (let i = 0; i < size; i += 2) {
      const [x, y] = [samples[at + i]!, samples[at + i + lag]!];
      product += x * y;
      here += x * x;
      there += y * y;
    }
    correlations[lag] = product / Math.sqrt(here * there);
    best = Math.max(best, correlations[lag]!);
  }
  if (best < 0.6) return 0;
  let lag = shortest;
  while (correlations[lag]! < 0.93 * best) lag++;
  while (lag < longest && correlations[lag + 1]! > correlations[lag]!) lag++;
  return rate / lag;
}
