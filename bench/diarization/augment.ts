// Augments a voice of one recording to several, as another day, another place before the microphone and
// another mood would change it: equalisation, speed, level and noise at random.
import { rate, type Voice } from './compose.ts';
import { curveFilter, filtered } from './equalise.ts';
import { type Random, seeded } from './random.ts';

export interface Augmentation {
  readonly seed: number;
  /** Recordings made of each recording. */
  readonly copies: number;
  /** Decibels by which a band is raised or lowered, at most. */
  readonly colour: number;
  /** Part by which a recording is faster or slower, at most. */
  readonly speed: number;
}

/** Seconds cut off the start, at most, so that the windows of two copies do not have the same words. */
const lead = 2;
/** Root mean square of the noise, at most, relative to the voice. */
const noise = 0.03;
/** Decibels by which a recording is louder or quieter, at most. */
const loudness = 3;

/** The same voices with `copies` times as many recordings. The same seed gives the same ones. */
export function augmented(voices: readonly Voice[], augmentation: Augmentation): Voice[] {
  const random = seeded(augmentation.seed);
  return voices.map(({ name, pieces }) => ({
    name,
    pieces: Array.from({ length: augmentation.copies }).flatMap(() =>
      pieces.map((samples) => augmentedRecording(samples, augmentation, random)),
    ),
  }));
}

function augmentedRecording(
  samples: Float32Array,
  { colour, speed }: Augmentation,
  random: Random,
): Float32Array {
  const start = Math.floor(random.between(0, Math.min(lead * rate, samples.length / 4)));
  const played = resampled(samples.subarray(start), 1 + random.between(-speed, speed));
  const tinted = filtered(played, curveFilter(smoothCurve(colour, random)));
  const power = Math.sqrt(tinted.reduce((sum, x) => sum + x * x, 0) / Math.max(1, tinted.length));
  const gain = 10 ** (random.between(-loudness, loudness) / 20);
  // Evenly spread noise has a root mean square of its limit over the root of three.
  const limit = power * random.between(0, noise) * Math.sqrt(3);
  return tinted.map((x) => gain * (x + random.between(-limit, limit)));
}

/**
 * Decibels over the octaves: straight lines between points chosen by chance; from 0 Hz (0) to the highest
 * band (1).
 */
function smoothCurve(colour: number, random: Random): (part: number) => number {
  const points = Array.from({ length: 6 }, () => random.between(-colour, colour));
  return (part) => {
    const at = Math.log2(1 + 31 * part);
    const low = Math.min(points.length - 2, Math.floor(at));
    return points[low]! + (points[low + 1]! - points[low]!) * (at - low);
  };
}

/** Played `factor` times as fast: lines between the samples, which dulls the highest band a little. */
export function resampled(samples: Float32Array, factor: number): Float32Array {
  const length = Math.floor(Math.max(0, samples.length - 1) / factor);
  return Float32Array.from({ length }, (_, at) => {
    const place = at * factor;
    const before = Math.floor(place);
    const rest = place - before;
    return samples[before]! * (1 - rest) + (samples[before + 1] ?? 0) * rest;
  });
}
