// How periodic a sound is, and at what pitch: normalised autocorrelation at 4 kHz over the last 24 ms. A voice glides,
// an instrument holds its pitch.
import { frameHop, frameSize } from './frame.ts';

/** Pitch lies between 67 and 400 Hz. */
const step = 4;
const shortest = 10;
const longest = 60;
const span = 96;
const recent = span + longest;
/** Below this a sound has no pitch that could be compared. */
const clear = 0.5;

export interface Pitch {
  /** 0 (noise) to 1 (periodic). */
  readonly periodicity: number;
  /** Octaves above 163 Hz, times the periodicity. */
  readonly height: number;
  /** Tenths of an octave to the frame before, −1 to 1; 0 where one of the two is not periodic. */
  readonly glide: number;
}

export class PitchTracker {
  readonly #sound = new Float64Array(recent);
  /** By lag; 0 before the first drop: at short lags any sound correlates with itself. */
  readonly #correlations = new Float64Array(longest + 2);
  #before = 0;
  #octave = Number.NaN;

  /** `samples`: the frame; its last 320 are new. */
  measure(samples: Float32Array): Pitch {
    this.#append(samples);
    const found = this.#correlations;
    const best = this.#correlate();
    // Twice the period correlates as well: the first peak that is nearly as high counts.
    let lag = shortest;
    while (lag < longest && (found[lag]! < 0.85 * best || found[lag]! < found[lag + 1]!)) lag++;
    // The peak of the parabola through it and its neighbours.
    const bend = found[lag - 1]! - 2 * found[lag]! + found[lag + 1]!;
    const shift = bend < 0 && lag < longest ? (0.5 * (found[lag - 1]! - found[lag + 1]!)) / bend : 0;
    return this.#answer(Math.min(1, best), Math.log2(24.5 / (lag + Math.max(-0.5, Math.min(0.5, shift)))));
  }

  /** Fills `#correlations`; answers the highest. */
  #correlate(): number {
    const sound = this.#sound;
    let here = 1e-9;
    for (let i = longest; i < recent; i++) here += sound[i]! ** 2;
    let there = 1e-9;
    for (let i = longest - shortest + 1; i < recent - shortest + 1; i++) there += sound[i]! ** 2;
    let best = 0;
    let dropped = false;
    for (let lag = shortest; lag <= longest; lag++) {
      there += sound[longest - lag]! ** 2 - sound[recent - lag]! ** 2;
      // Two sums side by side are faster than one.
      let even = 0;
      let odd = 0;
      for (let i = longest; i < recent; i += 2) {
        even += sound[i]! * sound[i - lag]!;
        odd += sound[i + 1]! * sound[i + 1 - lag]!;
      }
      const correlation = (even + odd) / Math.sqrt(here * Math.max(there, 1e-9));
      if (correlation < 0.1) dropped = true;
      this.#correlations[lag] = dropped ? correlation : 0;
      if (dropped && correlation > best) best = correlation;
    }
    return best;
  }

  #answer(periodicity: number, octave: number): Pitch {
    const now = periodicity < clear ? Number.NaN : octave;
    const glide = 10 * (now - this.#octave);
    this.#octave = now;
    return {
      periodicity,
      height: octave * periodicity,
      glide: Number.isNaN(glide) ? 0 : Math.max(-1, Math.min(1, glide)),
    };
  }

  /** Appends the new samples at a quarter of their rate, pre-emphasised. */
  #append(samples: Float32Array): void {
    const count = frameHop / step;
    this.#sound.copyWithin(0, count);
    for (let i = 0, at = frameSize - frameHop; i < count; i++, at += step) {
      const mean = (samples[at]! + samples[at + 1]! + samples[at + 2]! + samples[at + 3]!) / step;
      this.#sound[recent - count + i] = mean - 0.9 * this.#before;
      this.#before = mean;
    }
  }
}
