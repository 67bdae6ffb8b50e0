// The scan kernel, written in kernel.wat and committed assembled as kernel.wasm; a test assembles it again
// and compares.
import { readFileSync } from 'node:fs';

/** `count` rows from byte `rows` on: bytes from one to the next, and values in each. Shapes: kernel.wat. */
type Rows = [rows: number, count: number, stride: number, padded: number];

/** Scores rows into float32s at byte `out`, each with `error` times its scale. */
type Scan = (...args: [...Rows, query: number, out: number, queryScale: number, error: number]) => void;

/**
 * Writes the indices of the float32s from byte `scores` on that are above `least` to byte `out`: how many
 * there are.
 */
type Above = (scores: number, count: number, least: number, out: number) => number;

/** Writes the facts of rows behind their scale. Called once they are written, and before `Coarse`. */
type Weigh = (...args: Rows) => void;

/** Writes an upper bound of the exact score of each row, by a query of 7 bits. */
type Coarse = (...args: [...Rows, query: number, out: number]) => void;

/** Like `Coarse` by four queries: the scores of each are `apart` bytes after those of the one before. */
type CoarseFour = (
  ...args: [...Rows, first: number, second: number, third: number, fourth: number, out: number, apart: number]
) => void;

/** Each float32 from byte `to` on becomes the larger of it and the one from byte `from` on. */
type Larger = (to: number, from: number, count: number) => void;

export interface ScanKernel {
  readonly scan: Scan;
  readonly weigh: Weigh;
  readonly coarse: Coarse;
  readonly coarseFour: CoarseFour;
  readonly larger: Larger;
  readonly above: Above;
}

const compiled = new WebAssembly.Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));

export function kernelOver(memory: WebAssembly.Memory): ScanKernel {
  const instance = new WebAssembly.Instance(compiled, { memory: { rows: memory } });
  return instance.exports as unknown as ScanKernel;
}
