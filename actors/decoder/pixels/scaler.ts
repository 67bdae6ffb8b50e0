// Scales decoded pictures with swscale and converts their pixel format. Owns its native objects.
import { mediaErrors, type PictureShape } from '../contract.ts';
import {
  type AV_PIX_FMT_RGB24,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_TRC_UNSPECIFIED,
  avGetPixFmtName,
  Frame,
  SoftwareScaleContext,
} from '../ffmpeg.ts';
import type { Size } from '../source/coded-size.ts';
import { FirstFields } from './fields.ts';

type PixelFormat = typeof AV_PIX_FMT_RGB24;
/** swscale flags; the additions make rounding exact and interpolate chroma at full resolution. */
const flags = {
  area: 'area+accurate_rnd+full_chroma_int',
  bilinear: 'bilinear+accurate_rnd+full_chroma_int',
  bicubic: 'bicubic+accurate_rnd+full_chroma_int',
} as const;

/** Video above this height without a colour matrix is taken for BT.709, as players do. */
const sdHeight = 576;

/** Scales pictures of any size and format to one pixel format. */
export class Scaler {
  readonly #context = new SoftwareScaleContext();
  readonly #format: PixelFormat;
  readonly #fields = new FirstFields();
  #frame: Frame | null = null;

  constructor(format: PixelFormat, resample: PictureShape['resample']) {
    this.#format = format;
    this.#context.allocContext();
    this.#context.setOption('sws_flags', flags[resample]);
  }

  /**
   * The scaled picture is *borrowed until the next call*. `prepare` sets further fields of a newly allocated
   * frame.
   */
  scale(source: Frame, size: Size, prepare?: (frame: Frame) => void): Frame {
    if (this.#frame?.width !== size.width || this.#frame.height !== size.height)
      this.#allocate(size, prepare);
    const frame = this.#frame!;
    assumeColours(source);
    const result = this.#context.scaleFrameSync(frame, this.#fields.of(source));
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
    this.#fields.close();
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

/**
 * Sets how swscale interprets the frame's colours. Transfer and primaries are cleared, since swscale would
 * compute a large table for every HDR stream; tone mapping is done elsewhere.
 */
function assumeColours(frame: Frame) {
  frame.colorTrc = AVCOL_TRC_UNSPECIFIED;
  frame.colorPrimaries = AVCOL_PRI_UNSPECIFIED;
  if (frame.colorSpace !== AVCOL_SPC_UNSPECIFIED || frame.height <= sdHeight) return;
  const name = avGetPixFmtName(frame.format as PixelFormat) ?? '';
  if (/^(yuv|nv|p0|p2|p4)/.test(name)) frame.colorSpace = AVCOL_SPC_BT709;
}
