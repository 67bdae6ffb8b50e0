// Makes pictures smaller. What is done to each pixel is written in shrink.wat and committed assembled as
// shrink.wasm, which takes half the time of loops in JavaScript.
import { readFileSync } from 'node:fs';
import type { Picture } from '../../runtime/picture.ts';

/**
 * For each place of a scaled row or column: where its first value lies, and the weights of that and those
 * behind it.
 */
export interface Taps {
  readonly first: Int32Array;
  readonly count: number;
  readonly weights: Float32Array;
}

/** Numbers that are no counts are byte addresses. */
interface Kernel {
  /** Writes the weighted sum of `taps` rows of `count` bytes as floats. */
  rows(from: number, stride: number, taps: number, weights: number, count: number, to: number): void;
  /** Makes `count` pixels of `taps` pixels each. */
  columns(
    firsts: number,
    weights: number,
    taps: number,
    count: number,
    form: number,
    red: number,
    green: number,
    blue: number,
  ): void;
}

const pageBytes = 65_536;
/** The kernel touches so much behind a row, at most. */
const slackBytes = 64;
const memory = new WebAssembly.Memory({ initial: 1 });
const compiled = new WebAssembly.Module(readFileSync(new URL('./shrink.wasm', import.meta.url)));
const kernel = new WebAssembly.Instance(compiled, { pictures: { memory } }).exports as unknown as Kernel;

/** Addresses of parts of the memory one behind the other, which grows where they do not fit. */
function room(...bytes: readonly number[]): number[] {
  let end = 0;
  const places = bytes.map((length) => {
    const place = end;
    end = Math.ceil((place + length + slackBytes) / 16) * 16;
    return place;
  });
  const more = Math.ceil((end - memory.buffer.byteLength) / pageBytes);
  if (more > 0) memory.grow(more);
  return places;
}

/**
 * Three planes of floats: blue, green, red, with as many columns and rows as there are places. *Owned by the
 * caller.* `form`: what sums are multiplied by, then what is added, each for red, green, blue and nothing.
 */
export function shrink(
  { data, width }: Pick<Picture, 'data' | 'width'>,
  columns: Taps,
  rows: Taps,
  form: Float32Array,
): Float32Array {
  const [across, down] = [columns.first.length, rows.first.length];
  const begin = columns.first[0]! * 3;
  const length = (columns.first[across - 1]! + columns.count) * 3 - begin;
  const upper = rows.first[0]! * width * 3;
  const used = (rows.first[down - 1]! + rows.count) * width * 3 - upper;
  const floats = 3 * across * down;
  const [formAt, firstsAt, acrossAt, downAt, rowAt, planesAt, pixelsAt] = room(
    ...[form.byteLength, columns.first.byteLength, columns.weights.byteLength, rows.weights.byteLength],
    ...[length * 4, floats * 4, used],
  ) as [number, number, number, number, number, number, number];
  const { buffer } = memory;
  new Float32Array(buffer, formAt).set(form);
  new Int32Array(buffer, firstsAt).set(columns.first.map((first) => rowAt + (first * 3 - begin) * 4));
  new Float32Array(buffer, acrossAt).set(columns.weights);
  new Float32Array(buffer, downAt).set(rows.weights);
  new Uint8Array(buffer, pixelsAt).set(data.subarray(upper, upper + used));
  // Rows first: that goes through the picture as it lies in memory.
  for (let y = 0; y < down; y++) {
    const from = pixelsAt + rows.first[y]! * width * 3 - upper + begin;
    let taps = rows.count;
    while (rows.weights[y * rows.count + taps - 1] === 0) taps--;
    kernel.rows(from, width * 3, taps, downAt + y * rows.count * 4, length, rowAt);
    const blue = planesAt + y * across * 4;
    const [green, red] = [blue + across * down * 4, blue + 2 * across * down * 4];
    kernel.columns(firstsAt, acrossAt, columns.count, across, formAt, red, green, blue);
  }
  return new Float32Array(buffer, planesAt, floats).slice();
}
