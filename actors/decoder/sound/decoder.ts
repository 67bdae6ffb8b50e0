// A decoder of one audio track: packets in, frames of samples out. Owns its native objects.
import {
  AVERROR_EAGAIN,
  AVERROR_ENOMEM,
  AVERROR_EOF,
  avGetCodecName,
  type CodecContext,
  Frame,
  mediaError,
  type Packet,
  type Stream,
} from '../ffmpeg.ts';
import { openCodecContext } from '../source/codec-context.ts';
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

  /** Throws UNSUPPORTED_CODEC. */
  static open(stream: Stream, path: string): SoundDecoder {
    const name = avGetCodecName(stream.codecpar.codecId) ?? 'unknown';
    const context = openCodecContext({ stream, path, codec: name, what: 'sound' });
    return new SoundDecoder(context, path, name);
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
