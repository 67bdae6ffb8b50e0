// The input of a detector graph: RGB bytes in rows become planes of floats in the order of the row, padded with zeros.
import type { FaceDetectorSide } from '../../models/face-sides.ts';
import type { Picture } from '../picture.ts';
import { Planes } from '../planes.ts';

export interface DetectorInput {
  /** 1×3×height×width, *borrowed until the next filling*. */
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** Fills tensors of one graph, in one memory that grows to the largest picture. */
export class InputFiller {
  readonly #side: FaceDetectorSide;
  readonly #planes: Planes;

  constructor(side: FaceDetectorSide) {
    this.#side = side;
    this.#planes = new Planes(side);
  }

  /** The picture must not be larger than the one size of a graph that takes one. */
  fill({ data, width, height }: Picture): DetectorInput {
    const { multiple, fixed_side: fixed } = this.#side;
    const across = fixed ?? roundUp(width, multiple);
    const down = fixed ?? roundUp(height, multiple);
    const size = across * down;
    const target = this.#planes.take(data.subarray(0, width * height * 3), 3 * size);
    for (let y = 0; y < height; y++) {
      this.#planes.write(y * width, width, y * across, size);
      clear(target, size, y * across + width, (y + 1) * across);
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
