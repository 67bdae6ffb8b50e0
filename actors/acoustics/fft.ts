// A fast Fourier transform of real samples (mixed radix 2, 3, 4, 5). One instance holds the twiddle factors
// and the work buffers, so that a frame allocates nothing.

/**
 * One pass of the transform: `radix` points at a time, `length` points still to split, `stride` already
 * split.
 */
interface Pass {
  readonly radix: number;
  readonly length: number;
  readonly stride: number;
  /** cos and sin of −2π·p·j/length for j of 1 … radix−1, by p. */
  readonly cos: Float64Array;
  readonly sin: Float64Array;
}

/** *Owned by the transform that works in them.* */
interface Points {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

export class RealFft {
  /** Samples of a frame. */
  readonly size: number;
  /** Values of a spectrum: 0 to half the sample rate, both included. */
  readonly bins: number;
  readonly #half: number;
  readonly #passes: readonly Pass[];
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  #from: Points;
  #to: Points;

  /** `size`: even, its half made of the factors 2, 3 and 5. Throws RangeError for another one. */
  constructor(size: number) {
    this.size = size;
    this.#half = size / 2;
    this.bins = this.#half + 1;
    this.#passes = passesOf(this.#half);
    this.#from = pointsOf(this.#half);
    this.#to = pointsOf(this.#half);
    this.#cos = Float64Array.from({ length: this.bins }, (_, k) => Math.cos((2 * Math.PI * k) / size));
    this.#sin = Float64Array.from({ length: this.bins }, (_, k) => -Math.sin((2 * Math.PI * k) / size));
  }

  /** Writes |X|² of `frame` (`size` samples) to the first `bins` places of `power`. */
  power(frame: Float64Array, power: Float64Array): void {
    const { re, im } = this.#run(frame);
    const half = this.#half;
    power[0] = (re[0]! + im[0]!) ** 2;
    power[half] = (re[0]! - im[0]!) ** 2;
    for (let k = 1, back = half - 1; k <= back; k++, back--) {
      const evenRe = (re[k]! + re[back]!) / 2;
      const evenIm = (im[k]! - im[back]!) / 2;
      const oddRe = (im[k]! + im[back]!) / 2;
      const oddIm = (re[back]! - re[k]!) / 2;
      const cos = this.#cos[k]!;
      const sin = this.#sin[k]!;
      const turnedRe = oddRe * cos - oddIm * sin;
      const turnedIm = oddRe * sin + oddIm * cos;
      // The other half of a pair is the mirror image: the same two sums, subtracted.
      power[k] = (evenRe + turnedRe) ** 2 + (evenIm + turnedIm) ** 2;
      power[back] = (evenRe - turnedRe) ** 2 + (evenIm - turnedIm) ** 2;
    }
  }

