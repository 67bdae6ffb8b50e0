// The log-mel spectrogram that Whisper and its relatives take: 80 or 128 bands every 10 ms, scaled to about
// −1 … 1. Constants are those of the published feature extractor; tests hold golden values.
import { RealFft } from './fft.ts';
import { applyFilters, type FilterBank, slaneyFilters } from './filters.ts';

export const melRate = 16_000;
/** Samples from one frame to the next: 10 ms. */
export const melHop = 160;
const frameSize = 400;
/** Frames of the input of Whisper, always: 30 s. */
export const whisperFrames = 3000;
export const whisperSamples = whisperFrames * melHop;

/** `data`: bands×frames, in rows of one band. *Owned by the caller.* */
export interface MelSpectrogram {
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
