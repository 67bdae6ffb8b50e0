// The scan kernel, written in kernel.wat and committed assembled as kernel.wasm; a test assembles it again and compares.
import { readFileSync } from 'node:fs';

/** Scores `count` rows from byte `rows` on into float32s at byte `out`. Shapes: kernel.wat. */
export type Scan = (
  rows: number,
  count: number,
  stride: number,
  padded: number,
  query: number,
  out: number,
  queryScale: number,
) => void;

const compiled = new WebAssembly.Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));

/** The kernel over one memory. */
export function kernelOver(memory: WebAssembly.Memory): Scan {
  const instance = new WebAssembly.Instance(compiled, { memory: { rows: memory } });
  return instance.exports.scan as Scan;
}