  /** Pairs of samples as complex numbers, transformed. */
  #run(frame: Float64Array): Points {
    const { re, im } = this.#from;
    for (let i = 0, at = 0; i < this.#half; i++, at += 2) {
      re[i] = frame[at]!;
      im[i] = frame[at + 1]!;
    }
    for (const pass of this.#passes) {
      butterflies[pass.radix]!(pass, this.#from, this.#to);
      const done = this.#to;
      this.#to = this.#from;
      this.#from = done;
    }
    return this.#from;
  }
}

function pointsOf(count: number): Points {
  return { re: new Float64Array(count), im: new Float64Array(count) };
}

function passesOf(count: number): Pass[] {
  const passes: Pass[] = [];
  let length = count;
  for (let stride = 1; length > 1; stride = count / length) {
    const radix = [4, 5, 3, 2].find((factor) => length % factor === 0);
    if (!Number.isInteger(count) || radix === undefined) {
      throw new RangeError(`A transform of ${count * 2} samples: half of it is not made of 2, 3 and 5`);
    }
    passes.push({ radix, length, stride, ...twiddles(length, radix) });
    length /= radix;
  }
  if (passes.length === 0) throw new RangeError(`A transform of ${count * 2} samples`);
  return passes;
}

function twiddles(length: number, radix: number): { cos: Float64Array; sin: Float64Array } {
  const cos = new Float64Array((length / radix) * (radix - 1));
  const sin = new Float64Array(cos.length);
  for (let p = 0, at = 0; p < length / radix; p++) {
    for (let j = 1; j < radix; j++, at++) {
      const angle = (-2 * Math.PI * p * j) / length;
      cos[at] = Math.cos(angle);
      sin[at] = Math.sin(angle);
    }
  }
  return { cos, sin };
}

// Stockham's order: every pass reads one array and writes the other, and the result needs no sorting.
const butterflies: Readonly<Record<number, (pass: Pass, from: Points, to: Points) => void>> = {
  2: byTwo,
  3: byThree,
  4: byFour,
  5: byFive,
};

function byTwo({ length, stride, cos, sin }: Pass, { re, im }: Points, to: Points): void {
  const part = length / 2;
  const far = part * stride;
  for (let p = 0; p < part; p++) {
    const c = cos[p]!;
    const s = sin[p]!;
    const out = 2 * p * stride;
    for (let q = 0, a = p * stride; q < stride; q++, a++) {
      const b = a + far;
      const dRe = re[a]! - re[b]!;
      const dIm = im[a]! - im[b]!;
      to.re[out + q] = re[a]! + re[b]!;
      to.im[out + q] = im[a]! + im[b]!;
      to.re[out + stride + q] = dRe * c - dIm * s;
      to.im[out + stride + q] = dRe * s + dIm * c;
    }
  }
}

const sin60 = Math.sqrt(3) / 2;

function byThree({ length, stride, cos, sin }: Pass, { re, im }: Points, to: Points): void {
  const part = length / 3;
  const far = part * stride;
  for (let p = 0; p < part; p++) {
    const out = 3 * p * stride;
    for (let q = 0, a = p * stride; q < stride; q++, a++) {
      const b = a + far;
      const c = b + far;
      const sumRe = re[b]! + re[c]!;
      const sumIm = im[b]! + im[c]!;
      const midRe = re[a]! - sumRe / 2;
      const midIm = im[a]! - sumIm / 2;
      const turnRe = (im[b]! - im[c]!) * sin60;
      const turnIm = (re[c]! - re[b]!) * sin60;
      to.re[out + q] = re[a]! + sumRe;
      to.im[out + q] = im[a]! + sumIm;
      turn(to, out + stride + q, midRe + turnRe, midIm + turnIm, cos[2 * p]!, sin[2 * p]!);
      turn(to, out + 2 * stride + q, midRe - turnRe, midIm - turnIm, cos[2 * p + 1]!, sin[2 * p + 1]!);
    }
  }
}

function byFour({ length, stride, cos, sin }: Pass, { re, im }: Points, to: Points): void {
  const part = length / 4;
  const far = part * stride;
  for (let p = 0; p < part; p++) {
    const w = 3 * p;
    const out = 4 * p * stride;
    for (let q = 0, a = p * stride; q < stride; q++, a++) {
      const b = a + far;
      const c = b + far;
      const d = c + far;
      const acRe = re[a]! + re[c]!;
      const acIm = im[a]! + im[c]!;
      const bdRe = re[b]! + re[d]!;
      const bdIm = im[b]! + im[d]!;
      const minusRe = re[a]! - re[c]!;
      const minusIm = im[a]! - im[c]!;
      const turnRe = im[b]! - im[d]!;
      const turnIm = re[d]! - re[b]!;
      to.re[out + q] = acRe + bdRe;
      to.im[out + q] = acIm + bdIm;
      turn(to, out + stride + q, minusRe + turnRe, minusIm + turnIm, cos[w]!, sin[w]!);
      turn(to, out + 2 * stride + q, acRe - bdRe, acIm - bdIm, cos[w + 1]!, sin[w + 1]!);
      turn(to, out + 3 * stride + q, minusRe - turnRe, minusIm - turnIm, cos[w + 2]!, sin[w + 2]!);
    }
  }
}

const cos72 = Math.cos((2 * Math.PI) / 5);
const sin72 = Math.sin((2 * Math.PI) / 5);
const cos144 = Math.cos((4 * Math.PI) / 5);
const sin144 = Math.sin((4 * Math.PI) / 5);

function byFive({ length, stride, cos, sin }: Pass, { re, im }: Points, to: Points): void {
  const part = length / 5;
  const far = part * stride;
  for (let p = 0; p < part; p++) {
    const w = 4 * p;
    const out = 5 * p * stride;
    for (let q = 0, a = p * stride; q < stride; q++, a++) {
      const b = a + far;
      const c = b + far;
      const d = c + far;
      const e = d + far;
      const beRe = re[b]! + re[e]!;
      const beIm = im[b]! + im[e]!;
      const cdRe = re[c]! + re[d]!;
      const cdIm = im[c]! + im[d]!;
      const offBe = { re: re[b]! - re[e]!, im: im[b]! - im[e]! };
      const offCd = { re: re[c]! - re[d]!, im: im[c]! - im[d]! };
      const nearRe = re[a]! + cos72 * beRe + cos144 * cdRe;
      const nearIm = im[a]! + cos72 * beIm + cos144 * cdIm;
      const wideRe = re[a]! + cos144 * beRe + cos72 * cdRe;
      const wideIm = im[a]! + cos144 * beIm + cos72 * cdIm;
      const nearTurnRe = sin72 * offBe.im + sin144 * offCd.im;
      const nearTurnIm = -sin72 * offBe.re - sin144 * offCd.re;
      const wideTurnRe = sin144 * offBe.im - sin72 * offCd.im;
      const wideTurnIm = -sin144 * offBe.re + sin72 * offCd.re;
      to.re[out + q] = re[a]! + beRe + cdRe;
      to.im[out + q] = im[a]! + beIm + cdIm;
      turn(to, out + stride + q, nearRe + nearTurnRe, nearIm + nearTurnIm, cos[w]!, sin[w]!);
      turn(to, out + 2 * stride + q, wideRe + wideTurnRe, wideIm + wideTurnIm, cos[w + 1]!, sin[w + 1]!);
      turn(to, out + 3 * stride + q, wideRe - wideTurnRe, wideIm - wideTurnIm, cos[w + 2]!, sin[w + 2]!);
      turn(to, out + 4 * stride + q, nearRe - nearTurnRe, nearIm - nearTurnIm, cos[w + 3]!, sin[w + 3]!);
    }
  }
}

/** Writes (re + i·im)·(cos + i·sin). */
function turn(
  { re: toRe, im: toIm }: Points,
  at: number,
  re: number,
  im: number,
  cos: number,
  sin: number,
): void {
  toRe[at] = re * cos - im * sin;
  toIm[at] = re * sin + im * cos;
}
