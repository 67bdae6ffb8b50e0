// The input of a detector graph: RGB bytes in rows become planes of floats in the order of the row, padded with black.

import type { Picture } from '../../../runtime/picture.ts';
import type { FaceDetectorSide } from '../../models/face-sides.ts';
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
  /** A black pixel as the graph is given it: pictures are padded first, and normalised then, by the makers of the models. */
  readonly #black: number;

  constructor(side: FaceDetectorSide) {
    this.#side = side;
    this.#black = (0 - side.mean) / side.scale;
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
      this.#pad(target, size, y * across + width, (y + 1) * across);
    }
    this.#pad(target, size, height * across, size);
    return { data: target, width: across, height: down };
  }

  /** Black in each of the three planes. */
  #pad(target: Float32Array, size: number, from: number, to: number): void {
    if (from === to) return;
    for (let plane = 0; plane < 3; plane++) target.fill(this.#black, plane * size + from, plane * size + to);
  }
}

function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
