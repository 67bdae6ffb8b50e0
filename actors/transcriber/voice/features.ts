// Features of our own voice detector, every 20 ms: the signal-to-noise ratio of each band, the shape of the spectrum, the
// pitch, the level relative to the recent peak, and how long harmonics last. All are causal.
import { RealFft } from '../../acoustics/fft.ts';
import { applyFilters, type FilterBank, kaldiFilters } from '../../acoustics/filters.ts';
import { voiceRate } from './detector.ts';
import { FineStructure, fineValues } from './fine-structure.ts';
import { frameSize } from './frame.ts';
import { NoiseFloor } from './noise-floor.ts';
import { PitchTracker } from './pitch.ts';

const bands = 18;
/** Signal-to-noise ratio and shape of each band; periodicity, level, mean signal-to-noise ratio, pitch, glide; harmonics. */
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
    const { periodicity, height, glide } = this.#pitch.measure(samples);
    const rest = at + 2 * bands;
    into[rest] = periodicity;
    into[rest + 1] = Math.max(-8, mean - this.#peak) / 4;
    into[rest + 2] = Math.min(8, rise) / 4;
    into[rest + 3] = height;
    into[rest + 4] = glide;
    this.#fine.measure(this.#power, quiet, into, rest + 5);
  }
}
