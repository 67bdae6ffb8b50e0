// The complex fast Fourier transform that measurements filter with, and convolution with long responses.

/** In place; the length is a power of two. */
export function transform(re: Float64Array, im: Float64Array): void {
  const size = re.length;
  if (size !== im.length || (size & (size - 1)) !== 0) throw new RangeError(`a transform of ${size} points`);
  for (let at = 1, mirror = 0; at < size; at++) {
    let bit = size >> 1;
    for (; mirror & bit; bit >>= 1) mirror ^= bit;
    mirror ^= bit;
    if (at >= mirror) continue;
    [re[at], re[mirror]] = [re[mirror]!, re[at]!];
    [im[at], im[mirror]] = [im[mirror]!, im[at]!];
  }
  const { cos, sin } = circle(size);
  for (let half = 1; half < size; half *= 2) {
    const turn = size / (2 * half);
    for (let first = 0; first < size; first += 2 * half) {
      for (let at = 0; at < half; at++) {
        const [low, high] = [first + at, first + at + half];
        const [c, s] = [cos[at * turn]!, sin[at * turn]!];
        const real = re[high]! * c + im[high]! * s;
        const imaginary = im[high]! * c - re[high]! * s;
        re[high] = re[low]! - real;
        im[high] = im[low]! - imaginary;
        re[low]! += real;
        im[low]! += imaginary;
      }
    }
  }
}

const circles = new Map<number, { cos: Float64Array; sin: Float64Array }>();

function circle(size: number) {
  const knownCircle = circles.get(size);
  if (knownCircle) return knownCircle;
  const angles = Float64Array.from({ length: size >> 1 }, (_, at) => (2 * Math.PI * at) / size);
  const circle = { cos: angles.map(Math.cos), sin: angles.map(Math.sin) };
  circles.set(size, circle);
  return circle;
}

/** All of it, block by block: `samples.length + response.length - 1` samples. */
export function convolved(samples: Float32Array, response: Float32Array): Float32Array {
  if (samples.length === 0 || response.length === 0) return new Float32Array(0);
  const output = new Float32Array(samples.length + response.length - 1);
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, Math.min(4 * response.length, output.length))));
  const block = size - response.length + 1;
  const spectrum = { re: new Float64Array(size), im: new Float64Array(size) };
  spectrum.re.set(response);
  transform(spectrum.re, spectrum.im);
  // Two blocks at once: real samples leave the imaginary part free.
  for (let start = 0; start < samples.length; start += 2 * block) {
    const re = new Float64Array(size);
    const im = new Float64Array(size);
    re.set(samples.subarray(start, start + block));
    im.set(samples.subarray(start + block, start + 2 * block));
    transform(re, im);
    for (let at = 0; at < size; at++) {
      const [a, b] = [re[at]!, im[at]!];
      const [c, d] = [spectrum.re[at]!, spectrum.im[at]!];
      re[at] = a * c - b * d;
      // The conjugate: transformed once more it is the conjugate of the inverse.
      im[at] = -(a * d + b * c);
    }
    transform(re, im);
    addTo(output, re, start, 1 / size);
    addTo(output, im, start + block, -1 / size);
  }
  return output;
}

function addTo(into: Float32Array, values: Float64Array, start: number, gain: number): void {
  const end = Math.min(values.length, into.length - start);
  for (let at = 0; at < end; at++) into[start + at]! += gain * values[at]!;
}

/** Through a filter of linear phase with an odd number of taps: as long as `samples`, without delay. */
export function throughFilter(samples: Float32Array, filter: Float32Array): Float32Array {
  const half = filter.length >> 1;
  return convolved(samples, filter).subarray(half, half + samples.length);
}
