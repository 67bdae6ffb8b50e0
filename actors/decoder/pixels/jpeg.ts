// JPEG by FFmpeg's encoder, which takes a fifth of the time of a general image library for small pictures.
// Owns its native objects.
import { mediaErrors } from '../contract.ts';
import {
  AV_CODEC_FLAG_QSCALE,
  AV_CODEC_ID_MJPEG,
  type AV_PIX_FMT_YUVJ420P,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT470BG,
  Codec,
  CodecContext,
  checked,
  Frame,
  Packet,
  Rational,
} from '../ffmpeg.ts';
import type { Size } from '../source/coded-size.ts';

type PixelFormat = typeof AV_PIX_FMT_YUVJ420P;

/** FF_QP2LAMBDA: FFmpeg's unit of quality per quantiser step, which go from 1 (best) to 31. */
const qpToLambda = 118;

/** FFmpeg's quantiser for a quality of 1 to 100. */
function quantiser(quality: number): number {
  return Math.max(1, Math.min(31, Math.round(1 + 30 * ((100 - quality) / 100) ** 1.5)));
}

/**
 * Encodes pictures of one format and any size; the same picture gives the same bytes, whatever came before.
 */
export class JpegEncoder {
  readonly #format: PixelFormat;
  readonly #quality: number;
  readonly #packet = new Packet();
  #open: { readonly context: CodecContext; readonly size: Size } | null = null;
  #count = 0n;

  /** `quality`: 1 to 100. */
  constructor(format: PixelFormat, quality: number) {
    this.#format = format;
    this.#quality = qpToLambda * quantiser(quality);
    this.#packet.alloc();
  }

  /** In a buffer of its own that can be *moved*. */
  encode(picture: Frame): Uint8Array<ArrayBuffer> {
    const context = this.#contextOf(picture);
    picture.pts = this.#count++;
    picture.quality = this.#quality;
    checked(context.sendFrameSync(picture), 'JPEG', 'cannot be encoded');
    checked(context.receivePacketSync(this.#packet), 'JPEG', 'cannot be encoded');
    try {
      const data = this.#packet.data;
      if (!data) throw mediaErrors.DECODE_FAILED('The JPEG is empty');
      return new Uint8Array(data);
    } finally {
      this.#packet.unref();
    }
  }

  close() {
    this.#free();
    this.#packet.free();
  }

  #contextOf({ width, height }: Size): CodecContext {
    const openEncoder = this.#open;
    if (openEncoder && openEncoder.size.width === width && openEncoder.size.height === height)
      return openEncoder.context;
    this.#free();
    const context = new CodecContext();
    const codec = Codec.findEncoder(AV_CODEC_ID_MJPEG);
    context.allocContext3(codec);
    context.width = width;
    context.height = height;
    context.pixelFormat = this.#format;
    context.colorRange = AVCOL_RANGE_JPEG;
    context.timeBase = new Rational(1, 1);
    context.threadCount = 1;
    context.setFlags(AV_CODEC_FLAG_QSCALE);
    context.globalQuality = this.#quality;
    const result = context.open2Sync(codec, null);
    if (result < 0) context.freeContext();
    checked(result, 'JPEG', 'there is no encoder');
    this.#open = { context, size: { width, height } };
    return context;
  }

  #free() {
    this.#open?.context.freeContext();
    this.#open = null;
  }
}

/** JPEG (JFIF) is full-range BT.601. */
export function jpegColours(frame: Frame) {
  frame.colorRange = AVCOL_RANGE_JPEG;
  frame.colorSpace = AVCOL_SPC_BT470BG;
}

/**
 * A picture to be filled and encoded; the caller frees it. Throws TOO_LARGE where there is no memory for it.
 */
export function jpegFrame({ width, height }: Size, format: PixelFormat): Frame {
  const frame = new Frame();
  frame.alloc();
  frame.width = width;
  frame.height = height;
  frame.format = format;
  jpegColours(frame);
  if (frame.getBuffer(0) >= 0) return frame;
  frame.free();
  throw mediaErrors.TOO_LARGE(`No memory for a picture of ${width}x${height}`);
}
