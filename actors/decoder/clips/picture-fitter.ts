// Brings pictures to the size and pixel format of an encoder, with both fields of interlaced ones. Owns its
// native objects.

import { mediaErrors } from '../contract.ts';
import {
  AV_FRAME_FLAG_INTERLACED,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_RGB,
  AVCOL_TRC_UNSPECIFIED,
  avGetPixFmtName,
  type CodecContext,
  Frame,
  SoftwareScaleContext,
} from '../ffmpeg.ts';
import { isRgbFormat } from './formats.ts';

/** What pictures have to be like for an encoder. */
export type PictureInput = Pick<CodecContext, 'width' | 'height' | 'pixelFormat'>;
type PixelFormat = Parameters<typeof avGetPixFmtName>[0];

const flags = 'bicubic+accurate_rnd+full_chroma_int';
/** RGB above this height becomes BT.709, as players take it for. */
const sdHeight = 576;

/**
 * Matrix and range of what the encoder is given of a picture: RGB has none that H.264 could carry on. Few
 * decoders tag it as such.
 */
export function encodedColours({ colorSpace, colorRange, height, format }: Frame) {
  const isRgb = colorSpace === AVCOL_SPC_RGB || isRgbFormat(avGetPixFmtName(format as PixelFormat) ?? '');
  if (!isRgb) return { colorSpace, colorRange };
  return {
    colorSpace: height > sdHeight ? AVCOL_SPC_BT709 : AVCOL_SPC_BT470BG,
    colorRange: AVCOL_RANGE_MPEG,
  };
}

export class PictureFitter {
  readonly #context = new SoftwareScaleContext();
  readonly #encoder: PictureInput;
  #frame: Frame | null = null;

  constructor(encoder: PictureInput) {
    this.#encoder = encoder;
    this.#context.allocContext();
    this.#context.setOption('sws_flags', flags);
  }

  /**
   * The picture itself where it fits, else a copy that does, *borrowed until the next call*. Changes its
   * tags.
   */
  fit(picture: Frame): Frame {
    const { width, height, pixelFormat } = this.#encoder;
    if (picture.width === width && picture.height === height && picture.format === pixelFormat)
      return picture;
    this.#frame ??= this.#allocate(picture);
    const frame = this.#frame;
    // An encoder may hold the picture before.
    if (frame.makeWritable() < 0) throw tooLarge(this.#encoder);
    const isInterlaced = picture.hasFlags(AV_FRAME_FLAG_INTERLACED);
    // swscale refuses pairs of which one is interlaced, and would convert colours that only the tags speak
    // of.
    picture.clearFlags(AV_FRAME_FLAG_INTERLACED);
    frame.clearFlags(AV_FRAME_FLAG_INTERLACED);
    picture.colorTrc = AVCOL_TRC_UNSPECIFIED;
    picture.colorPrimaries = AVCOL_PRI_UNSPECIFIED;
    if (this.#context.scaleFrameSync(frame, picture) < 0) {
      throw mediaErrors.DECODE_FAILED(`A picture of ${picture.width}x${picture.height} cannot be converted`);
    }
    frame.flags = picture.flags;
    if (isInterlaced) frame.setFlags(AV_FRAME_FLAG_INTERLACED);
    return frame;
  }

  close() {
    this.#frame?.free();
    this.#context.freeContext();
  }

  #allocate(picture: Frame): Frame {
    const { width, height, pixelFormat } = this.#encoder;
    const frame = new Frame();
    frame.alloc();
    frame.width = width;
    frame.height = height;
    frame.format = pixelFormat;
    Object.assign(frame, encodedColours(picture));
    if (frame.getBuffer(0) >= 0) return frame;
    frame.free();
    throw tooLarge(this.#encoder);
  }
}

function tooLarge({ width, height }: PictureInput) {
  return mediaErrors.TOO_LARGE(`No memory for a picture of ${width}x${height}`);
}
