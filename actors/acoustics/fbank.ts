// Kaldi's filter bank features for speaker embedding models: 80 log-mel energies every 10 ms. Sound arrives
// in blocks of any size; the samples of an incomplete frame are carried over.
import { RealFft } from './fft.ts';
import { applyFilters, type FilterBank, kaldiFilters } from './mel.ts';

export interface FbankOptions {
  /** hamming: symmetric, as WeSpeaker. povey: a raised cosine to the power of 0.85, Kaldi's own, as CAM++. */
  readonly window: 'hamming' | 'povey';
  /** Factor that scales samples of −1 to 1. */
  readonly scale: number;
}

export const wespeakerFbank: FbankOptions = { window: 'hamming', scale: 32_768 };
export const campplusFbank: FbankOptions = { window: 'povey', scale: 1 };

export const fbankBands = 80;
/** Samples from one frame to the next, and in a frame: 10 ms, 25 ms at 16 kHz. */
export const fbankHop = 160;
export const fbankSize = 400;
const sampleRate = 16_000;
const fftSize = 512;
const preEmphasis = 0.97;
const minEnergy = 1.1920928955078125e-7;

/** Whole frames in so many samples. */
export function fbankFrames(samples: number): number {
  return samples < fbankSize ? 0 : 1 + Math.floor((samples - fbankSize) / fbankHop);
}

export class Fbank {
  readonly #scale: number;
  readonly #window: Float64Array;
  readonly #filters: FilterBank = kaldiFilters(fbankBands, fftSize, sampleRate, 20, 8000);
  readonly #fft = new RealFft(fftSize);
  /** Zero-padded to the size of the transform. */
  readonly #frame = new Float64Array(fftSize);
  readonly #power = new Float64Array(fftSize / 2 + 1);
  readonly #sums = new Float64Array(fbankBands);
  #carried = new Float32Array(0);

  constructor({ window, scale }: FbankOptions) {
    this.#scale = scale;
    this.#window = Float64Array.from({ length: fbankSize }, (_, i) => {
      const cos = Math.cos((2 * Math.PI * i) / (fbankSize - 1));
      return window === 'hamming' ? 0.54 - 0.46 * cos : (0.5 - 0.5 * cos) ** 0.85;
    });
  }

  /** The frames that the sound so far has completed: frames×80. `samples`: the next ones, *copied*. */
  push(samples: Float32Array): Float32Array {
    const sound = join(this.#carried, samples);
    const features = this.whole(sound);
    this.#carried = sound.slice((features.length / fbankBands) * fbankHop);
    return features;
  }

  /** Drops the carried samples: the next block begins a new sound. */
  reset(): void {
    this.#carried = new Float32Array(0);
  }

  /** frames×80 of a sound by itself; nothing is carried. */
  whole(samples: Float32Array): Float32Array {
    const frames = fbankFrames(samples.length);
    const features = new Float32Array(frames * fbankBands);
    for (let frame = 0; frame < frames; frame++) {
      this.#fillFrame(samples, frame * fbankHop);
      this.#fft.power(this.#frame, this.#power);
      applyFilters(this.#filters, this.#power, this.#sums, 0);
      const at = frame * fbankBands;
      for (let band = 0; band < fbankBands; band++) {
        features[at + band] = Math.log(Math.max(this.#sums[band]!, minEnergy));
      }
    }
    return features;
  }

  /** Puts the frame from sample `first` on into `#frame`: mean removed, pre-emphasised, windowed. */
  #fillFrame(samples: Float32Array, first: number): void {
    const frame = this.#frame;
    const window = this.#window;
    let sum = 0;
    for (let i = 0; i < fbankSize; i++) sum += samples[first + i]!;
    const mean = sum / fbankSize;
    // The first sample stands for the one before it, as in Kaldi.
    let before = (samples[first]! - mean) * this.#scale;
    for (let i = 0; i < fbankSize; i++) {
      const value = (samples[first + i]! - mean) * this.#scale;
      frame[i] = (value - preEmphasis * before) * window[i]!;
      before = value;
    }
  }
}

/**
 * Mean normalisation, in place: subtracts from every band its mean over all frames, and so the microphone and
 * the room.
 */
export function removeMean(features: Float32Array, bands: number): void {
  const frames = features.length / bands;
  for (let band = 0; band < bands; band++) {
    let sum = 0;
    for (let at = band; at < features.length; at += bands) sum += features[at]!;
    const mean = sum / frames;
    for (let at = band; at < features.length; at += bands) features[at] = features[at]! - mean;
  }
}

function join(first: Float32Array, then: Float32Array): Float32Array<ArrayBuffer> {
  const all = new Float32Array(first.length + then.length);
  all.set(first);
  all.set(then, first.length);
  return all;
}
