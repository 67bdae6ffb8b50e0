// Scaling a decoded picture to a model's input: one pass of swscale, then one copy into the slot. Owns its native objects.
import { mediaErrors, type PictureShape } from '../contract.ts';
import {
  AV_FRAME_FLAG_INTERLACED,
  AV_PIX_FMT_RGB24,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_TRC_UNSPECIFIED,
  avGetPixFmtName,
  Frame,
  SoftwareScaleContext,
} from '../ffmpeg.ts';
import { type CodedSize, copyTurned, type Placement, placeShape, type Size } from './geometry.ts';
import { type ToneMap, toneMap } from './hdr.ts';

type PixelFormat = typeof AV_PIX_FMT_RGB24;
/** How FFmpeg names the resamplings; the additions keep chroma and rounding exact. */
const flags = {
  area: 'area+accurate_rnd+full_chroma_int',
  bilinear: 'bilinear+accurate_rnd+full_chroma_int',
  bicubic: 'bicubic+accurate_rnd+full_chroma_int',
} as const;

/** Above this height, video that does not say how its colours are coded is BT.709, as players assume. */
const standardHeight = 576;

/** Scales pictures of any size to one size and pixel format; what it answers is *borrowed until the next call*. */
export class Scaler {
  readonly #context = new SoftwareScaleContext();
  readonly #format: PixelFormat;
  #frame: Frame | null = null;

  constructor(format: PixelFormat, resample: PictureShape['resample']) {
    this.#format = format;
    this.#context.allocContext();
    this.#context.setOption('sws_flags', flags[resample]);
  }

  /** `prepare` sets what the frame says of itself beside size and format. */
  scale(source: Frame, size: Size, prepare?: (frame: Frame) => void): Frame {
    if (this.#frame?.width !== size.width || this.#frame.height !== size.height)
      this.#allocate(size, prepare);
    const frame = this.#frame!;
    assumeColours(source);
    // swscale refuses to make one picture of two fields; the lines lie in their places all the same.
    source.clearFlags(AV_FRAME_FLAG_INTERLACED);
    const result = this.#context.scaleFrameSync(frame, source);
    if (result < 0) {
      const name = avGetPixFmtName(source.format as PixelFormat) ?? 'unknown';
      throw mediaErrors.DECODE_FAILED(
        `A picture of ${source.width}x${source.height} ${name} cannot be scaled`,
      );
    }
    return frame;
  }

  close() {
    this.#frame?.free();
    this.#frame = null;
    this.#context.freeContext();
  }

  #allocate({ width, height }: Size, prepare?: (frame: Frame) => void) {
    this.#frame?.free();
    const frame = new Frame();
    frame.alloc();
    frame.width = width;
    frame.height = height;
    frame.format = this.#format;
    frame.colorRange = AVCOL_RANGE_JPEG;
    prepare?.(frame);
    this.#frame = frame;
    if (frame.getBuffer(0) < 0) throw mediaErrors.TOO_LARGE(`No memory for a picture of ${width}x${height}`);
  }
}

/** Settles how the frame's colours are read. Left to itself, swscale would compute a large table for every HDR stream. */
function assumeColours(frame: Frame) {
  frame.colorTrc = AVCOL_TRC_UNSPECIFIED;
  frame.colorPrimaries = AVCOL_PRI_UNSPECIFIED;
  if (frame.colorSpace !== AVCOL_SPC_UNSPECIFIED || frame.height <= standardHeight) return;
  const name = avGetPixFmtName(frame.format as PixelFormat) ?? '';
  if (/^(yuv|nv|p0|p2|p4)/.test(name)) frame.colorSpace = AVCOL_SPC_BT709;
}

/** Fills slots with pictures of one shape. */
export class PictureFiller {
  readonly #shape: PictureShape;
  readonly #scaler: Scaler;
  readonly #toneMap: ToneMap | null;

  /** `transfer`: the video's transfer function by its H.273 number; HDR is brought to sRGB. */
  constructor(shape: PictureShape, transfer: number) {
    this.#shape = shape;
    this.#toneMap = toneMap(transfer);
    this.#scaler = new Scaler(AV_PIX_FMT_RGB24, shape.resample);
  }

  /** Writes width×height×3 RGB bytes into `slot`. Throws DECODE_FAILED for a pixel format that cannot be read. */
  fill(frame: Frame, coded: CodedSize, slot: Uint8Array) {
    const { width, height } = this.#shape;
    const bytes = width * height * 3;
    if (slot.length < bytes) throw new RangeError(`A slot of ${slot.length} bytes cannot hold ${bytes}`);
    const place = placeShape({ ...coded, width: frame.width, height: frame.height }, this.#shape);
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
  { scaled: size, rotation, left, top, kept }: Placement,
  depth: number,
  to: Uint8Array,
) {
  const from = { ...size, data: scaled.data![0]!, stride: scaled.linesize[0]!, depth };
  copyTurned(from, rotation, left, top, { ...kept, data: to, stride: kept.width * depth, depth });
}
