// The pictures that an encoder is tried with: a gradient under fine noise, both moving, so that every picture
// differs from the one before and nothing in it is flat. The same on every machine.
import { Frame } from '../../ffmpeg.ts';
import type { PictureInput } from '../picture-fitter.ts';

/** Samples of one plane in their order. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

/** Px by which the texture moves with each picture. */
const [across, down] = [3, 2];
/** Most that noise adds or takes. */
const noise = 10;
/** Samples below or above are no colours in the range of television. */
const [darkest, brightest] = [24, 224];

/** Draws pictures of 8-bit 4:2:0, both sides even, `count` at most. */
export class DrawnPictures {
  readonly #width: number;
  readonly #height: number;
  readonly #textures: readonly Plane[];

  constructor({ width, height }: { width: number; height: number }, count: number) {
    this.#width = width;
    this.#height = height;
    const larger = (side: number, step: number) => side + step * count;
    const textures = [1, 2, 2].map((divisor, plane) =>
      texture(larger(width / divisor, across), larger(height / divisor, down), plane),
    );
    this.#textures = textures;
  }

  /** Planes of brightness and of both colours. */
  planes(n: number): Plane[] {
    return this.#textures.map((from, plane) => {
      const [width, height] = plane === 0 ? [this.#width, this.#height] : [this.#width / 2, this.#height / 2];
      const samples = new Uint8Array(width * height);
      for (let y = 0; y < height; y++) {
        const start = (y + n * down) * from.width + n * across;
        samples.set(from.samples.subarray(start, start + width), y * width);
      }
      return { width, height, samples };
    });
  }

  /** As a frame of `yuv420p` or `yuvj420p`. The caller frees it. */
  frame(n: number, pixelFormat: PictureInput['pixelFormat']): Frame {
    const frame = new Frame();
    frame.alloc();
    frame.width = this.#width;
    frame.height = this.#height;
    frame.format = pixelFormat;
    if (frame.getBuffer(0) < 0) throw new Error(`no memory for a picture of ${this.#width}x${this.#height}`);
    const { data, linesize } = frame;
    for (const [plane, { width, height, samples }] of this.planes(n).entries()) {
      for (let y = 0; y < height; y++)
        data![plane]!.set(samples.subarray(y * width, (y + 1) * width), y * linesize[plane]!);
    }
    return frame;
  }
}

function texture(width: number, height: number, plane: number): Plane {
  const samples = new Uint8Array(width * height);
  let random = 0x9e3779b9 + plane;
  for (let y = 0, at = 0; y < height; y++) {
    // Each plane has its own direction, so that none can stand for another.
    const down = plane === 1 ? 1 - y / height : y / height;
    for (let x = 0; x < width; x++, at++) {
      random = (Math.imul(random, 1664525) + 1013904223) | 0;
      const across = plane === 2 ? 1 - x / width : x / width;
      const level = darkest + noise + (brightest - darkest - 2 * noise) * ((across + down) / 2);
      samples[at] = Math.round(level + ((random >>> 16) / 32768 - 1) * noise);
    }
  }
  return { width, height, samples };
}
