// The scan kernel, written in kernel.wat and committed assembled as kernel.wasm; a test assembles it again
// and compares.
import { readFileSync } from 'node:fs';

/**
 * Scores `count` rows from byte `rows` on into float32s at byte `out`, each with `error` times its scale.
 * Shapes: kernel.wat.
 */
type Scan = (
  rows: number,
  count: number,
  stride: number,
  padded: number,
  query: number,
  out: number,
  queryScale: number,
  error: number,
) => void;

/**
 * Writes the indices of the float32s from byte `scores` on that are above `least` to byte `out`: how many
 * there are.
 */
type Above = (scores: number, count: number, least: number, out: number) => number;

/** Writes the facts of `count` rows behind their scale. Called once they are written, and before `Coarse`. */
type Weigh = (rows: number, count: number, stride: number, padded: number) => void;

/** Writes what no exact score of each row is above, by a query of 7 bits. */
type Coarse = (
  rows: number,
  count: number,
  stride: number,
  padded: number,
  query: number,
  out: number,
) => void;

/** Like `Coarse` by four queries: the scores of each are `apart` bytes after those of the one before. */
type CoarseFour = (
  rows: number,
  count: number,
  stride: number,
  padded: number,
  first: number,
  second: number,
  third: number,
  fourth: number,
  out: number,
  apart: number,
) => void;

/** Each float32 from byte `to` on becomes the larger of it and the one from byte `from` on. */
type Larger = (to: number, from: number, count: number) => void;

export interface Kernel {
  readonly scan: Scan;
  readonly weigh: Weigh;
  readonly coarse: Coarse;
  readonly coarseFour: CoarseFour;
  readonly larger: Larger;
  readonly above: Above;
}

const compiled = new WebAssembly.Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));

/** The kernel over one memory, which is shared. */
export function kernelOver(memory: WebAssembly.Memory): Kernel {
  const instance = new WebAssembly.Instance(compiled, { memory: { rows: memory } });
  return instance.exports as unknown as Kernel;
}
