// Scales a decoded picture to a model's input: one pass of swscale, then one copy into the slot. Owns its
// native objects.
import type { PictureShape } from '../contract.ts';
import { AV_PIX_FMT_RGB24, type Frame } from '../ffmpeg.ts';
import type { CodedSize } from '../source/coded-size.ts';
import type { Bars } from './bars.ts';
import { copyTurned, type Placement, placeShape } from './geometry.ts';
import { type ToneMap, toneMap } from './hdr.ts';
import { Scaler } from './scaler.ts';

/** Fills slots with pictures of one shape. */
export class PictureFiller {
  readonly #shape: PictureShape;
  readonly #scaler: Scaler;
  readonly #toneMap: ToneMap | null;

  /** `transfer`: the video's transfer function by its H.273 number; HDR is tone mapped to sRGB. */
  constructor(shape: PictureShape, transfer: number) {
    this.#shape = shape;
    this.#toneMap = toneMap(transfer);
    this.#scaler = new Scaler(AV_PIX_FMT_RGB24, shape.resample);
  }

  /**
   * Writes width×height×3 RGB bytes into `slot`, without `bars`. Throws DECODE_FAILED for a pixel format
   * swscale does not support.
   */
  fill(frame: Frame, coded: CodedSize, slot: Uint8Array, bars: Bars | null = null) {
    const { width, height } = this.#shape;
    const bytes = width * height * 3;
    if (slot.length < bytes) throw new RangeError(`A slot of ${slot.length} bytes cannot hold ${bytes}`);
    const place = placeShape({ ...coded, width: frame.width, height: frame.height }, this.#shape, bars);
    const scaled = this.#scaler.scale(frame, place.scaled);
    copyPlane(scaled, place, 3, slot);
    this.#toneMap?.(slot.subarray(0, bytes));
  }

  close() {
    this.#scaler.close();
  }
}

function copyPlane(
  scaled: Frame,
  { scaled: size, left, top, kept, ...turned }: Placement,
  depth: number,
  to: Uint8Array,
) {
  const from = { ...size, data: scaled.data![0]!, stride: scaled.linesize[0]!, depth };
  copyTurned(from, turned, left, top, { ...kept, data: to, stride: kept.width * depth, depth });
}
