// Deterministic random numbers and smooth noise, from a seed.

/** Random numbers from 0 to 1 (exclusive), the same sequence for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 2 ** 32;
  };
}

/** Smooth noise, about 0 to 1, that varies over a distance of about 1. */
export type Noise = (x: number, y: number) => number;

const lattice = 256;

function valuesFrom(seed: number, period: number): Float32Array {
  const random = randomFrom(seed);
  const values = new Float32Array(period * period);
  for (let n = 0; n < values.length; n++) values[n] = random();
  return values;
}

/** 0 to 1, with first and second derivative 0 at both ends. */
function ease(at: number): number {
  return at * at * at * (at * (at * 6 - 15) + 10);
}

/** Value noise: random values at integer coordinates, interpolated. Period: a power of two up to 256. */
export function noiseFrom(seed: number, period = lattice): Noise {
  const values = valuesFrom(seed, period);
  const mask = period - 1;
  return (x, y) => {
    const column = Math.floor(x);
    const row = Math.floor(y);
    const fx = x - column;
    const fy = y - row;
    const sx = ease(fx);
    const sy = ease(fy);
    const top = (row & mask) * period;
    const bottom = ((row + 1) & mask) * period;
    const left = column & mask;
    const right = (column + 1) & mask;
    const above = values[top + left]! + (values[top + right]! - values[top + left]!) * sx;
    const below = values[bottom + left]! + (values[bottom + right]! - values[bottom + left]!) * sx;
    return above + (below - above) * sy;
  };
}

/** Fractal noise, 0 to 1: each octave has twice the frequency and half the amplitude of the one before. */
export function fractal(noise: Noise, octaves: number): Noise {
  return (x, y) => {
    let sum = 0;
    let total = 0;
    for (let octave = 0, strength = 1, scale = 1; octave < octaves; octave++, strength /= 2, scale *= 2) {
      // The offset keeps the grids of the octaves from sharing an origin.
      sum += strength * noise(x * scale + octave * 17, y * scale + octave * 31);
      total += strength;
    }
    return sum / total;
  };
}

/**
 * A seamless tile of size×size values, 0 to 255, of fractal noise with `cells` cells a side (powers of two).
 */
export function noiseTile(seed: number, size: number, cells: number, octaves: number): Uint8Array {
  const sum = new Float32Array(size * size);
  for (let octave = 0; octave < octaves; octave++) {
    const period = Math.min(lattice, cells << octave);
    addOctave(sum, size, valuesFrom(seed + octave, period), period, 2 ** -(octave + 1) / (1 - 2 ** -octaves));
  }
  return Uint8Array.from(sum, (value) => Math.round(value * 255));
}

/** Adds an octave to a whole tile; the parts that depend on the column alone are computed once. */
function addOctave(
  sum: Float32Array,
  size: number,
  values: Float32Array,
  period: number,
  share: number,
): void {
  const left = Int32Array.from({ length: size }, (_, x) => Math.floor((x * period) / size));
  const weight = Float32Array.from({ length: size }, (_, x) => ease(((x * period) / size) % 1));
  for (let y = 0, at = 0; y < size; y++) {
    const top = left[y]! * period;
    const bottom = ((left[y]! + 1) % period) * period;
    const down = weight[y]!;
    for (let x = 0; x < size; x++, at++) {
      const from = left[x]!;
      const to = from + 1 === period ? 0 : from + 1;
      const across = weight[x]!;
      const above = values[top + from]! + (values[top + to]! - values[top + from]!) * across;
      const below = values[bottom + from]! + (values[bottom + to]! - values[bottom + from]!) * across;
      sum[at]! += share * (above + (below - above) * down);
    }
  }
}

/** Smoothstep: 0 below `from`, 1 above `to`, smooth between them. */
export function smooth(from: number, to: number, value: number): number {
  const at = Math.max(0, Math.min(1, (value - from) / (to - from)));
  return at * at * (3 - 2 * at);
}
