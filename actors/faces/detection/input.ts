// The input of a detector graph: RGB bytes in rows become planes of floats in the order of the row, padded with zeros.
import type { FaceDetectorSide } from '../../models/contract.ts';
import type { Picture } from '../picture.ts';

export interface DetectorInput {
  /** 1×3×height×width, *borrowed until the next filling*. */
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** Fills tensors of one graph, in one buffer that grows to the largest picture. */
export class InputFiller {
  readonly #side: FaceDetectorSide;
  #buffer = new Float32Array(0);
  /** Of each byte, what the graph is given. */
  readonly #values: Float32Array;

  constructor(side: FaceDetectorSide) {
    this.#side = side;
    this.#values = Float32Array.from({ length: 256 }, (_, value) => (value - side.mean) / side.scale);
  }

  /** The picture must not be larger than the one size of a graph that takes one. */
  fill({ data, width, height }: Picture): DetectorInput {
    const { multiple, fixed_side: fixed, color } = this.#side;
    const across = fixed ?? roundUp(width, multiple);
    const down = fixed ?? roundUp(height, multiple);
    const size = across * down;
    if (this.#buffer.length < 3 * size) this.#buffer = new Float32Array(3 * size);
    const target = this.#buffer.subarray(0, 3 * size);
    const red = target.subarray(color === 'rgb' ? 0 : 2 * size).subarray(0, size);
    const green = target.subarray(size, 2 * size);
    const blue = target.subarray(color === 'rgb' ? 2 * size : 0).subarray(0, size);
    const values = this.#values;
    let from = 0;
    for (let y = 0; y < height; y++) {
      const start = y * across;
      for (let to = start; to < start + width; to++, from += 3) {
        red[to] = values[data[from]!]!;
        green[to] = values[data[from + 1]!]!;
        blue[to] = values[data[from + 2]!]!;
      }
      clear(target, size, start + width, start + across);
    }
    clear(target, size, height * across, size);
    return { data: target, width: across, height: down };
  }
}

/** Zeros, as the makers of the models pad, in each of the three planes. */
function clear(target: Float32Array, size: number, from: number, to: number): void {
  if (from === to) return;
  for (let plane = 0; plane < 3; plane++) target.fill(0, plane * size + from, plane * size + to);
}

function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
