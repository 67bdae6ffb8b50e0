// Takes RGB bytes apart into planes of floats, as graphs want them. The kernel is written in planes.wat and
// committed assembled as planes.wasm: it takes a sixth of the time of a loop in JavaScript.
import { readFileSync } from 'node:fs';

export interface PlaneRules {
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
export class Planes {
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
