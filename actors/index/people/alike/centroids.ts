// The middles of clusters at 8 bits, each compared with all that come behind it: which pairs are worth a closer look. Some ten
// million pairs are compared in a second.
import { type Kernel, kernelOver } from '../../visual/kernel.ts';
import { paddedLength, quantize, stride8, writeRow8 } from '../../visual/quantize.ts';
import { Top } from '../../visual/topk.ts';
import type { IsCandidatePair } from './apart.ts';

const pageBytes = 65_536;

export class Centroids {
  readonly #count: number;
  readonly #padded: number;
  readonly #stride: number;
  readonly #memory: WebAssembly.Memory;
  readonly #kernel: Kernel;
  /** Bytes: the query, the scores, the places that stand out, the rows. */
  readonly #scoresAt: number;
  readonly #hitsAt: number;
  readonly #rowsAt: number;
  readonly #middles: Float32Array;
  readonly #dimensions: number;
  readonly #top: Top;
  #filled = 0;

  /** `candidates`: pairs that are kept. */
  constructor(count: number, dimensions: number, candidates: number) {
    this.#count = count;
    this.#dimensions = dimensions;
    this.#padded = paddedLength(dimensions);
    this.#stride = stride8(dimensions);
    const aligned = Math.ceil(count / 4) * 16;
    this.#scoresAt = this.#padded * 2;
    this.#hitsAt = this.#scoresAt + aligned;
    this.#rowsAt = this.#hitsAt + aligned;
    const bytes = this.#rowsAt + count * this.#stride;
    const pages = Math.ceil(bytes / pageBytes);
    this.#memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.#kernel = kernelOver(this.#memory);
    this.#middles = new Float32Array(count * dimensions);
    this.#top = new Top(candidates);
  }

  /** The next cluster, by some vectors of length 1; one without any is like nobody. */
  add(vectors: Float32Array): void {
    const d = this.#dimensions;
    const at = this.#filled++;
    const middle = this.#middles.subarray(at * d, (at + 1) * d);
    for (let i = 0; i < vectors.length; i++) middle[i % d]! += vectors[i]!;
    let square = 0;
    for (const value of middle) square += value * value;
    if (square > 0) for (let k = 0; k < d; k++) middle[k]! /= Math.sqrt(square);
    writeRow8(middle, new Uint8Array(this.#memory.buffer), this.#rowsAt + at * this.#stride);
  }

  /** Compares the cluster at `one` with those behind it, or with all others. Places among the clusters. */
  compare(one: number, withAll: boolean, isAsked: IsCandidatePair): void {
    const first = withAll ? 0 : one + 1;
    const count = this.#filled - first;
    if (count <= 0) return;
    const d = this.#dimensions;
    const query = new Int16Array(this.#memory.buffer, 0, this.#padded);
    const scale = quantize(this.#middles.subarray(one * d, (one + 1) * d), query);
    const rows = this.#rowsAt + first * this.#stride;
    this.#kernel.scan(rows, count, this.#stride, this.#padded, 0, this.#scoresAt, scale, 0);
    const least = Math.max(0, this.#top.threshold);
    const found = this.#kernel.above(this.#scoresAt, count, least, this.#hitsAt);
    const hits = new Int32Array(this.#memory.buffer, this.#hitsAt, found);
    const scores = new Float32Array(this.#memory.buffer, this.#scoresAt, count);
    for (const hit of hits) {
      const other = first + hit;
      if (other === one || scores[hit]! <= this.#top.threshold || !isAsked(one, other)) continue;
      this.#top.offer(scores[hit]!, one * this.#count + other);
    }
  }

  /** The pairs that are most alike, best first. */
  candidates(): [number, number][] {
    return this.#top
      .sorted()
      .map(({ item }) => [Math.floor(item / this.#count), item % this.#count] as [number, number]);
  }
}
