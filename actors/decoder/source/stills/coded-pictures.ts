// Coded pictures that are no file of their own, or a damaged one, decoded by FFmpeg. A decoder is opened once
// for all pictures that have the same settings, as the tiles of a HEIF file do. Owns native objects.
import {
  AV_CODEC_FLAG_OUTPUT_CORRUPT,
  AV_PIX_FMT_RGB24,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_UNSPECIFIED,
  Codec,
  CodecContext,
  Frame,
  Packet,
} from '../../ffmpeg.ts';
import { toneMap } from '../../pixels/hdr.ts';
import { Scaler } from '../../pixels/scaler.ts';
import type { Size } from '../coded-size.ts';
import type { Pixels } from './still.ts';

/** Side of the largest blocks of the codings that are used here, in px. */
const largestBlock = 128;

/** Colours as the container says (ITU-T H.273); it goes before what the coded picture says. */
export interface CodedColours {
  readonly matrix: number;
  readonly transfer: number;
  readonly fullRange: boolean;
}

/**
 * A coded picture is larger than what is shown of it by what its blocks need, and the decoder aligns its
 * rows.
 */
function mostCodedPixels({ width, height }: Size): bigint {
  return BigInt((width + largestBlock) * (height + largestBlock));
}

export interface CodedPictureSettings {
  /** FFmpeg's name. */
  readonly decoder: string;
  /** Data that the decoder needs before the first picture. */
  readonly extradata?: Buffer | undefined;
}

export class CodedPictures {
  readonly #isLenient: boolean;
  readonly #contexts = new Map<Buffer | string, CodecContext | null>();
  readonly #pixels = new FramePixels();
  readonly #packet = new Packet();
  readonly #frame = new Frame();

  /** `isLenient`: shows what there is of a damaged picture. */
  constructor(isLenient: boolean) {
    this.#isLenient = isLenient;
    this.#packet.alloc();
    this.#frame.alloc();
  }

  /** A picture that says to have this size; null when it cannot be decoded, or is much larger. */
  decode(
    settings: CodedPictureSettings,
    size: Size,
    bytes: Buffer,
    colours: CodedColours | null,
  ): Pixels | null {
    const most = mostCodedPixels(size);
    const context = this.#contextOf(settings, most);
    if (!context) return null;
    context.setOption('max_pixels', most);
    const frame = this.#frame;
    try {
      this.#packet.data = bytes;
      if (context.sendPacketSync(this.#packet) < 0) return null;
      context.sendPacketSync(null);
      if (context.receiveFrameSync(frame) < 0) return null;
      if (frame.decodeErrorFlags !== 0 && !this.#isLenient) return null;
      // Without a word about it, the matrix is that of JPEG (ISO/IEC 23000-22).
      const matrix = colours?.matrix ?? AVCOL_SPC_UNSPECIFIED;
      if (matrix !== AVCOL_SPC_UNSPECIFIED && matrix !== 0)
        frame.colorSpace = matrix as typeof frame.colorSpace;
      else if (frame.colorSpace === AVCOL_SPC_UNSPECIFIED) frame.colorSpace = AVCOL_SPC_BT470BG;
      if (colours?.fullRange) frame.colorRange = AVCOL_RANGE_JPEG;
      const transfer = colours?.transfer ?? frame.colorTrc;
      const pixels = this.#pixels.of(frame);
      toneMap(transfer)?.(pixels.data);
      return pixels;
    } finally {
      this.#packet.unref();
      frame.unref();
      context.flushBuffers();
    }
  }

  close() {
    for (const context of this.#contexts.values()) context?.freeContext();
    this.#packet.free();
    this.#frame.free();
    this.#pixels.close();
  }

  /** Null when there is no decoder, or it refuses the settings. */
  #contextOf({ decoder, extradata }: CodedPictureSettings, most: bigint): CodecContext | null {
    const key = extradata ?? decoder;
    const knownContext = this.#contexts.get(key);
    if (knownContext !== undefined) return knownContext;
    const codec = Codec.findDecoderByName(decoder as Parameters<typeof Codec.findDecoderByName>[0]);
    const context = codec && new CodecContext();
    if (context) {
      context.allocContext3(codec);
      context.threadCount = 1;
      if (extradata) context.extraData = extradata;
      if (this.#isLenient) context.setFlags(AV_CODEC_FLAG_OUTPUT_CORRUPT);
      else context.setOption('err_detect', 'explode');
      context.setOption('max_pixels', most);
    }
    const opened = context && context.open2Sync(codec, null) >= 0;
    if (context && !opened) context.freeContext();
    this.#contexts.set(key, opened ? context : null);
    return opened ? context : null;
  }
}

/** Decoded pictures as RGB pixels of their own size. Owns its scaler. */
class FramePixels {
  readonly #scaler = new Scaler(AV_PIX_FMT_RGB24, 'area');

  /** Errors: DECODE_FAILED, TOO_LARGE. */
  of(frame: Frame): Pixels {
    const { width, height } = frame;
    const rgb = this.#scaler.scale(frame, { width, height });
    const stride = rgb.linesize[0]!;
    const data = new Uint8Array(width * height * 3);
    for (let y = 0; y < height; y++)
      data.set(rgb.data![0]!.subarray(y * stride, y * stride + width * 3), y * width * 3);
    return { width, height, channels: 3, data };
  }

  close() {
    this.#scaler.close();
  }
}
