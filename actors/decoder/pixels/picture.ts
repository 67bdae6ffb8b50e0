// Scales a decoded picture to a model's input: one pass of swscale, then one copy into the slot. Owns its
// native objects.
import type { PictureShape, PreviewShape } from '../contract.ts';
import { AV_PIX_FMT_RGB24, AV_PIX_FMT_YUVJ420P, type Frame } from '../ffmpeg.ts';
import type { CodedSize, Size } from '../source/coded-size.ts';
import type { Bars } from './bars.ts';
import { copyTurned, type Placement, placeShape, placeWhole, type Turned } from './geometry.ts';
import { type ToneMap, toneMap } from './hdr.ts';
import { JpegEncoder, jpegColours, jpegFrame } from './jpeg.ts';
import { Scaler } from './scaler.ts';

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
  { scaled: size, left, top, crop, ...turned }: Placement,
  depth: number,
  to: Uint8Array,
) {
  const from = { ...size, data: scaled.data![0]!, stride: scaled.linesize[0]!, depth };
  copyTurned(from, turned, left, top, { ...crop, data: to, stride: crop.width * depth, depth });
}

// JPEG previews of decoded pictures: swscale to the preview's size in JPEG's YCbCr format, then FFmpeg's
// encoder. That takes a third of the time that RGB and a general image library would. Owns its native
// objects.

export class PreviewMaker {
  readonly #shape: PreviewShape;
  readonly #scaler = new Scaler(AV_PIX_FMT_YUVJ420P, 'area');
  readonly #encoder: JpegEncoder;
  readonly #toneMap: ToneMap | null;
  /** Converts HDR to RGB for tone mapping. */
  readonly #rgbScaler: Scaler | null;
  /** Holds the picture turned upright; null before the first that has to be. */
  #turned: Frame | null = null;

  /** `transfer`: the video's transfer function by its H.273 number; HDR is tone mapped to sRGB. */
  constructor(shape: PreviewShape, transfer: number) {
    this.#shape = shape;
    this.#toneMap = toneMap(transfer);
    this.#rgbScaler = this.#toneMap && new Scaler(AV_PIX_FMT_RGB24, 'area');
    this.#encoder = new JpegEncoder(AV_PIX_FMT_YUVJ420P, shape.quality);
  }

  /** The preview as JPEG, in a buffer of its own that can be *moved*. */
  make(frame: Frame, coded: CodedSize): Uint8Array<ArrayBuffer> {
    const place = placeWhole({ ...coded, width: frame.width, height: frame.height }, this.#shape.max_side);
    const scaled = this.#scaler.scale(this.#toneMapped(frame, place.scaled), place.scaled, jpegColours);
    const turned = this.#turnedOf(place.crop, place);
    if (turned) turnPlanes(scaled, turned, place);
    return this.#encoder.encode(turned ?? scaled);
  }

  close() {
    this.#turned?.free();
    this.#turned = null;
    this.#encoder.close();
    this.#scaler.close();
    this.#rgbScaler?.close();
  }

  #toneMapped(frame: Frame, size: Size): Frame {
    if (!this.#toneMap || !this.#rgbScaler) return frame;
    const rgb = this.#rgbScaler.scale(frame, size);
    const stride = rgb.linesize[0]!;
    for (let y = 0; y < size.height; y++) {
      this.#toneMap(rgb.data![0]!.subarray(y * stride, y * stride + size.width * 3));
    }
    return rgb;
  }

  /** Null for a picture that is upright. */
  #turnedOf(size: Size, { rotation, mirrored }: Turned): Frame | null {
    if (rotation === 0 && !mirrored) return null;
    if (this.#turned?.width !== size.width || this.#turned.height !== size.height) {
      this.#turned?.free();
      this.#turned = null;
      this.#turned = jpegFrame(size, AV_PIX_FMT_YUVJ420P);
    }
    return this.#turned;
  }
}

function turnPlanes(from: Frame, to: Frame, turned: Turned) {
  for (let plane = 0; plane < 3; plane++) {
    copyTurned(planeOf(from, plane), turned, 0, 0, planeOf(to, plane));
  }
}

function planeOf(frame: Frame, plane: number) {
  const halved = (size: number) => (plane === 0 ? size : (size + 1) >> 1);
  return {
    data: frame.data![plane]!,
    stride: frame.linesize[plane]!,
    depth: 1,
    width: halved(frame.width),
    height: halved(frame.height),
  };
}
