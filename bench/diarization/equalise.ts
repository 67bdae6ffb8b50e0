// The "eq" condition: every voice is filtered to the same average spectrum, so that speakers cannot be told
// apart by their microphone or room.
import { speechIn, type Voice } from './compose.ts';

const size = 512;
const bins = size / 2 + 1;
const taps = 255;
/** No band is raised or lowered by more, decibels. */
const most = 20;

/** The same voices, each filtered so that its spectrum while it speaks is the geometric mean of all. */
export function equalised(voices: readonly Voice[]): Voice[] {
  const spectra = voices.map(speechSpectrum);
  const target = Float64Array.from({ length: bins }, (_, bin) => mean(spectra.map((of) => of[bin]!)));
  return voices.map(({ name, pieces }, at) => {
    const gains = target.map((level, bin) => Math.max(-most, Math.min(most, level - spectra[at]![bin]!)));
    const filter = linearPhase(gains.map((gain) => 10 ** (gain / 20)));
    return { name, pieces: pieces.map((samples) => filtered(samples, filter)) };
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
const angle = (2 * Math.PI) / size;
const cosines = Float64Array.from({ length: size }, (_, at) => Math.cos(angle * at));
const sines = Float64Array.from({ length: size }, (_, at) => Math.sin(angle * at));
const hann = cosines.map((cosine) => 0.5 - 0.5 * cosine);

/** Mean power in each band while the voice speaks, decibels, smoothed over neighbours. */
function speechSpectrum({ pieces }: Voice): Float64Array {
  const power = new Float64Array(bins);
  for (const samples of pieces) {
    for (const [from, to] of speechIn(samples)) {
      for (let at = from; at + size <= to; at += 2 * size) addPower(samples.subarray(at, at + size), power);
    }
  }
  return power.map((_, bin) => {
    const near = power.subarray(Math.max(0, bin - 2), bin + 3);
    return 10 * Math.log10(near.reduce((sum, x) => sum + x, 1e-12) / near.length);
  });
}

function addPower(frame: Float32Array, power: Float64Array): void {
  const windowed = hann.map((weight, at) => weight * frame[at]!);
  for (let bin = 0; bin < bins; bin++) {
    let real = 0;
    let imaginary = 0;
    for (let at = 0; at < size; at++) {
      const turn = (bin * at) & (size - 1);
      real += windowed[at]! * cosines[turn]!;
      imaginary += windowed[at]! * sines[turn]!;
    }
    power[bin]! += real * real + imaginary * imaginary;
  }
}

/** A filter of `taps` whose amplitude follows `gains` (one for each band). */
function linearPhase(gains: Float64Array): Float32Array {
  const half = taps >> 1;
  return Float32Array.from({ length: taps }, (_, tap) => {
    const distance = tap - half;
    let sum = gains[0]! + gains[bins - 1]! * Math.cos(Math.PI * distance);
    for (let bin = 1; bin < bins - 1; bin++) sum += 2 * gains[bin]! * Math.cos(angle * bin * distance);
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (half + 1));
    return (sum / size) * window;
  });
}

/** A filter whose amplitude follows a curve: decibels, from 0 Hz (0) to half the rate (1). */
export function curveFilter(decibels: (part: number) => number): Float32Array {
  return linearPhase(
    Float64Array.from({ length: bins }, (_, bin) => 10 ** (decibels(bin / (bins - 1)) / 20)),
  );
}

/** The filtered samples, as many as `samples`, without delay. */
export function filtered(samples: Float32Array, filter: Float32Array): Float32Array {
  const half = filter.length >> 1;
  const padded = new Float32Array(samples.length + 2 * half);
  padded.set(samples, half);
  return samples.map((_, at) => {
    let sum = 0;
    for (let tap = 0; tap < filter.length; tap++) sum += filter[tap]! * padded[at + tap]!;
    return sum;
  });
}
