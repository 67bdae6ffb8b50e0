// Pixels as faces are looked for in them: RGB bytes in rows, and the same picture at half its size.
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
