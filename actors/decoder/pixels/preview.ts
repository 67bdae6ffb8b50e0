// JPEG previews of decoded pictures: swscale to the preview's size in JPEG's YCbCr format, then FFmpeg's encoder. That takes
// a third of the time that RGB and a general image library would. Owns its native objects.
import { mediaErrors, type PreviewShape } from '../contract.ts';
import {
  AV_CODEC_FLAG_QSCALE,
  AV_CODEC_ID_MJPEG,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUVJ420P,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT470BG,
  Codec,
  CodecContext,
  checked,
  Frame,
  Packet,
  Rational,
} from '../ffmpeg.ts';
import type { CodedSize, Size } from '../source/coded-size.ts';
import { copyTurned, placeWhole, type Turned } from './geometry.ts';
import { type ToneMap, toneMap } from './hdr.ts';
import { Scaler } from './scaler.ts';

/** FF_QP2LAMBDA: FFmpeg's unit of quality per quantiser step, which go from 1 (best) to 31. */
const qpToLambda = 118;

/** FFmpeg's quantiser for a quality of 1 to 100. */
export function quantiser(quality: number): number {
  return Math.max(1, Math.min(31, Math.round(1 + 30 * ((100 - quality) / 100) ** 1.5)));
}

export class PreviewMaker {
  readonly #shape: PreviewShape;
  readonly #scaler = new Scaler(AV_PIX_FMT_YUVJ420P, 'area');
  readonly #packet = new Packet();
  readonly #toneMap: ToneMap | null;
  /** Converts HDR to RGB for tone mapping. */
  readonly #rgbScaler: Scaler | null;
  #encoder: { readonly context: CodecContext; readonly size: Size; readonly turned: Frame | null } | null =
    null;
  #count = 0n;

  /** `transfer`: the video's transfer function by its H.273 number; HDR is tone mapped to sRGB. */
  constructor(shape: PreviewShape, transfer: number) {
    this.#shape = shape;
    this.#toneMap = toneMap(transfer);
    this.#rgbScaler = this.#toneMap && new Scaler(AV_PIX_FMT_RGB24, 'area');
    this.#packet.alloc();
  }

  /** The preview as JPEG, in a buffer of its own that can be *moved*. */
  make(frame: Frame, coded: CodedSize): Uint8Array<ArrayBuffer> {
    const place = placeWhole({ ...coded, width: frame.width, height: frame.height }, this.#shape.max_side);
    const scaled = this.#scaler.scale(this.#toneMapped(frame, place.scaled), place.scaled, jpegColours);
    const { context, turned } = this.#encoderOf(place.kept, place);
    if (turned) turnPlanes(scaled, turned, place);
    const picture = turned ?? scaled;
    picture.pts = this.#count++;
    picture.quality = qpToLambda * quantiser(this.#shape.quality);
    checked(context.sendFrameSync(picture), 'preview', 'cannot be encoded');
    checked(context.receivePacketSync(this.#packet), 'preview', 'cannot be encoded');
    try {
      const data = this.#packet.data;
      if (!data) throw mediaErrors.DECODE_FAILED('The preview is empty');
      const own = new Uint8Array(new ArrayBuffer(data.length));
      own.set(data);
      return own;
    } finally {
      this.#packet.unref();
    }
  }

  close() {
    this.#freeEncoder();
    this.#scaler.close();
    this.#rgbScaler?.close();
    this.#packet.free();
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

  #encoderOf(size: Size, { rotation, mirrored }: Turned) {
    const known = this.#encoder;
    if (known && known.size.width === size.width && known.size.height === size.height) return known;
    this.#freeEncoder();
    const context = new CodecContext();
    const codec = Codec.findEncoder(AV_CODEC_ID_MJPEG);
    context.allocContext3(codec);
    context.width = size.width;
    context.height = size.height;
    context.pixelFormat = AV_PIX_FMT_YUVJ420P;
    context.colorRange = AVCOL_RANGE_JPEG;
    context.timeBase = new Rational(1, 1);
    context.threadCount = 1;
    context.setFlags(AV_CODEC_FLAG_QSCALE);
    context.globalQuality = qpToLambda * quantiser(this.#shape.quality);
    const result = context.open2Sync(codec, null);
    if (result < 0) context.freeContext();
    checked(result, 'preview', 'no JPEG encoder');
    const upright = rotation === 0 && !mirrored;
    this.#encoder = { context, size, turned: upright ? null : jpegFrame(size) };
    return this.#encoder;
  }

  #freeEncoder() {
    this.#encoder?.context.freeContext();
    this.#encoder?.turned?.free();
    this.#encoder = null;
  }
}

/** JPEG (JFIF) is full-range BT.601. */
function jpegColours(frame: Frame) {
  frame.colorRange = AVCOL_RANGE_JPEG;
  frame.colorSpace = AVCOL_SPC_BT470BG;
}

function jpegFrame({ width, height }: Size): Frame {
  const frame = new Frame();
  frame.alloc();
  frame.width = width;
  frame.height = height;
  frame.format = AV_PIX_FMT_YUVJ420P;
  jpegColours(frame);
  frame.getBuffer(0);
  return frame;
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
