// Coded items of HEIF files, decoded by FFmpeg. A decoder is opened once for all tiles that have the same
// settings. Owns native objects.
import {
  AV_PIX_FMT_RGB24,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_UNSPECIFIED,
  Codec,
  CodecContext,
  Frame,
  Packet,
} from '../../../ffmpeg.ts';
import { toneMap } from '../../../pixels/hdr.ts';
import { Scaler } from '../../../pixels/scaler.ts';
import type { Size } from '../../coded-size.ts';
import type { Pixels } from '../still.ts';
import { Fields, type Item, type Property } from './items.ts';

/** Side of the largest blocks of the codings below, in px. */
const largestBlock = 128;

interface Coding {
  /** FFmpeg's name of the decoder, and the name for people. */
  readonly decoder: string;
  readonly name: string;
  /** The property with the decoder's settings; null where there is none. */
  readonly settings: string | null;
}

/** Types of items. AV1 is left to libvips where all of the picture is AV1. */
export const codings: Readonly<Record<string, Coding>> = {
  hvc1: { decoder: 'hevc', name: 'HEVC', settings: 'hvcC' },
  hev1: { decoder: 'hevc', name: 'HEVC', settings: 'hvcC' },
  avc1: { decoder: 'h264', name: 'H.264', settings: 'avcC' },
  av01: { decoder: 'libdav1d', name: 'AV1', settings: 'av1C' },
  jpeg: { decoder: 'mjpeg', name: 'JPEG', settings: null },
  j2k1: { decoder: 'jpeg2000', name: 'JPEG 2000', settings: null },
};

/** Colours as the container says (ITU-T H.273); it goes before what the coded picture says. */
export interface ItemColours {
  readonly matrix: number;
  readonly transfer: number;
  readonly fullRange: boolean;
}

export function coloursOf(properties: readonly Property[]): ItemColours | null {
  for (const { type, body } of properties) {
    const fields = new Fields(body);
    if (type !== 'colr' || fields.code() !== 'nclx') continue;
    fields.u(2);
    return { transfer: fields.u(2), matrix: fields.u(2), fullRange: fields.u(1) >= 128 };
  }
  return null;
}

/** The ICC profile; null where there is none. */
export function profileOf(properties: readonly Property[]): Buffer | null {
  for (const { type, body } of properties) {
    const fields = new Fields(body);
    if (type !== 'colr' || !['prof', 'rICC'].includes(fields.code())) continue;
    const profile = fields.rest();
    if (profile.length > 128) return profile;
  }
  return null;
}

/**
 * A coded picture is larger than what is shown of it by what its blocks need, and the decoder aligns its
 * rows.
 */
function mostCodedPixels({ width, height }: Size): bigint {
  return BigInt((width + largestBlock) * (height + largestBlock));
}

export class CodedItems {
  readonly #contexts = new Map<Buffer | string, CodecContext | null>();
  readonly #pixels = new FramePixels();
  readonly #packet = new Packet();
  readonly #frame = new Frame();

  constructor() {
    this.#packet.alloc();
    this.#frame.alloc();
  }

  /**
   * The picture of one item that says to have this size; null when it cannot be decoded, or is much larger.
   */
  decode(item: Item, size: Size, bytes: Buffer, colours: ItemColours | null): Pixels | null {
    const most = mostCodedPixels(size);
    const context = this.#contextOf(item, most);
    if (!context) return null;
    context.setOption('max_pixels', most);
    const frame = this.#frame;
    try {
      this.#packet.data = bytes;
      if (context.sendPacketSync(this.#packet) < 0) return null;
      context.sendPacketSync(null);
      if (context.receiveFrameSync(frame) < 0 || frame.decodeErrorFlags !== 0) return null;
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
  #contextOf({ type, properties }: Item, most: bigint): CodecContext | null {
    const { decoder, settings } = codings[type]!;
    const found = properties.find((property) => property.type === settings);
    const key = found?.body ?? type;
    const known = this.#contexts.get(key);
    if (known !== undefined) return known;
    const codec = Codec.findDecoderByName(decoder as Parameters<typeof Codec.findDecoderByName>[0]);
    const context = codec && new CodecContext();
    if (context) {
      context.allocContext3(codec);
      context.threadCount = 1;
      if (found) context.extraData = found.body;
      context.setOption('err_detect', 'explode');
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
