// One media file, open: its container, its picture stream, and its packets in the order of the file.
import { resolve } from 'node:path';
import { mediaErrors } from '../contract.ts';
import {
  AV_CODEC_PROP_INTRA_ONLY,
  AV_DISPOSITION_ATTACHED_PIC,
  AVDISCARD_ALL,
  AVERROR_EOF,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_FLAG_BACKWARD,
  avGetCodecName,
  checked,
  Dictionary,
  FormatContext,
  InputFormat,
  noTimestamp,
  Packet,
  type Stream,
} from '../ffmpeg.ts';
import { readFileStamp } from './file-stamp.ts';
import { containers } from './formats.ts';
import { isJpegFilm } from './jpeg-film.ts';

/** How far FFmpeg looks into a file to learn what it is: bytes, and microseconds of media. */
const probing = { bytes: 20_000_000n, microseconds: 10_000_000n };
/** Read errors in a row after which a file counts as ended. */
const patience = 64;

export class Source {
  readonly path: string;
  readonly format: FormatContext;
  /** The moving picture; null for audio and for files whose only picture is a cover. */
  readonly video: Stream | null;
  /** How the packets ended: null while there are more. */
  ended: 'clean' | 'broken' | null = null;
  #unread: Packet[] = [];
  /** Indexes of the streams whose packets are handed on. */
  #wanted: ReadonlySet<number>;
  #closed = false;

  constructor(path: string, format: FormatContext) {
    this.path = path;
    this.format = format;
    const streams = format.streams;
    const pictures = streams.filter(
      (stream) =>
        stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO &&
        (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) === 0,
    );
    const best = format.findBestStream(AVMEDIA_TYPE_VIDEO);
    this.video = pictures.find((stream) => stream.index === best) ?? pictures[0] ?? null;
    this.#wanted = new Set(this.video ? [this.video.index] : []);
  }

  get container(): string {
    return this.format.iformat?.name ?? 'unknown';
  }

  get codec(): string {
    return (this.video && avGetCodecName(this.video.codecpar.codecId)) ?? 'unknown';
  }

  get intraOnly(): boolean {
    return this.video?.codecpar.hasProperties(AV_CODEC_PROP_INTRA_ONLY) ?? false;
  }

  /** Reads only the picture stream from now on. */
  onlyVideo() {
    this.only(this.video ? [this.video.index] : []);
  }

  /** Reads only these streams from now on: most containers pass over the others without reading them. */
  only(indexes: readonly number[]) {
    this.#wanted = new Set(indexes);
    for (const stream of this.format.streams) {
      if (!this.#wanted.has(stream.index)) stream.discard = AVDISCARD_ALL;
    }
  }

  /** The next packet of the picture stream (or of `only`), *moved* to the caller, who frees it; null at the end. */
  next(): Packet | null {
    const again = this.#unread.shift();
    if (again) return again;
    const packet = new Packet();
    packet.alloc();
    if (this.read(packet)) return packet;
    packet.free();
    return null;
  }

  /** As `next`, into an empty packet of the caller, who unrefs it; false at the end. */
  read(packet: Packet): boolean {
    for (let failures = 0; failures < patience && this.ended === null; ) {
      const result = this.format.readFrameSync(packet);
      if (result >= 0 && this.#wanted.has(packet.streamIndex)) return true;
      if (result >= 0) packet.unref();
      else if (result === AVERROR_EOF) this.ended = 'clean';
      else if (++failures === patience) this.ended = 'broken';
    }
    return false;
  }

  /** Gives packets back, *moved*; `next` answers them first, in this order. */
  unread(packets: Packet[]) {
    this.#unread = [...packets, ...this.#unread];
  }

  /** Goes to the key picture at or before `ticks`; false when the container cannot. */
  seek(ticks: number): boolean {
    if (!this.video) return false;
    this.#forgetUnread();
    this.ended = null;
    const target = BigInt(Math.floor(ticks));
    return this.format.seekFrameSync(this.video.index, target, AVSEEK_FLAG_BACKWARD) >= 0;
  }

  /** Goes back to the first packet. Throws DECODE_FAILED when the container cannot. */
  rewind() {
    // Some containers take no time before their first packet's.
    const starts = [-(2 ** 40), ticks(this.video?.startTime ?? noTimestamp) ?? 0, 0];
    if (starts.some((start) => this.seek(start))) return;
    throw mediaErrors.DECODE_FAILED(`${this.path}: cannot be read from the start again`, { path: this.path });
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#forgetUnread();
    this.format.closeInputSync();
    this.format.freeContext();
  }

  #forgetUnread() {
    for (const packet of this.#unread) packet.free();
    this.#unread = [];
  }
}

/** Opens a media file. Errors: FILE_NOT_FOUND, FILE_UNREADABLE, FILE_EMPTY, NOT_MEDIA. The caller closes it. */
export async function openSource(path: string): Promise<Source> {
  await readFileStamp(path);
  // By its first bytes alone FFmpeg takes such a film for a still.
  const forced = (await isJpegFilm(path)) ? InputFormat.findInputFormat('mjpeg') : null;
  const format = new FormatContext();
  const options = Dictionary.fromObject({
    protocol_whitelist: 'file',
    format_whitelist: containers,
    // A name like "a%03d.png" is one file, not a series.
    pattern_type: 'none',
  });
  try {
    format.allocContext();
    format.probesize = probing.bytes;
    format.maxAnalyzeDuration = probing.microseconds;
    // The prefix keeps a name such as "concat:x" from being taken for a protocol.
    checked(format.openInputSync(`file:${resolve(path)}`, forced, options), path, 'cannot be opened');
    checked(format.findStreamInfoSync(), path, 'cannot be understood');
    return new Source(path, format);
  } catch (error) {
    format.closeInputSync();
    format.freeContext();
    throw error;
  } finally {
    options.free();
  }
}

/** A timestamp in ticks; null when FFmpeg has none. */
export function ticks(value: bigint): number | null {
  return value === noTimestamp ? null : Number(value);
}
