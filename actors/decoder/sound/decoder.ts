// A decoder of one audio track: packets in, frames of samples out. Owns its native objects.
import { mediaErrors } from '../contract.ts';
import {
  AVERROR_EAGAIN,
  AVERROR_ENOMEM,
  AVERROR_EOF,
  avGetCodecName,
  Codec,
  CodecContext,
  checked,
  Frame,
  mediaError,
  type Packet,
  type Stream,
} from '../ffmpeg.ts';
import { zeroNonFinite } from './samples.ts';

export class SoundDecoder {
  readonly #context: CodecContext;
  readonly #path: string;
  readonly #frame = new Frame();
  /** True for codecs that store floats as they are, so that samples may be NaN or infinite. */
  readonly #rawFloats: boolean;
  #closed = false;

  private constructor(context: CodecContext, path: string, codec: string) {
    this.#context = context;
    this.#path = path;
    this.#rawFloats = /^pcm_f|^wavpack/.test(codec);
    this.#frame.alloc();
  }

  /** Uses one thread: several files are decoded in parallel instead. Throws UNSUPPORTED_CODEC. */
  static open(stream: Stream, path: string): SoundDecoder {
    const name = avGetCodecName(stream.codecpar.codecId) ?? 'unknown';
    const codec = Codec.findDecoder(stream.codecpar.codecId);
    if (!codec) {
      throw mediaErrors.UNSUPPORTED_CODEC(`${path}: no decoder for ${name}`, { path, codec: name });
    }
    const context = new CodecContext();
    try {
      context.allocContext3(codec);
      checked(context.parametersToContext(stream.codecpar), path, 'its sound cannot be decoded');
      context.threadCount = 1;
      context.pktTimebase = stream.timeBase;
      if (context.open2Sync(codec, null) < 0) {
        throw mediaErrors.UNSUPPORTED_CODEC(`${path}: ${name} cannot be decoded`, { path, codec: name });
      }
      return new SoundDecoder(context, path, name);
    } catch (error) {
      context.freeContext();
      throw error;
    }
  }

  /** Sends a packet, *borrowed*, or null at the end. False for a packet that cannot be decoded. */
  send(packet: Packet | null): boolean {
    const result = this.#context.sendPacketSync(packet);
    if (result === AVERROR_ENOMEM) throw mediaError(result, this.#path, 'decoding');
    return result >= 0;
  }

  /**
   * The next frame, *borrowed until the next call*; null when another packet is needed, `broken` for a frame that cannot be
   * decoded.
   */
  receive(): Frame | 'broken' | null {
    const result = this.#context.receiveFrameSync(this.#frame);
    if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return null;
    if (result === AVERROR_ENOMEM) throw mediaError(result, this.#path, 'decoding');
    if (result < 0) return 'broken';
    if (this.#rawFloats) zeroNonFinite(this.#frame);
    return this.#frame;
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#frame.free();
    this.#context.freeContext();
  }
}
