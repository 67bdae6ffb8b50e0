// JPEG previews of decoded pictures: swscale to the preview's size in JPEG's YCbCr format, then FFmpeg's
// encoder. That takes a third of the time that RGB and a general image library would. Owns its native
// objects.
import type { PreviewShape } from '../contract.ts';
import { AV_PIX_FMT_RGB24, AV_PIX_FMT_YUVJ420P, type Frame } from '../ffmpeg.ts';
import type { CodedSize, Size } from '../source/coded-size.ts';
import { copyTurned, placeWhole, type Turned } from './geometry.ts';
import { type ToneMap, toneMap } from './hdr.ts';
import { JpegEncoder, jpegColours, jpegFrame } from './jpeg.ts';
import { Scaler } from './scaler.ts';

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
    const turned = this.#turnedOf(place.kept, place);
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
