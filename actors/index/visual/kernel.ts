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

/**
 * As `Scan` by four queries, each followed by its float32 scale and error: the scores of each from `apart`
 * bytes after those of the one before, with `bound` errors added.
 */
type Four = (
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
  bound: number,
) => void;

/** Each float32 from byte `to` on becomes the larger of it and the one from byte `from` on. */
type Larger = (to: number, from: number, count: number) => void;

export interface Kernel {
  readonly scan: Scan;
  readonly four: Four;
  readonly larger: Larger;
  readonly above: Above;
}

const compiled = new WebAssembly.Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));

/** The kernel over one memory, which is shared. */
export function kernelOver(memory: WebAssembly.Memory): Kernel {
  const instance = new WebAssembly.Instance(compiled, { memory: { rows: memory } });
  return instance.exports as unknown as Kernel;
}
