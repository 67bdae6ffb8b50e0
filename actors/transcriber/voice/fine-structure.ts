// The fine structure of a spectrum: its log power from 94 to 4,000 Hz less the mean of its neighbourhood, which leaves the
// harmonics. In music it stays as it is while a note is held; in speech it moves with the pitch.

/** Bins of 31.25 Hz: the first, and how many. */
const first = 3;
const count = 125;
/** Bins to both sides of the neighbourhood. */
const reach = 4;
/** Distances in frames to the earlier ones that a frame is compared with: 40, 100 and 200 ms. They share no sample. */
const distances = [2, 5, 10] as const;
const ring = 11;

/** How strong the harmonics are, and their likeness to each earlier frame. */
export const fineValues = 1 + distances.length;

export class FineStructure {
  /** Ring buffer of fine structures, and their lengths. */
  readonly #past = new Float64Array(ring * count);
  readonly #lengths = new Float64Array(ring);
  readonly #sums = new Float64Array(count + 1);
  #frames = 0;

  /** `power`: a spectrum of 257 bins; `quiet`: added to each. Writes `fineValues` to `into`, all between −1 and 2. */
  measure(power: Float64Array, quiet: number, into: Float32Array, at: number): void {
    const now = this.#frames % ring;
    const length = this.#append(power, quiet, now * count);
    this.#lengths[now] = length;
    into[at] = Math.min(2, Math.sqrt(length / count));
    const past = this.#past;
    const [one, two, three] = distances;
    let a = ((now + ring - one) % ring) * count;
    let b = ((now + ring - two) % ring) * count;
    let c = ((now + ring - three) % ring) * count;
    let [near, middle, far] = [0, 0, 0];
    for (let bin = now * count, end = bin + count; bin < end; bin++) {
      const value = past[bin]!;
      near += value * past[a++]!;
      middle += value * past[b++]!;
      far += value * past[c++]!;
    }
    into[at + 1] = this.#cosine(near, now, one);
    into[at + 2] = this.#cosine(middle, now, two);
    into[at + 3] = this.#cosine(far, now, three);
    this.#frames += 1;
  }

  /** Answers the sum of squares. */
  #append(power: Float64Array, quiet: number, to: number): number {
    const sums = this.#sums;
    const past = this.#past;
    for (let bin = 0; bin < count; bin++) {
      const level = Math.log(power[first + bin]! + quiet);
      past[to + bin] = level;
      sums[bin + 1] = sums[bin]! + level;
    }
    let length = 0;
    for (let bin = 0; bin < count; bin++) {
      const from = Math.max(0, bin - reach);
      const end = Math.min(count, bin + reach + 1);
      const value = past[to + bin]! - (sums[end]! - sums[from]!) / (end - from);
      past[to + bin] = value;
      length += value * value;
    }
    return length;
  }

  /** Of a product with the frame so far before; 0 where there was none yet. */
  #cosine(product: number, now: number, distance: number): number {
    const lengths = this.#lengths[now]! * this.#lengths[(now + ring - distance) % ring]!;
    return product / Math.sqrt(Math.max(1e-9, lengths));
  }
}
