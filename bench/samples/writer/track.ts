// A track of a film that is being written, and the encoder that video and audio tracks share.

import {
  AV_CODEC_FLAG_BITEXACT,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVFMT_GLOBALHEADER,
  Codec,
  CodecContext,
  FFmpegError,
  type FormatContext,
  type Frame,
  Packet,
  type Stream,
} from '../../../actors/decoder/ffmpeg.ts';
import { errorTable } from '../../../runtime/errors.ts';

export const filmErrors = errorTable({
  FILM_ENCODER_MISSING: { meaning: 'Encoder not found', status: 400, retryable: false },
  FILM_NOT_WRITTEN: { meaning: 'The film cannot be written', status: 500, retryable: false },
});

/** Muxes a packet. The packet stays the track's; its data is *moved* out of it. */
export type WritePacket = (packet: Packet, stream: Stream, base: TimeBase) => void;
/** Seconds per tick. */
export type TimeBase = { readonly num: number; readonly den: number };

export interface FilmTrack {
  /** Time of what `step` writes next; Infinity when the track is finished. */
  readonly seconds: number;
  /** Encodes the next picture, block of samples or cue and writes the resulting packets. */
  step(write: WritePacket): void;
  /** Frees what the track owns; called once, also after an error. */
  close(): void;
}

export function must(result: number, path: string, doing: string): number {
  if (result >= 0) return result;
  throw filmErrors.FILM_NOT_WRITTEN(`${path}: ${doing}: ${FFmpegError.strerror(result)}`, { path });
}

export function encoderCodec(name: string, path: string): Codec {
  const codec = Codec.findEncoderByName(name as Parameters<typeof Codec.findEncoderByName>[0]);
  if (!codec) throw filmErrors.FILM_ENCODER_MISSING(`${path}: no encoder named ${name}`, { path, name });
  return codec;
}

/**
 * Sets FFmpeg's options one by one; an unknown name is an error. A Dictionary passed to an open call is freed
 * twice, by FFmpeg and by its binding, which crashes the process.
 */
export function setOptions(
  target: CodecContext | FormatContext,
  options: Readonly<Record<string, string>>,
  path: string,
): void {
  for (const [name, value] of Object.entries(options)) {
    must(target.setOption(name, value), path, `setting the option ${name}=${value}`);
  }
}

/** An open encoder, its stream in the file, and the packet that receives its output. */
export class TrackEncoder {
  readonly context: CodecContext;
  readonly stream: Stream;
  readonly #packet = new Packet();
  readonly #path: string;

  /** `prepare` sets the fields the codec needs before it is opened: size, format, time base. */
  constructor(
    format: FormatContext,
    path: string,
    codec: Codec,
    options: Readonly<Record<string, string>>,
    prepare: (context: CodecContext) => void,
  ) {
    this.#path = path;
    this.#packet.alloc();
    this.context = new CodecContext();
    this.context.allocContext3(codec);
    try {
      // Without the encoder's version string the same film has the same bytes on every run.
      this.context.setFlags(AV_CODEC_FLAG_BITEXACT);
      if (format.oformat?.hasFlags(AVFMT_GLOBALHEADER)) this.context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
      prepare(this.context);
      setOptions(this.context, options, path);
      must(this.context.open2Sync(codec, null), path, `opening the encoder ${codec.name}`);
      this.stream = format.newStream(codec);
      must(this.stream.codecpar.fromContext(this.context), path, 'describing the stream');
      this.stream.timeBase = this.context.timeBase;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Encodes one frame (*borrowed*), or flushes the encoder with null, and writes the packets that are ready.
   */
  encode(frame: Frame | null, write: WritePacket, finish?: (packet: Packet) => void): void {
    must(this.context.sendFrameSync(frame), this.#path, 'encoding');
    for (;;) {
      const result = this.context.receivePacketSync(this.#packet);
      if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return;
      must(result, this.#path, 'encoding');
      finish?.(this.#packet);
      write(this.#packet, this.stream, this.context.timeBase);
    }
  }

  close(): void {
    this.#packet.free();
    this.context.freeContext();
  }
}
