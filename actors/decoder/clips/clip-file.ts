// The file of a clip while it is written: muxer, streams, their encoders, and the formats they have. Owns its
// native objects.
import { engineErrors } from '../../../runtime/errors.ts';
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVFMT_GLOBALHEADER,
  Codec,
  CodecContext,
  Dictionary,
  FFmpegError,
  FormatContext,
  type Frame,
  noTimestamp,
  OutputFormat,
  Packet,
  Rational,
  type Stream,
} from '../ffmpeg.ts';
import type { TimeBase } from '../grid.ts';
import { clipErrors } from './contract.ts';

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

// Formats of clips: the pixel format of H.264, the rate of AAC, and the container of copied packets.

/** Sample rates of AAC, Hz. */
const aacRates = [7350, 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000];
const otherRate = 48_000;

/** The rate itself where AAC has it. */
export function soundRateOf(rate: number): number {
  return aacRates.includes(rate) ? rate : otherRate;
}

/** Pixel formats that the encoder takes as they are. */
const direct = /^(yuvj?4(20|22|44)p|yuv4(20|22|44)p10le|gray|gray10le)$/;

/**
 * FFmpeg's name of the pixel format for H.264 that keeps the most of `name`: the chroma resolution, and 10
 * bits of more than 8. A picture whose sides are odd cannot have its chroma halved.
 */
export function pictureFormatOf(name: string, { width, height }: { width: number; height: number }): string {
  const format = direct.test(name) ? name : nearest(name);
  const isOdd =
    (/420/.test(format) && (width % 2 === 1 || height % 2 === 1)) || (/422/.test(format) && width % 2 === 1);
  return isOdd ? format.replace(/420|422/, '444') : format;
}

/** True for FFmpeg's names of pixel formats of red, green and blue, packed, in planes, or as a palette. */
export const isRgbFormat = (name: string) =>
  /^(rgb|bgr|gbr|argb|abgr|0rgb|0bgr|x2rgb|x2bgr|pal8|bayer)/.test(name);

function nearest(name: string): string {
  const deep =
    /(9|10|12|14|16)(le|be)?$|^p[024]1|48|64|f32|f16/.test(name) && !/^(rgb|bgr)(555|565|444)/.test(name);
  const chroma =
    isRgbFormat(name) || /^(ya|xyz)|444|vuy|xv30|nv24|nv42|p41/.test(name)
      ? '444'
      : /422|411|440|nv16|nv20|p21|yuyv|uyvy|yvyu/.test(name)
        ? '422'
        : '420';
  if (/^(gray|mono)/.test(name)) return deep ? 'gray10le' : 'gray';
  // Half the chroma lines and all columns: no format of the encoder is like it but full chroma.
  const subsampling = /440/.test(name) ? '444' : chroma;
  return `yuv${subsampling}p${deep ? '10le' : ''}`;
}

export interface Container {
  /** FFmpeg's name of the muxer. */
  readonly muxer: string;
  readonly extension: string;
  /** True if its edit lists hide pictures before time 0. */
  readonly hides?: boolean;
}

export const mp4: Container = { muxer: 'mp4', extension: 'mp4', hides: true };
export const m4a: Container = { muxer: 'ipod', extension: 'm4a', hides: true };
const matroska: Container = { muxer: 'matroska', extension: 'mkv' };
const quicktime: Container = { muxer: 'mov', extension: 'mov', hides: true };

/** Muxers of the same kind as the demuxer, by the start of its name. */
const kindred: readonly (readonly [demuxer: RegExp, container: Container])[] = [
  [/^mpegts/, { muxer: 'mpegts', extension: 'ts' }],
  [/^ogg/, { muxer: 'ogg', extension: 'ogg' }],
  [/^wav/, { muxer: 'wav', extension: 'wav' }],
  [/^flac/, { muxer: 'flac', extension: 'flac' }],
  [/^mp3/, { muxer: 'mp3', extension: 'mp3' }],
];

/** Containers to try for copied packets, in this order. `demuxer`: FFmpeg's name of that of the source. */
export function containersFor(demuxer: string, path: string): readonly Container[] {
  if (/^mov/.test(demuxer)) {
    if (/\.m4a$/i.test(path)) return [m4a, quicktime, matroska];
    return /\.(mov|qt)$/i.test(path) ? [quicktime, mp4, matroska] : [mp4, quicktime, matroska];
  }
  if (/^matroska/.test(demuxer)) {
    const webm = { muxer: 'webm', extension: 'webm' };
    return /\.webm$/i.test(path) ? [webm, matroska] : [matroska, quicktime];
  }
  const nativeContainer = kindred.find(([pattern]) => pattern.test(demuxer))?.[1];
  return nativeContainer ? [nativeContainer, matroska, quicktime] : [matroska, quicktime];
}

// An encoder of one stream of a clip: frames in, packets into the file. Owns its native objects.

type CodecName = Parameters<typeof Codec.findEncoderByName>[0];

export interface EncoderOptions {
  /** FFmpeg's name. */
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
  /** Sets the fields that the codec needs before it is opened: size, format, time base. */
  prepare(context: CodecContext, codec: Codec): void;
}

/** The file that packets go into, or what joins them with others. */
export type EncodedInto = Pick<ClipFile, 'format' | 'must' | 'encodedStream' | 'write'>;

export class Encoder {
  readonly name: string;
  readonly context = new CodecContext();
  readonly stream: Stream;
  readonly #file: EncodedInto;
  readonly #packet = new Packet();

  /** Throws CLIP_UNWRITABLE. */
  constructor(file: EncodedInto, { name, options, prepare }: EncoderOptions) {
    this.name = name;
    this.#file = file;
    this.#packet.alloc();
    const codec = Codec.findEncoderByName(name as CodecName);
    if (!codec) throw clipErrors.CLIP_UNWRITABLE(`FFmpeg has no encoder ${name} here`);
    try {
      this.context.allocContext3(codec);
      if (file.format.oformat?.hasFlags(AVFMT_GLOBALHEADER))
        this.context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
      prepare(this.context, codec);
      // A dictionary given to an open call would be freed twice, by FFmpeg and by its binding.
      for (const [key, value] of Object.entries(options)) {
        file.must(this.context.setOption(key, value), `setting ${key}=${value}`);
      }
      file.must(this.context.open2Sync(codec, null), `opening the encoder ${name}`);
      this.stream = file.encodedStream(this.context);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Format that frames must have. */
  get input(): CodecContext {
    return this.context;
  }

  /** Encodes a frame, *borrowed*, or with null what is left, and writes the packets that are ready. */
  encode(frame: Frame | null, finish?: (packet: Packet) => void) {
    this.#file.must(this.context.sendFrameSync(frame), 'encoding');
    for (;;) {
      const result = this.context.receivePacketSync(this.#packet);
      if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return;
      this.#file.must(result, 'encoding');
      finish?.(this.#packet);
      this.#file.write(this.#packet, this.stream, this.context.timeBase);
    }
  }

  close() {
    this.#packet.free();
    this.context.freeContext();
  }
}
