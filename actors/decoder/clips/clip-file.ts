// The file of a clip while it is written: muxer and streams. Owns its native objects.
import { engineErrors } from '../../../runtime/errors.ts';
import {
  type CodecContext,
  Dictionary,
  FFmpegError,
  FormatContext,
  noTimestamp,
  OutputFormat,
  type Packet,
  Rational,
  type Stream,
} from '../ffmpeg.ts';
import { clipErrors } from './contract.ts';
import type { Container } from './formats.ts';

/** Seconds per tick. */
export type TimeBase = { readonly num: number; readonly den: number };

export class ClipFile {
  readonly path: string;
  readonly container: Container;
  readonly format = new FormatContext();
  /** Decoding time of the latest packet of each stream, in its ticks. */
  readonly #latest = new Map<number, bigint>();
  #closed = false;

  /** Throws CLIP_UNWRITABLE. */
  constructor(path: string, container: Container) {
    this.path = path;
    this.container = container;
    const muxer = OutputFormat.guessFormat(container.muxer, null, null);
    if (!muxer) throw engineErrors.INTERNAL(`FFmpeg has no muxer ${container.muxer}`);
    this.must(this.format.allocOutputContext2(muxer, null, `file:${path}`), 'making the container');
  }

  /** A stream of what `context`, which is open, encodes. */
  encodedStream(context: CodecContext): Stream {
    const stream = this.format.newStream();
    this.must(stream.codecpar.fromContext(context), 'describing the stream');
    stream.timeBase = context.timeBase;
    return stream;
  }

  /** A stream with the packets of another one. */
  copiedStream(from: Stream, keepsTag: boolean): Stream {
    const stream = this.format.newStream();
    this.must(from.codecpar.copy(stream.codecpar), 'describing the stream');
    if (!keepsTag) stream.codecpar.codecTag = 0;
    stream.timeBase = from.timeBase;
    stream.avgFrameRate = from.avgFrameRate;
    stream.sampleAspectRatio = from.sampleAspectRatio;
    stream.disposition = from.disposition;
    return stream;
  }

  /** A stream with the packets of another one and more, with a configuration record for all of them. */
  joinedStream(from: Stream, record: Buffer, base: TimeBase): Stream {
    const stream = this.copiedStream(from, false);
    stream.codecpar.extradata = record;
    stream.timeBase = new Rational(base.num, base.den);
    return stream;
  }

  /** `options`: of the muxer. */
  begin(options: Readonly<Record<string, string>> | null = null) {
    this.must(this.format.openOutputSync(), 'opening');
    const given = options ? Dictionary.fromObject({ ...options }) : null;
    try {
      this.must(this.format.writeHeaderSync(given), 'writing the header');
    } finally {
      given?.free();
    }
  }

  /** The packet stays the caller's; its data is *moved* out of it. `base`: of its times. */
  write(packet: Packet, stream: Stream, base: TimeBase) {
    packet.streamIndex = stream.index;
    packet.rescaleTs(base, stream.timeBase);
    this.#keepOrder(packet);
    this.must(this.format.interleavedWriteFrameSync(packet), 'writing');
  }

  /** Where parts were joined, clocks can go back a little, which no muxer takes. */
  #keepOrder(packet: Packet) {
    if (packet.dts === noTimestamp) return;
    const latest = this.#latest.get(packet.streamIndex);
    if (latest !== undefined && packet.dts <= latest) packet.dts = latest + 1n;
    if (packet.pts !== noTimestamp && packet.pts < packet.dts) packet.pts = packet.dts;
    this.#latest.set(packet.streamIndex, packet.dts);
  }

  finish() {
    this.must(this.format.writeTrailerSync(), 'writing the end');
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.format.closeOutputSync();
    this.format.freeContext();
  }

  must(result: number, doing: string): number {
    if (result >= 0) return result;
    const { meaning } = clipErrors.CLIP_UNWRITABLE;
    const text = `${meaning} (${doing}): ${FFmpegError.strerror(result)}`;
    throw clipErrors.CLIP_UNWRITABLE(text, { path: this.path, ffmpeg: result });
  }
}
