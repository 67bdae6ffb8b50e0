// Geometry of a picture: scaled in its coded orientation, then rotated and cropped.
import type { PictureShape } from '../contract.ts';
import { type CodedSize, rotated, type Size, shownSize } from '../source/coded-size.ts';
import type { Bars } from './bars.ts';

/** How to scale, rotate and crop a coded picture. */
export interface Placement {
  /** Size to scale to, before rotation. */
  readonly scaled: Size;
  readonly rotation: number;
  /** Left and right are swapped before the rotation. */
  readonly mirrored: boolean;
  /** Top left corner of the crop, after rotation. */
  readonly left: number;
  readonly top: number;
  readonly crop: Size;
}

/** `bars` are left out: the whole picture is scaled so much larger, and they lie outside the crop. */
export function placeShape(coded: CodedSize, shape: PictureShape, bars: Bars | null = null): Placement {
  const crop = { width: shape.width, height: shape.height };
  const { rotation, mirrored } = coded;
  const turn = { rotation, mirrored };
  if (bars) return { ...placeWithin(shownSize(coded), shape, bars, rotation), ...turn };
  if (shape.fit === 'stretch') return { scaled: rotated(crop, rotation), ...turn, left: 0, top: 0, crop };
  const shown = shownSize(coded);
  const factor = Math.max(crop.width / shown.width, crop.height / shown.height);
  const full = {
    width: Math.max(crop.width, Math.round(shown.width * factor)),
    height: Math.max(crop.height, Math.round(shown.height * factor)),
  };
  const left = Math.floor((full.width - crop.width) / 2);
  const top = Math.floor((full.height - crop.height) / 2);
  return { scaled: rotated(full, rotation), ...turn, left, top, crop };
}

function placeWithin(shown: Size, shape: PictureShape, bars: Bars, rotation: number) {
  const crop = { width: shape.width, height: shape.height };
  const across = 1 - bars.left - bars.right;
  const down = 1 - bars.top - bars.bottom;
  const byWidth = crop.width / (shown.width * across);
  const byHeight = crop.height / (shown.height * down);
  const most = Math.max(byWidth, byHeight);
  const [wide, high] = shape.fit === 'stretch' ? [byWidth, byHeight] : [most, most];
  const full = {
    width: Math.max(crop.width, Math.round(shown.width * wide)),
    height: Math.max(crop.height, Math.round(shown.height * high)),
  };
  const start = (size: number, before: number, share: number, length: number) => {
    const middle = size * (before + share / 2);
    return Math.min(size - length, Math.max(0, Math.round(middle - length / 2)));
  };
  const left = start(full.width, bars.left, across, crop.width);
  const top = start(full.height, bars.top, down, crop.height);
  return { scaled: rotated(full, rotation), left, top, crop };
}

/** The whole picture, its longest side at most `maxSide`; never scaled up. */
export function placeWhole(coded: CodedSize, maxSide: number): Placement {
  const shown = shownSize(coded);
  const factor = Math.min(1, maxSide / Math.max(shown.width, shown.height));
  const crop = {
    width: Math.max(1, Math.round(shown.width * factor)),
    height: Math.max(1, Math.round(shown.height * factor)),
  };
  const { rotation, mirrored } = coded;
  return { scaled: rotated(crop, rotation), rotation, mirrored, left: 0, top: 0, crop };
}

/** Pixels of one plane: rows of `stride` bytes with `depth` bytes per pixel. */
export interface Plane extends Size {
  readonly data: Uint8Array;
  readonly stride: number;
  readonly depth: number;
}

/** How a plane is turned while it is copied: swapped left and right, then rotated clockwise. */
export type Turned = Pick<Placement, 'rotation' | 'mirrored'>;

/** Turns a plane and copies the crop at (left, top), which has the size of `to`, into `to`. */
export function copyTurned(from: Plane, turned: Turned, left: number, top: number, to: Plane) {
  const { data, stride, depth } = from;
  if (turned.rotation === 0 && !turned.mirrored) {
    for (let y = 0; y < to.height; y++) {
      const start = (y + top) * stride + left * depth;
      to.data.set(data.subarray(start, start + to.width * depth), y * to.stride);
    }
    return;
  }
  const [right, down, origin] = steps(from, turned);
  for (let y = 0; y < to.height; y++) {
    let at = origin + (y + top) * down + left * right;
    let out = y * to.stride;
    for (let x = 0; x < to.width; x++, at += right) {
      for (let byte = 0; byte < depth; byte++) to.data[out++] = data[at + byte]!;
    }
  }
}

/**
 * One step right and one step down in the turned plane, and its top left pixel, in bytes of the coded plane.
 */
function steps({ width, height, stride, depth }: Plane, { rotation, mirrored }: Turned) {
  const across = mirrored ? -depth : depth;
  const [first, last] = mirrored ? [(width - 1) * depth, 0] : [0, (width - 1) * depth];
  const bottom = (height - 1) * stride;
  if (rotation === 90) return [-stride, across, bottom + first] as const;
  if (rotation === 180) return [-across, -stride, bottom + last] as const;
  if (rotation === 270) return [stride, -across, last] as const;
  return [across, stride, first] as const;
}
