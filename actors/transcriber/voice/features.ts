// Features of our own voice detector, every 20 ms: the signal-to-noise ratio of each band, the shape of the
// spectrum, the pitch, the level relative to the recent peak, and how long harmonics last. All are causal.
import { RealFft } from '../../acoustics/fft.ts';
import { applyFilters, type FilterBank, kaldiFilters } from '../../acoustics/mel.ts';
import { voiceRate } from './detector.ts';

// The fine structure of a spectrum: its log power from 94 to 4,000 Hz less the mean of its neighbourhood,
// which leaves the harmonics. In music it stays as it is while a note is held; in speech it moves with the
// pitch.

/** Bins of 31.25 Hz: the first, and how many. */
const first = 3;
const count = 125;
/** Bins to both sides of the neighbourhood. */
const reach = 4;
/**
 * Distances in frames to the earlier ones that a frame is compared with: 40, 100 and 200 ms. They share no
 * sample.
 */
const distances = [2, 5, 10] as const;
const ring = 11;

/** How strong the harmonics are, and their likeness to each earlier frame. */
export const fineValues = 1 + distances.length;

export class FineStructure {
  /** Ring buffer of fine structures, and their lengths. */
  readonly #past = new Float64Array(ring * count);
  readonly #lengths = new Float64Array(ring);
  readonly #sums = new Float64Array(count + 1);
  #frames = 0;

  /**
   * `power`: a spectrum of 257 bins; `quiet`: added to each. Writes `fineValues` to `into`, all between −1
   * and 2.
   */
  measure(power: Float64Array, quiet: number, into: Float32Array, at: number): void {
    const now = this.#frames % ring;
    const length = this.#append(power, quiet, now * count);
    this.#lengths[now] = length;
    into[at] = Math.min(2, Math.sqrt(length / count));
    const past = this.#past;
    const [first, second, third] = distances;
    let a = ((now + ring - first) % ring) * count;
    let b = ((now + ring - second) % ring) * count;
    let c = ((now + ring - third) % ring) * count;
    let [near, middle, far] = [0, 0, 0];
    for (let bin = now * count, end = bin + count; bin < end; bin++) {
      const value = past[bin]!;
      near += value * past[a++]!;
      middle += value * past[b++]!;
      far += value * past[c++]!;
    }
    into[at + 1] = this.#cosine(near, now, first);
    into[at + 2] = this.#cosine(middle, now, second);
    into[at + 3] = this.#cosine(far, now, third);
    this.#frames += 1;
  }

  /** Answers the sum of squares. */
  #append(power: Float64Array, quiet: number, to: number): number {
    const sums = this.#sums;
    const past = this.#past;
    for (let bin = 0; bin < count; bin++) {
      const level = Math.log(power[first + bin]! + quiet);
      past[to + bin] = level;
      sums[bin + 1] = sums[bin]! + level;
    }
    let length = 0;
    for (let bin = 0; bin < count; bin++) {
      const from = Math.max(0, bin - reach);
      const end = Math.min(count, bin + reach + 1);
      const value = past[to + bin]! - (sums[end]! - sums[from]!) / (end - from);
      past[to + bin] = value;
      length += value * value;
    }
    return length;
  }

  /** Normalises a product with the frame `distance` frames back; 0 if there was none yet. */
  #cosine(product: number, now: number, distance: number): number {
    const lengths = this.#lengths[now]! * this.#lengths[(now + ring - distance) % ring]!;
    return product / Math.sqrt(Math.max(1e-9, lengths));
  }
}

const bands = 18;
/**
 * Signal-to-noise ratio and shape of each band; periodicity, level, mean signal-to-noise ratio, pitch, glide;
 * harmonics.
 */
export const frameValues = 2 * bands + 5 + fineValues;

/** About the quantisation noise of 16-bit samples in a band: the floor of all levels. */
const quiet = 1e-6;
/** Decay of the peak level in a frame: 1 neper a second. */
const peakDecay = 0.02;

