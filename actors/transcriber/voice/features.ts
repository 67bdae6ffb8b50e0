// Features of our own voice detector, every 20 ms: the signal-to-noise ratio of each band, the shape of the spectrum, the
// periodicity of a voice, and the level relative to the recent peak. All are causal.
import { RealFft } from '../../acoustics/fft.ts';
import { applyFilters, type FilterBank, kaldiFilters } from '../../acoustics/filters.ts';
import { voiceRate } from './detector.ts';

/** Samples from one frame to the next. */
export const frameHop = 320;
/** Samples of the spectrum of a frame. */
export const frameSize = 512;
const bands = 18;
/** Signal-to-noise ratio and shape of each band; periodicity, level, mean signal-to-noise ratio. */
export const frameValues = 2 * bands + 3;

/** About the quantisation noise of 16-bit samples in a band: the floor of all levels. */
const quiet = 1e-6;
/** The noise of a band is its lowest level within this many blocks of this many frames: 2.4 s. */
const noiseBlocks = 8;
const noiseBlockFrames = 15;
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
  readonly #noise = new NoiseFloor();
  readonly #periodicity = new Periodicity();
  #peak = -Infinity;

  /** `samples`: the frame's 512, all finite; it begins 320 after the one before. Writes `frameValues` to `into`. */
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
    into[at + 2 * bands] = this.#periodicity.measure(samples);
    into[at + 2 * bands + 1] = Math.max(-8, mean - this.#peak) / 4;
    into[at + 2 * bands + 2] = Math.min(8, rise) / 4;
  }
}

/** The noise level of each band, by minimum statistics: the lowest smoothed level of the last seconds. */
class NoiseFloor {
  readonly #smooth = new Float64Array(bands).fill(Number.NaN);
  readonly #floor = new Float64Array(bands).fill(Infinity);
  /** Ring buffer of the lowest levels of past blocks, and those of the current block. */
  readonly #past = new Float64Array(noiseBlocks * bands).fill(Infinity);
  readonly #now = new Float64Array(bands).fill(Infinity);
  #frames = 0;

  /** *Borrowed until the next call.* */
  follow(levels: Float64Array): Float64Array {
    for (let band = 0; band < bands; band++) {
      const before = this.#smooth[band]!;
      const level = Number.isNaN(before) ? levels[band]! : 0.6 * before + 0.4 * levels[band]!;
      this.#smooth[band] = level;
      this.#now[band] = Math.min(this.#now[band]!, level);
      this.#floor[band] = Math.min(this.#floor[band]!, level);
    }
    this.#frames += 1;
    if (this.#frames % noiseBlockFrames === 0) this.#turnBlock();
    return this.#floor;
  }

  #turnBlock(): void {
    const block = (this.#frames / noiseBlockFrames - 1) % noiseBlocks;
    this.#past.set(this.#now, block * bands);
    this.#now.fill(Infinity);
    for (let band = 0; band < bands; band++) {
      let least = Infinity;
      for (let at = band; at < this.#past.length; at += bands) least = Math.min(least, this.#past[at]!);
      this.#floor[band] = least;
    }
  }
}

/** Pitch lies between 67 and 400 Hz: normalised autocorrelation at 4 kHz over the last 24 ms. */
const step = 4;
const shortest = 10;
const longest = 60;
const span = 96;
const recent = span + longest;

class Periodicity {
  readonly #sound = new Float64Array(recent);
  #before = 0;

  /** 0 (noise) to 1 (periodic). `samples`: the frame; its last 320 are new. */
  measure(samples: Float32Array): number {
    this.#append(samples);
    const sound = this.#sound;
    let here = 1e-9;
    for (let i = longest; i < recent; i++) here += sound[i]! ** 2;
    let best = 0;
    // At short lags any sound correlates with itself: only peaks after the first drop count.
    let dropped = false;
    let there = 1e-9;
    for (let i = longest - shortest + 1; i < recent - shortest + 1; i++) there += sound[i]! ** 2;
    for (let lag = shortest; lag <= longest; lag++) {
      there += sound[longest - lag]! ** 2 - sound[recent - lag]! ** 2;
      let sum = 0;
      for (let i = longest; i < recent; i++) sum += sound[i]! * sound[i - lag]!;
      const correlation = sum / Math.sqrt(here * Math.max(there, 1e-9));
      if (correlation < 0.1) dropped = true;
      if (dropped && correlation > best) best = correlation;
    }
    return Math.min(1, best);
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
