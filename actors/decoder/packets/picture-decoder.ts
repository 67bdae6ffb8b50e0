// A decoder of one video stream: packets in, pictures out. Owns its native objects.

import type { Log } from '../../../runtime/log.ts';
import { mediaErrors } from '../contract.ts';
import {
  AV_CODEC_FLAG_OUTPUT_CORRUPT,
  AV_FRAME_FLAG_CORRUPT,
  AVERROR_EAGAIN,
  AVERROR_ENOMEM,
  type Codec,
  type CodecContext,
  Frame,
  HardwareDeviceContext,
  mediaError,
  type Packet,
  ticks,
} from '../ffmpeg.ts';
import type { Source } from '../source/source.ts';
import { openCodecContext } from '../source/stream.ts';

// Hardware decoding: opens a device of this machine once and attaches it to decoders. What fails in hardware
// is decoded in software instead; only the log says so.

type DeviceKind = Parameters<typeof HardwareDeviceContext.findTypeByName>[0];
/** The binding types FFmpeg's names as branded strings. */
const named = (kind: string) => kind as unknown as DeviceKind;

interface DecodingDevice {
  readonly kind: string;
  /** Which one, as FFmpeg names it; null for its first. */
  readonly name: string | null;
}

/**
 * Devices to try, best first. `card`: its number as models count it (`device`), which on Windows is the order
 * of DirectX, and not that of CUDA. Without a number CUDA is first there, because on many machines the first
 * card of DirectX is one inside the processor.
 */
export function decodingDevices(platform: string, card: number): readonly DecodingDevice[] {
  const name = card === 0 ? null : String(card);
  if (platform === 'darwin') return [{ kind: 'videotoolbox', name: null }];
  if (platform === 'win32') {
    const direct = { kind: 'd3d11va', name };
    return card === 0 ? [{ kind: 'cuda', name }, direct] : [direct];
  }
  if (platform !== 'linux') return [];
  const node = card === 0 ? null : `/dev/dri/renderD${128 + card}`;
  return [
    { kind: 'cuda', name },
    { kind: 'vaapi', name: node },
  ];
}

export class Hardware {
  readonly #kind: DeviceKind;
  readonly #device: HardwareDeviceContext;

  private constructor(kind: DeviceKind, device: HardwareDeviceContext) {
    this.#kind = kind;
    this.#device = device;
  }

  /** The first device that can be opened; null when there is none. The caller closes it. */
  static find(platform: string, card: number, log: Log): Hardware | null {
    const tried = decodingDevices(platform, card);
    for (const { kind, name } of tried) {
      const device = new HardwareDeviceContext();
      const result = device.create(HardwareDeviceContext.findTypeByName(named(kind)), name, null);
      if (result >= 0) {
        log.info('decoding in hardware', { device: kind, ...(name !== null && { name }) });
        return new Hardware(named(kind), device);
      }
      device.free();
    }
    log.info('decoding in software', { tried: tried.map(({ kind }) => kind) });
    return null;
  }

  /**
   * Configures a context, before it is opened, to decode on the device; false when the device lacks this
   * codec.
   */
  attach(context: CodecContext, codec: Codec): boolean {
    const type = HardwareDeviceContext.findTypeByName(this.#kind);
    for (let i = 0; ; i++) {
      const config = codec.getHwConfig(i);
      if (!config) return false;
      if (config.deviceType !== type) continue;
      context.hwDeviceCtx = this.#device;
      context.setHardwarePixelFormat(config.pixFmt);
      return true;
    }
  }

  close() {
    this.#device.free();
  }
}

/** Copies a picture and its timestamps and colours from the device into memory; false when that fails. */
export function download(from: Frame, to: Frame): boolean {
  return from.hwframeTransferDataSync(to) >= 0 && to.copyProps(from) >= 0;
}

/** True if the decoder had to guess a part of the picture. */
export function isDamaged(frame: Frame): boolean {
  return frame.decodeErrorFlags !== 0 || frame.hasFlags(AV_FRAME_FLAG_CORRUPT);
}

/** A decoded picture. The frame is *borrowed for the call*. */
export type OnPicture = (frame: Frame, pts: number | null) => void;

export interface PictureDecoderOptions {
  /** Also outputs pictures whose references are missing. */
  readonly corrupt?: boolean;
  readonly hardware?: Hardware | null;
}

export class PictureDecoder {
  readonly #context: CodecContext;
  readonly #frame = new Frame();
  readonly #path: string;
  #closed = false;
  /** Packets sent to the decoder, for measurements. */
  sent = 0;

  private constructor(context: CodecContext, path: string) {
    this.#context = context;
    this.#path = path;
    this.#frame.alloc();
  }

  /** Opens a decoder for the source's video stream. Errors: NO_PICTURE, UNSUPPORTED_CODEC. */
  static open(source: Source, options: PictureDecoderOptions = {}): PictureDecoder {
    const { path, video } = source;
    if (!video) throw mediaErrors.NO_PICTURE(`${path}: has no picture`, { path });
    const context = openCodecContext({
      stream: video,
      path,
      codec: source.codec,
      what: 'stream',
      configure: (opening, codec) => {
        if (options.corrupt || source.still) opening.setFlags(AV_CODEC_FLAG_OUTPUT_CORRUPT);
        if (source.still) opening.setOption('max_pixels', source.still.mostPixels);
        options.hardware?.attach(opening, codec);
      },
    });
    return new PictureDecoder(context, path);
  }

  /** Decodes one packet, *borrowed*. A packet that cannot be decoded outputs nothing. */
  send(packet: Packet, onPicture: OnPicture) {
    this.sent++;
    let result = this.#context.sendPacketSync(packet);
    if (result === AVERROR_EAGAIN) {
      this.#receive(onPicture);
      result = this.#context.sendPacketSync(packet);
    }
    if (result === AVERROR_ENOMEM) throw mediaError(result, this.#path, 'decoding');
    this.#receive(onPicture);
  }

  /**
   * Outputs the pictures the decoder still holds and flushes it, so that it can restart at another packet.
   */
  drain(onPicture: OnPicture) {
    this.#context.sendPacketSync(null);
    this.#receive(onPicture);
    this.#context.flushBuffers();
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#frame.free();
    this.#context.freeContext();
  }

  #receive(onPicture: OnPicture) {
    while (this.#context.receiveFrameSync(this.#frame) >= 0) {
      try {
        onPicture(this.#frame, ticks(this.#frame.pts) ?? ticks(this.#frame.bestEffortTimestamp));
      } finally {
        this.#frame.unref();
      }
    }
  }
}

/**
 * A reference to a borrowed picture that outlives the call; a copy in memory when it is on a device, null
 * when copying fails. The caller frees it.
 */
export function keepPicture(frame: Frame): Frame | null {
  if (!frame.isHwFrame()) return frame.clone();
  const copy = new Frame();
  copy.alloc();
  if (download(frame, copy)) return copy;
  copy.free();
  return null;
}
