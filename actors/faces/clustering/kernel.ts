// The kernel that finds similar pairs, written in similar.wat and committed assembled as similar.wasm; a test
// assembles it again and compares.
import { readFileSync } from 'node:fs';

/**
 * Writes the indices of the `count` float32s from byte `values` on that are at least `least` to byte `out`:
 * how many.
 */
type Reaching = (values: number, count: number, least: number, out: number) => number;

export interface Kernel {
  readonly reaching: Reaching;
}

const compiled = new WebAssembly.Module(readFileSync(new URL('./similar.wasm', import.meta.url)));

/** The kernel over one memory. */
export function kernelOver(memory: WebAssembly.Memory): Kernel {
  const instance = new WebAssembly.Instance(compiled, { memory: { cosines: memory } });
  return instance.exports as unknown as Kernel;
}
