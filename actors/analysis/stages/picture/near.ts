// Decides whether two pictures hardly differ anywhere, like those of a film in which nothing happens: an
// encoder keeps refining a still picture, and codes it anew with every keyframe. Blocks are compared by
// near.wasm, assembled from near.wat, in an eighth of the time of a loop in JavaScript. Pure but for the
// memory of the kernel.
import { readFileSync } from 'node:fs';

/** Size of a block: bytes of a row, which are five pixels and a third, and rows. */
const [blockBytes, blockRows] = [16, 8];
/**
 * Bounds out of 255. A byte that differs by more, or a block whose bytes differ by more on average, is a
 * change. Still pictures that encoders refine differ by less; a digit that changes differs by more.
 */
export const bounds = { byte: 12, block: 2 } as const;

type Near = (
  first: number,
  second: number,
  stride: number,
  rows: number,
  mostOfBlock: number,
  mostOfByte: number,
) => number;

const pageBytes = 65_536;
const memory = new WebAssembly.Memory({ initial: 1 });
const compiled = new WebAssembly.Module(readFileSync(new URL('./near.wasm', import.meta.url)));
const { exports } = new WebAssembly.Instance(compiled, { pictures: { memory } });
const near = exports['near'] as Near;

/** Stops at the first rows of blocks with a change. `stride`: bytes of a row of both pictures. */
export function isNear(before: Uint8Array, after: Uint8Array, stride: number): boolean {
  const band = stride * blockRows;
  const room = band + blockBytes;
  const more = Math.ceil((2 * room - memory.buffer.byteLength) / pageBytes);
  if (more > 0) memory.grow(more);
  const bytes = new Uint8Array(memory.buffer);
  for (let from = 0; from < before.length; from += band) {
    const to = Math.min(from + band, before.length);
    for (const [picture, at] of [[before, 0] as const, [after, room] as const]) {
      bytes.set(picture.subarray(from, to), at);
      // The kernel also compares bytes behind the last row, which are made equal.
      bytes.fill(0, at + to - from, at + to - from + blockBytes);
    }
    const rows = (to - from) / stride;
    const mostOfBlock = Math.floor(bounds.block * Math.min(blockBytes, stride) * rows);
    if (near(0, room, stride, rows, mostOfBlock, bounds.byte) === 0) return false;
  }
  return true;
}
