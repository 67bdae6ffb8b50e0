// Changes that lines and files make to a voice: the telephone, and a transform codec at a low bit rate.
import { curveFilter } from '../diarization/equalise.ts';
import { throughFilter, transform } from './fourier.ts';

const levelOf = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / Math.max(1, samples.length));

/** A slope of the telephone's filters, decibels. */
const slope = (octaves: number) => Math.max(-60, -48 * Math.max(0, octaves));
const line = curveFilter((part) => {
  const hertz = Math.max(1, part * 8000);
  return Math.max(-60, slope(Math.log2(300 / hertz)) + slope(Math.log2(hertz / 3400)));
});
const smooth = curveFilter((part) => slope(Math.log2(Math.max(1, part * 8000) / 3600)));

/**
 * 300 to 3400 Hz, 8000 samples a second of 8 bits each (µ-law, as ITU G.711). As long as `samples`, and as
 * loud.
 */
export function throughTelephone(samples: Float32Array): Float32Array {
  const narrow = throughFilter(samples, line);
  const level = levelOf(narrow);
  const gain = level > 0 ? 0.06 / level : 1;
  const sparse = narrow.map((x, at) => (at % 2 === 0 ? 2 * muLaw(gain * x) : 0));
  return asLoudAs(throughFilter(sparse, smooth), samples);
}

/** To the nearest of the 256 values that 8 bits can say. */
export function muLaw(x: number): number {
  const level = Math.log1p(255 * Math.min(1, Math.abs(x))) / Math.log(256);
  return (Math.sign(x) * (256 ** (Math.round(level * 127) / 127) - 1)) / 255;
}

function asLoudAs(signal: Float32Array, samples: Float32Array): Float32Array {
  const level = levelOf(signal);
  if (level === 0) return signal;
  const gain = levelOf(samples) / level;
  return signal.map((x) => gain * x);
}

export interface TransformCodec {
  /** Nothing above it is kept. */
  readonly topHertz: number;
  /** Decibels by which the noise of quantising stays below the sound of its band. */
  readonly ratio: number;
}

const hop = 256;
const frame = 2 * hop;
const phase = 0.5 + hop / 2;
const window = Float64Array.from({ length: frame }, (_, at) => Math.sin((Math.PI * (at + 0.5)) / frame));

/**
 * Codes sound as codecs of low bit rates do: windows of 32 ms become a modified cosine transform, each
 * band of it is quantised as coarsely as its own loudness hides, and bands far below the loudest are dropped.
 * The result is as long as `samples`.
 */
export function throughCodec(samples: Float32Array, codec: TransformCodec): Float32Array {
  const output = new Float32Array(samples.length + 2 * frame);
  for (let start = -hop; start < samples.length; start += hop) {
    const coefficients = forward(samples, start);
    quantise(coefficients, codec);
    backward(coefficients, output, start + hop);
  }
  return output.slice(hop, hop + samples.length);
}

const turnOf = (angle: number) => [Math.cos(angle), Math.sin(angle)] as const;
const entering = Array.from({ length: frame }, (_, n) => turnOf((-Math.PI * n) / frame));
const forwardTurn = Array.from({ length: hop }, (_, k) => turnOf((-Math.PI * phase * (k + 0.5)) / hop));
const backwardTurn = Array.from({ length: hop }, (_, k) => turnOf((-Math.PI * phase * k) / hop));
const leaving = Array.from({ length: frame }, (_, n) => turnOf((-Math.PI * (n + phase)) / frame));

function forward(samples: Float32Array, start: number): Float64Array {
  const re = new Float64Array(frame);
  const im = new Float64Array(frame);
  for (let n = 0; n < frame; n++) {
    const x = window[n]! * (samples[start + n] ?? 0);
    re[n] = x * entering[n]![0];
    im[n] = x * entering[n]![1];
  }
  transform(re, im);
  return Float64Array.from(
    { length: hop },
    (_, k) => re[k]! * forwardTurn[k]![0] - im[k]! * forwardTurn[k]![1],
  );
}

function backward(coefficients: Float64Array, into: Float32Array, at: number): void {
  const re = new Float64Array(frame);
  const im = new Float64Array(frame);
  coefficients.forEach((x, k) => {
    re[k] = x * backwardTurn[k]![0];
    im[k] = x * backwardTurn[k]![1];
  });
  transform(re, im);
  for (let n = 0; n < frame; n++) {
    into[at + n]! += ((re[n]! * leaving[n]![0] - im[n]! * leaving[n]![1]) * window[n]! * 2) / hop;
  }
}

/** First coefficient of each band: narrow below, wide above, as hearing is. */
const bands = [0, 4, 8, 12, 16, 20, 26, 32, 40, 50, 62, 78, 98, 124, 156, 196, 256];

function quantise(coefficients: Float64Array, { topHertz, ratio }: TransformCodec): void {
  const levels = bands.slice(1).map((end, band) => levelBetween(coefficients, bands[band]!, end));
  const loudest = Math.max(...levels, 1e-9);
  for (const [band, level] of levels.entries()) {
    const [from, to] = [bands[band]!, bands[band + 1]!];
    const isKept = (from * 8000) / hop < topHertz && level > loudest * 10 ** (-(ratio + 30) / 20);
    // Evenly spread errors of one step have a root mean square of step / sqrt(12).
    const step = level * 10 ** (-ratio / 20) * Math.sqrt(12);
    for (let k = from; k < to; k++) {
      coefficients[k] = isKept && step > 0 ? Math.round(coefficients[k]! / step) * step : 0;
    }
  }
}

function levelBetween(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += values[at]! ** 2;
  return Math.sqrt(sum / (to - from));
}
