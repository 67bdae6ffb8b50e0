// The log-mel spectrogram that Whisper and its relatives take: 80 or 128 bands every 10 ms, scaled to about
// −1 … 1. Constants are those of the published feature extractor; tests hold golden values.
import { RealFft } from './fft.ts';

// Mel filter banks: triangular filters that sum the bins of a power spectrum into bands. Two scales are in
// use: Slaney's, for Whisper, and Kaldi's, for speaker embedding models.

/** Overlapping triangles over a power spectrum; weights of zero are not stored. */
export interface FilterBank {
  readonly count: number;
  /** First bin of each filter, and where its weights begin; one more entry than filters ends the last. */
  readonly firsts: Int32Array;
  readonly offsets: Int32Array;
  readonly weights: Float64Array;
}

/** Filters of equal area from 0 Hz to half the sample rate: as librosa and Whisper make them. */
function slaneyFilters(count: number, fftSize: number, sampleRate: number): FilterBank {
  const top = slaneyMel(sampleRate / 2);
  const edges = Array.from({ length: count + 2 }, (_, at) => slaneyHertz((top * at) / (count + 1)));
  return bankOf(count, fftSize / 2 + 1, (filter, bin) => {
    const hertz = (bin * sampleRate) / fftSize;
    const [low, middle, high] = [edges[filter]!, edges[filter + 1]!, edges[filter + 2]!];
    const rise = (hertz - low) / (middle - low);
    const fall = (high - hertz) / (high - middle);
    return (Math.max(0, Math.min(rise, fall)) * 2) / (high - low);
  });
}

/** Triangles of height 1 on the mel axis; the last bin of the spectrum takes no part: as Kaldi makes them. */
export function kaldiFilters(
  count: number,
  fftSize: number,
  sampleRate: number,
  lowHertz: number,
  highHertz: number,
): FilterBank {
  const low = kaldiMel(lowHertz);
  const step = (kaldiMel(highHertz) - low) / (count + 1);
  return bankOf(count, fftSize / 2, (filter, bin) => {
    const mel = kaldiMel((bin * sampleRate) / fftSize);
    const start = low + filter * step;
    return Math.max(0, Math.min((mel - start) / step, (start + 2 * step - mel) / step));
  });
}

/** Writes the energy of each of the `count` bands of `power` to `into` from place `at` on. */
export function applyFilters(
  { count, firsts, offsets, weights }: FilterBank,
  power: Float64Array,
  into: Float64Array,
  at: number,
): void {
  for (let filter = 0; filter < count; filter++) {
    const end = offsets[filter + 1]!;
    let sum = 0;
    for (let w = offsets[filter]!, bin = firsts[filter]!; w < end; w++, bin++) {
      sum += weights[w]! * power[bin]!;
    }
    into[at + filter] = sum;
  }
}

function bankOf(count: number, bins: number, weight: (filter: number, bin: number) => number): FilterBank {
  const firsts = new Int32Array(count);
  const offsets = new Int32Array(count + 1);
  const weights: number[] = [];
  for (let filter = 0; filter < count; filter++) {
    for (let bin = 0; bin < bins; bin++) {
      const value = weight(filter, bin);
      if (value <= 0) continue;
      if (weights.length === offsets[filter]!) firsts[filter] = bin;
      weights.push(value);
    }
    offsets[filter + 1] = weights.length;
  }
  return { count, firsts, offsets, weights: Float64Array.from(weights) };
}

function kaldiMel(hertz: number): number {
  return 1127 * Math.log(1 + hertz / 700);
}

// Even steps up to 1 kHz (15 mel), equal ratios above.
const evenHertz = 200 / 3;
const ratioFrom = 1000;
const ratioStep = Math.log(6.4) / 27;

function slaneyMel(hertz: number): number {
  if (hertz < ratioFrom) return hertz / evenHertz;
  return ratioFrom / evenHertz + Math.log(hertz / ratioFrom) / ratioStep;
}

function slaneyHertz(mel: number): number {
  const ratioMel = ratioFrom / evenHertz;
  return mel < ratioMel ? mel * evenHertz : ratioFrom * Math.exp(ratioStep * (mel - ratioMel));
}

export const melRate = 16_000;
/** Samples from one frame to the next: 10 ms. */
const melHop = 160;
const frameSize = 400;
/** Frames of the input of Whisper, always: 30 s. */
export const whisperFrames = 3000;
export const whisperSamples = whisperFrames * melHop;

/** `data`: bands×frames, in rows of one band. *Owned by the caller.* */
interface MelSpectrogram {
  readonly data: Float32Array;
  readonly bands: number;
  readonly frames: number;
}

export class LogMel {
  readonly bands: number;
  readonly #filters: FilterBank;
  readonly #fft = new RealFft(frameSize);
  // A periodic Hann window: the symmetric one of one sample more, without its last zero.
  readonly #window = Float64Array.from(
    { length: frameSize },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / frameSize),
  );
  readonly #frame = new Float64Array(frameSize);
  readonly #power = new Float64Array(frameSize / 2 + 1);
  readonly #sums: Float64Array;

  constructor(bands: 80 | 128) {
    this.bands = bands;
    this.#filters = slaneyFilters(bands, frameSize, melRate);
    this.#sums = new Float64Array(bands);
  }

  /** Samples −1 to 1 at 16 kHz as they are: a frame for every whole 160 samples. Empty for fewer. */
  spectrogram(samples: Float32Array): MelSpectrogram {
    return this.#compute(samples, samples.length, Math.floor(samples.length / melHop));
  }

  /** The same, followed by silence up to 30 s: bands×3000. Throws RangeError for more than 30 s. */
  padded(samples: Float32Array): MelSpectrogram {
    if (samples.length > whisperSamples) {
      throw new RangeError(`${samples.length} samples are more than 30 s`);
    }
    return this.#compute(samples, whisperSamples, whisperFrames);
  }

  /** `length`: of the sound with the silence after it. */
  #compute(samples: Float32Array, length: number, frames: number): MelSpectrogram {
    const { bands } = this;
    const data = new Float32Array(bands * frames).fill(floorLog);
    let most = floorLog;
    for (let frame = 0; frame < frames; frame++) {
      const first = frame * melHop - frameSize / 2;
      // Frames of padding hold the floor already; only a frame that reaches past the end mirrors the sound.
      if (first >= samples.length && first + frameSize <= length) continue;
      this.#fillFrame(samples, length, first);
      this.#fft.power(this.#frame, this.#power);
      applyFilters(this.#filters, this.#power, this.#sums, 0);
      for (let band = 0, at = frame; band < bands; band++, at += frames) {
        const value = Math.log10(Math.max(this.#sums[band]!, 1e-10));
        data[at] = value;
        if (value > most) most = value;
      }
    }
    const least = most - 8;
    for (let at = 0; at < data.length; at++) data[at] = (Math.max(data[at]!, least) + 4) / 4;
    return { data, bands, frames };
  }

  /**
   * Puts the windowed frame from sample `first` on into `#frame`; sound is reflected at its start and end.
   */
  #fillFrame(samples: Float32Array, length: number, first: number): void {
    const inside = first >= 0 && first + frameSize <= samples.length;
    for (let i = 0; i < frameSize; i++) {
      const at = inside ? first + i : mirrored(first + i, length);
      this.#frame[i] = (at < samples.length ? samples[at]! : 0) * this.#window[i]!;
    }
  }
}

const floorLog = -10;

function mirrored(at: number, length: number): number {
  if (length === 1) return 0;
  const period = 2 * (length - 1);
  const within = ((at % period) + period) % period;
  return within < length ? within : period - within;
}
