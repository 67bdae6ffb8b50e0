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
export function slaneyFilters(count: number, fftSize: number, sampleRate: number): FilterBank {
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
