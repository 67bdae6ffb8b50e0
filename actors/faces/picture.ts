// Pixels as faces are looked for in them: RGB bytes in rows, and the same picture at half its size.

import { readFileSync } from 'node:fs';
import type { Picture } from '../../runtime/picture.ts';

/** The mean of each 2×2 pixels; an odd last row or column is left out, as long as there is another one. */
export function halved({ data, width, height }: Picture): Picture {
  const across = Math.max(1, width >> 1);
  const down = Math.max(1, height >> 1);
  const right = width > 1 ? 3 : 0;
  const below = height > 1 ? width * 3 : 0;
  const half = new Uint8Array(across * down * 3);
  let to = 0;
  for (let y = 0; y < down; y++) {
    let from = y * 2 * width * 3;
    for (let x = 0; x < across; x++, from += 6, to += 3) {
      for (let c = 0; c < 3; c++) {
        const at = from + c;
        half[to + c] =
          (data[at]! + data[at + right]! + data[at + below]! + data[at + below + right]! + 2) >> 2;
      }
    }
  }
  return { data: half, width: across, height: down };
}

/** The mean of the middle four of each 4×4 pixels: rougher than halving twice, at a tenth of the time. */
export function quartered({ data, width, height }: Picture): Picture {
  const across = Math.max(1, width >> 2);
  const down = Math.max(1, height >> 2);
  const right = width > 3 ? 3 : 0;
  const below = height > 3 ? width * 3 : 0;
  const quarter = new Uint8Array(across * down * 3);
  let to = 0;
  for (let y = 0; y < down; y++) {
    let from = (y * 4 * width + (below && width)) * 3 + right;
    for (let x = 0; x < across; x++, from += 12, to += 3) {
      for (let c = 0; c < 3; c++) {
        const at = from + c;
        quarter[to + c] =
          (data[at]! + data[at + right]! + data[at + below]! + data[at + below + right]! + 2) >> 2;
      }
    }
  }
  return { data: quarter, width: across, height: down };
}

/** A picture and its halves, made when they are first asked for. */
export class Pyramid {
  readonly #levels: Picture[];

  constructor(picture: Picture) {
    this.#levels = [picture];
  }

  /** Level 0 is the picture itself; each further one has half its sides. */
  level(number: number): Picture {
    for (let at = this.#levels.length; at <= number; at++) this.#levels.push(halved(this.#levels[at - 1]!));
    return this.#levels[number]!;
  }
}

// Takes RGB bytes apart into planes of floats, as graphs want them. The kernel is written in planes.wat and
// committed assembled as planes.wasm: it takes a sixth of the time of a loop in JavaScript.

interface PlaneRules {
  /** Which of red and blue is the first plane. */
  readonly color: 'rgb' | 'bgr';
  /** A value becomes (value - mean) / scale. */
  readonly mean: number;
  readonly scale: number;
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

/** Planes of one graph, in one memory that grows to the largest input. */
export class InputPlanes {
  readonly #rules: PlaneRules;
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #kernel: Kernel;
  /** Byte address of the pixels: behind the floats. */
  #pixels = 0;

  constructor(rules: PlaneRules) {
    this.#rules = rules;
    const instance = new WebAssembly.Instance(compiled, { pictures: { memory: this.#memory } });
    this.#kernel = instance.exports as unknown as Kernel;
  }

  /**
   * Takes the pixels over. Room for that many floats, *borrowed until the next call*; they keep what they
   * were.
   */
  take(rgb: Uint8Array, floats: number): Float32Array {
    this.#pixels = floats * 4;
    const more = Math.ceil(
      (this.#pixels + rgb.length + slackBytes - this.#memory.buffer.byteLength) / pageBytes,
    );
    if (more > 0) this.#memory.grow(more);
    new Uint8Array(this.#memory.buffer, this.#pixels).set(rgb);
    return new Float32Array(this.#memory.buffer, 0, floats);
  }

  /** Writes `count` pixels from pixel `first` on to float `to` of three planes of `size` floats each. */
  write(first: number, count: number, to: number, size: number): void {
    const { color, mean, scale } = this.#rules;
    const plane = (number: number) => (to + number * size) * 4;
    const [red, blue] = color === 'rgb' ? [plane(0), plane(2)] : [plane(2), plane(0)];
    this.#kernel.planes(this.#pixels + first * 3, count, red, plane(1), blue, mean, 1 / scale);
  }
}
