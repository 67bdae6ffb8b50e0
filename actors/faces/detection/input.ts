// The input of a detector graph: RGB bytes in rows become planes of floats in the order of the row, padded with zeros. The
// kernel is written in planes.wat and committed assembled as planes.wasm: it takes a sixth of the time of a loop in JavaScript.
import { readFileSync } from 'node:fs';
import type { FaceDetectorSide } from '../../models/contract.ts';
import type { Picture } from '../picture.ts';

export interface DetectorInput {
  /** 1×3×height×width, *borrowed until the next filling*. */
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

interface Kernel {
  /** Byte addresses; `count` pixels. */
  planes(
    from: number,
    count: number,
    red: number,
    green: number,
    blue: number,
    mean: number,
    factor: number,
  ): void;
}

const compiled = new WebAssembly.Module(readFileSync(new URL('./planes.wasm', import.meta.url)));

const pageBytes = 65_536;
/** The kernel reads so far beyond the last pixel, at most. */
const slackBytes = 16;

/** Fills tensors of one graph, in one memory that grows to the largest picture. */
export class InputFiller {
  readonly #side: FaceDetectorSide;
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #kernel: Kernel;

  constructor(side: FaceDetectorSide) {
    this.#side = side;
    const instance = new WebAssembly.Instance(compiled, { pictures: { memory: this.#memory } });
    this.#kernel = instance.exports as unknown as Kernel;
  }

  /** The picture must not be larger than the one size of a graph that takes one. */
  fill({ data, width, height }: Picture): DetectorInput {
    const { multiple, fixed_side: fixed, color, mean, scale } = this.#side;
    const across = fixed ?? roundUp(width, multiple);
    const down = fixed ?? roundUp(height, multiple);
    const size = across * down;
    const pixels = 3 * size * 4;
    this.#grow(pixels + width * height * 3 + slackBytes);
    new Uint8Array(this.#memory.buffer, pixels).set(data.subarray(0, width * height * 3));
    const target = new Float32Array(this.#memory.buffer, 0, 3 * size);
    const [red, blue] = color === 'rgb' ? [0, 2] : [2, 0];
    // A division takes a vector unit five times as long.
    const factor = 1 / scale;
    const address = (plane: number, y: number) => (plane * size + y * across) * 4;
    for (let y = 0; y < height; y++) {
      const from = pixels + y * width * 3;
      this.#kernel.planes(from, width, address(red, y), address(1, y), address(blue, y), mean, factor);
      clear(target, size, y * across + width, (y + 1) * across);
    }
    clear(target, size, height * across, size);
    return { data: target, width: across, height: down };
  }

  #grow(bytes: number): void {
    const more = Math.ceil((bytes - this.#memory.buffer.byteLength) / pageBytes);
    if (more > 0) this.#memory.grow(more);
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
