// Readings of a picture that is searched for: as it is, as a mirror shows it, or as a part of a larger
// picture, of which it is the middle or a corner. What lies around it then is not known; the picture goes on
// there as in a mirror at its edge, which has its colours and its texture and draws no edge of its own.
import type { PictureShape } from '../decoder/contract.ts';
import type { PictureReading } from './contract.ts';

/** Side of the part against the whole: between half of the area and a quarter of it. */
const partSide = 0.6;

type Size = Pick<PictureShape, 'width' | 'height'>;

/** Where the part lies in the room that is left around it: 0 at the left or the top. */
const places: Readonly<Record<Exclude<PictureReading, 'plain' | 'mirrored'>, readonly [number, number]>> = {
  middle: [0.5, 0.5],
  top_left: [0, 0],
  top_right: [1, 0],
  bottom_left: [0, 1],
  bottom_right: [1, 1],
};

/** `pixels`: width×height×3 RGB bytes; the picture itself for `plain`, else a buffer of its own. */
export function readAs(reading: PictureReading, pixels: Uint8Array, size: Size): Uint8Array {
  if (reading === 'plain') return pixels;
  if (reading === 'mirrored') return mirrored(pixels, size.width);
  return placed(pixels, size, places[reading]);
}

function mirrored(pixels: Uint8Array, width: number): Uint8Array {
  const swapped = new Uint8Array(pixels.length);
  const stride = width * 3;
  for (let row = 0; row < pixels.length; row += stride) {
    for (let at = row, to = row + stride - 3; at < row + stride; at += 3, to -= 3) {
      swapped[to] = pixels[at]!;
      swapped[to + 1] = pixels[at + 1]!;
      swapped[to + 2] = pixels[at + 2]!;
    }
  }
  return swapped;
}

function placed(pixels: Uint8Array, { width, height }: Size, [x, y]: readonly [number, number]): Uint8Array {
  const columns = steps(width, x);
  const rows = steps(height, y);
  const whole = new Uint8Array(pixels.length);
  let to = 0;
  for (const row of rows) {
    for (const column of columns) {
      for (let channel = 0; channel < 3; channel++) {
        let sum = 0;
        for (let line = row.from; line < row.to; line++) {
          for (let place = column.from; place < column.to; place++) {
            sum += pixels[(line * width + place) * 3 + channel]!;
          }
        }
        whole[to++] = Math.round(sum / ((row.to - row.from) * (column.to - column.from)));
      }
    }
  }
  return whole;
}

interface Step {
  readonly from: number;
  readonly to: number;
}

/** For each point of a side of the whole: the points of the picture that are shown there. */
function steps(size: number, place: number): Step[] {
  const part = Math.max(1, Math.round(size * partSide));
  const before = Math.round((size - part) * place);
  return Array.from({ length: size }, (_, at) => {
    // Mirrored at both edges, again and again: 2 1 0 | 0 1 2 | 2 1 0.
    const wave = (((at - before) % (2 * part)) + 2 * part) % (2 * part);
    const point = wave < part ? wave : 2 * part - 1 - wave;
    const from = Math.floor((point * size) / part);
    return { from, to: Math.max(from + 1, Math.ceil(((point + 1) * size) / part)) };
  });
}