export class VoiceFeatures {
  readonly #fft = new RealFft(frameSize);
  readonly #filters: FilterBank = kaldiFilters(bands, frameSize, voiceRate, 80, 7600);
  readonly #window = Float64Array.from(
    { length: frameSize },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / frameSize),
  );
  readonly #frame = new Float64Array(frameSize);
  readonly #power = new Float64Array(frameSize / 2 + 1);
  readonly #levels = new Float64Array(bands);
  readonly #noise = new NoiseFloor(bands);
  readonly #pitch = new PitchTracker();
  readonly #fine = new FineStructure();
  #peak = -Infinity;

  /**
   * `samples`: the frame's 512, all finite; it begins 320 after the one before. Writes `frameValues` to
   * `into`.
   */
  measure(samples: Float32Array, into: Float32Array, at: number): void {
    for (let i = 0; i < frameSize; i++) this.#frame[i] = samples[i]! * this.#window[i]!;
    this.#fft.power(this.#frame, this.#power);
    applyFilters(this.#filters, this.#power, this.#levels, 0);
    let mean = 0;
    for (let band = 0; band < bands; band++) {
      const level = Math.log(this.#levels[band]! + quiet);
      this.#levels[band] = level;
      mean += level / bands;
    }
    const noise = this.#noise.follow(this.#levels);
    this.#peak = Math.max(mean, this.#peak - peakDecay);
    let rise = 0;
    for (let band = 0; band < bands; band++) {
      const above = this.#levels[band]! - noise[band]!;
      rise += above / bands;
      into[at + band] = Math.min(8, above) / 4;
      into[at + bands + band] = Math.max(-6, Math.min(6, this.#levels[band]! - mean)) / 4;
    }
    const { periodicity, height, glide } = this.#pitch.measure(samples);
    const offset = at + 2 * bands;
    into[offset] = periodicity;
    into[offset + 1] = Math.max(-8, mean - this.#peak) / 4;
    into[offset + 2] = Math.min(8, rise) / 4;
    into[offset + 3] = height;
    into[offset + 4] = glide;
    this.#fine.measure(this.#power, quiet, into, offset + 5);
  }
}

// The noise level of each band of a spectrum, by minimum statistics: the lowest smoothed level of the last
// 2.4 s.

/** The lowest level is sought within this many blocks of this many frames. */
const blocks = 8;
const blockFrames = 15;

export class NoiseFloor {
  readonly #bands: number;
  readonly #smooth: Float64Array;
  readonly #floor: Float64Array;
  /** Ring buffer of the lowest levels of past blocks, and those of the current block. */
  readonly #past: Float64Array;
  readonly #now: Float64Array;
  #frames = 0;

  constructor(bands: number) {
    this.#bands = bands;
    this.#smooth = new Float64Array(bands).fill(Number.NaN);
    this.#floor = new Float64Array(bands).fill(Infinity);
    this.#past = new Float64Array(blocks * bands).fill(Infinity);
    this.#now = new Float64Array(bands).fill(Infinity);
  }

  /** `levels`: of the next frame. *Borrowed until the next call.* */
  follow(levels: Float64Array): Float64Array {
    for (let band = 0; band < this.#bands; band++) {
      const before = this.#smooth[band]!;
      const level = Number.isNaN(before) ? levels[band]! : 0.6 * before + 0.4 * levels[band]!;
      this.#smooth[band] = level;
      this.#now[band] = Math.min(this.#now[band]!, level);
      this.#floor[band] = Math.min(this.#floor[band]!, level);
    }
    this.#frames += 1;
    if (this.#frames % blockFrames === 0) this.#turnBlock();
    return this.#floor;
  }

  #turnBlock(): void {
    const block = (this.#frames / blockFrames - 1) % blocks;
    this.#past.set(this.#now, block * this.#bands);
    this.#now.fill(Infinity);
    for (let band = 0; band < this.#bands; band++) {
      let least = Infinity;
      for (let at = band; at < this.#past.length; at += this.#bands) least = Math.min(least, this.#past[at]!);
      this.#floor[band] = least;
    }
  }
}

// How periodic a sound is, and at what pitch: normalised autocorrelation at 4 kHz over the last 24 ms. A
// voice glides, an instrument holds its pitch.

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
  /** Correlations by lag; 0 before the first drop, since any sound correlates with itself at short lags. */
  readonly #correlations = new Float64Array(longest + 2);
  #before = 0;
  #octave = Number.NaN;

  /** `samples`: the frame; its last 320 are new. */
  measure(samples: Float32Array): Pitch {
    this.#append(samples);
    const correlations = this.#correlations;
    const best = this.#correlate();
    // Twice the period correlates as well: the first peak that is nearly as high counts.
    let lag = shortest;
    while (lag < longest && (correlations[lag]! < 0.85 * best || correlations[lag]! < correlations[lag + 1]!))
      lag++;
    // The peak of the parabola through it and its neighbours.
    const bend = correlations[lag - 1]! - 2 * correlations[lag]! + correlations[lag + 1]!;
    const shift =
      bend < 0 && lag < longest ? (0.5 * (correlations[lag - 1]! - correlations[lag + 1]!)) / bend : 0;
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

// The frames of sound that our own voice detector looks at.

/** Samples from one frame to the next: 20 ms. */
export const frameHop = 320;
/** Samples of the spectrum of a frame. */
export const frameSize = 512;
