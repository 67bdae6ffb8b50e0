// An open media file: its container (demuxer), its video stream, and its packets in file order.
import { resolve } from 'node:path';
import type { Turn } from '../../../runtime/actor.ts';
import { mediaErrors, type Rational } from '../contract.ts';
import {
  AV_CODEC_PROP_INTRA_ONLY,
  AV_DISPOSITION_ATTACHED_PIC,
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  AVERROR_EOF,
  AVFMT_FLAG_IGNIDX,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_FLAG_BACKWARD,
  AVSEEK_FLAG_BYTE,
  avGetCodecName,
  checked,
  Dictionary,
  FormatContext,
  InputFormat,
  noTimestamp,
  Packet,
  type Stream,
  ticks,
} from '../ffmpeg.ts';
import { type Gap, hasClock, readClock, type SourceClock } from './clock.ts';
import { pictureOf, reserveFor, type Size } from './coded-size.ts';
import { FieldPairs } from './field-pairs.ts';
import {
  ByteSource,
  type FileStamp,
  isJpegFilm,
  isSameFile,
  isTransportStream,
  orEncrypted,
  readFileStamp,
} from './file.ts';
import { FilmMemory } from './film-memory.ts';
import type { PacketTurn } from './packet-checkpoint.ts';
import { codedHeader, codedHeaderLength } from './stills/coded-header.ts';
import { expectSize } from './stills/still.ts';

// Memory for the stills that FFmpeg reads. It is reserved before they are opened, because opening may decode
// them.

/** Memory of decoding beside the picture and the file. */
const fixed = 8 * 2 ** 20;
/** Rows and columns by which a decoder may enlarge a picture to align it. */
const alignment = 128;
/** A still of a format whose header is not known here has this size at most; 4 bytes a px. */
const unknown: Size = { width: 4096, height: 4096 };

interface CodedStillMemory {
  /** Pixels of the largest picture that may be decoded with it; FFmpeg refuses others. */
  readonly mostPixels: bigint;
  release(): void;
}

/** Waits until the still may be decoded. Errors: FILE_UNREADABLE, TOO_LARGE, CANCELLED. */
async function reserveCodedStill(path: string, turn: Pick<Turn, 'reserve'>): Promise<CodedStillMemory> {
  const { header, fileBytes } = await ByteSource.of(path, async (source) => ({
    header: codedHeader(await source.readUpTo(0, codedHeaderLength), source.size),
    fileBytes: source.size,
  }));
  const { width, height } = header ?? unknown;
  if (header) expectSize(path, 'picture', header);
  const picture = header ? header.frameBytes + header.furtherBytes : 4 * width * height;
  // FFmpeg reads the whole file as one packet.
  const release = await reserveFor(pictureOf({ path, width, height }), fixed + fileBytes + picture, turn);
  return { mostPixels: BigInt((width + alignment) * (height + alignment)), release };
}

/** How much FFmpeg reads to recognise a file and its streams. */
const probeLimits = { bytes: 20_000_000n, microseconds: 10_000_000n };
/**
 * How much it reads of a transport stream to open it: it looks for each table in all that came before, hardly
 * stops when it is interrupted, and finds the tables that are not in these bytes later.
 */
const transportBytes = 250_000n;
/** FFmpeg keeps a decoder and a parser for each stream; a whole multiplex has some 200 in 50 programs. */
const mostStreams = 256;
const mostPrograms = 256;
/** FFmpeg opens a decoder for each of them at once, of 1.6 MB for H.264; a multiplex has some 50. */
const mostPictureStreams = 64;
/** How long opening a file may take, and how often is asked whether it was cancelled. */
const openLimit = { ms: 30_000, checkMs: 100 };
/** How long places of a file are looked at to know whether its clock goes with its bytes. */
const clockLimitMs = 10_000;
/** A file of at least this size of which less than this share is stored is a hole with a head. */
const holes = { fromBytes: 512 * 1024 * 1024, storedShare: 0.1 };
/** Packets examined for fields, at most. */
const mostFieldPackets = 16;
/** Packets and bytes read for the usual rate, at most; the last ones may be shown before those not read. */
const mostRatePackets = { count: 300, bytes: 16 * 1024 * 1024, reordered: 16 };
/** Containers whose average rate is not that of most pictures where the recorder dropped some. */
const averaged = /^(mov|mp4|matroska)/;
/** Raw sound and pictures, whose length FFmpeg estimates from the bytes and the bit rate at the start. */
const raw =
  /^(aac|ac3|ac4|adx|amr|amrnb|amrwb|aptx|aptx_hd|dts|dtshd|eac3|g722|g726|g726le|gsm|latm|loas|mlp|sbc|truehd)$|^(m4v|mpegvideo|h261|h263|h264|hevc|vvc|av1|obu|mjpeg|vc1|dirac|dnxhd|cavsvideo)$/;
/** Consecutive read errors after which the file counts as ended. */
const mostReadErrors = 64;
/**
 * Above this size, bytes: FFmpeg may read for minutes within one call, for the next packet of a stream that
 * has few, or for a place in a file without an index.
 */
const largeBytes = 512 * 1024 * 1024;
/** Containers that know where every packet is; streams that are left out cost nothing there. */
const indexed = /^(mov|mp4|mxf)/;
/**
 * Containers in which a place that is not in the index is found by reading up to it. Others search by halves.
 */
const readUpTo = /^(matroska|avi|flv)/;

const flash = /^(live_)?flv/;

export class Source {
  readonly path: string;
  readonly format: FormatContext;
  readonly bytes: number;
  /** The video stream; null for audio and for files whose only picture is cover art. */
  readonly video: Stream | null;
  /** Memory for a still that FFmpeg decodes, kept until the source is closed; null for films and sound. */
  readonly still: CodedStillMemory | null;
  readonly #memory: FilmMemory | null;
  /** Null where the times of the file go on from its start to its end. */
  #clock: SourceClock | null = null;
  /** Stretches without pictures, as far as the packets were read to know the clock. */
  gaps: readonly Gap[] = [];
  /** Shift of the times of the packet read last, by stream. The position of a packet is not always known. */
  readonly #shifts = new Map<number, number>();
  /**
   * Rate of most pictures; null before `lookForRate`, if the container states it, and if there is no usual
   * one.
   */
  usualRate: Rational | null = null;
  /** Why there are no more packets; null while there are. */
  ended: 'clean' | 'broken' | null = null;
  readonly #turn: PacketTurn | null;
  /** Ticks up to which the index of a container in `readUpTo` has certainly been built. */
  #reached = 0;
  #unread: Packet[] = [];
  /** Bytes from the start of the file to where it was read from. */
  #place = 0;
  /** Null where no packet of the video stream can be a single field. */
  readonly #fields: FieldPairs | null;
  /** Indexes of the streams whose packets are returned. */
  #streamIndexes: ReadonlySet<number>;
  #closed = false;

  /**
   * `turn`: the one it works for. Whatever is read of the file gives signs of life, and ends when it is
   * cancelled.
   */
  constructor(
    path: string,
    format: FormatContext,
    bytes: number,
    turn: PacketTurn | null = null,
    still: CodedStillMemory | null = null,
    memory: FilmMemory | null = null,
  ) {
    this.still = still;
    this.#memory = memory;
    this.path = path;
    this.#turn = turn;
    this.format = format;
    this.bytes = bytes;
    const streams = format.streams;
    const videos = streams.filter(hasPictures);
    const best = format.findBestStream(AVMEDIA_TYPE_VIDEO);
    this.video = videos.find((stream) => stream.index === best) ?? videos[0] ?? null;
    this.#streamIndexes = new Set(this.video ? [this.video.index] : []);
    this.#fields = FieldPairs.open(this.codec, this.video?.codecpar.extradata ?? null);
  }

  get container(): string {
    return this.format.iformat?.name ?? 'unknown';
  }

  /** Before the first packet is read. */
  goBy(clock: SourceClock | null) {
    this.gaps = clock?.gaps ?? [];
    this.#clock = clock && clock.restarts.length > 0 ? clock : null;
  }

  /** The stream by which places are found: that of the pictures, without them the first one of sound. */
  get guide(): Stream | null {
    const isSound = ({ codecpar }: Stream) => codecpar.codecType === AVMEDIA_TYPE_AUDIO;
    return this.video ?? this.format.streams.find(isSound) ?? null;
  }

  /** Seconds from the first picture at which the clock of the file restarts or jumps. */
  get restarts(): readonly number[] {
    return this.#clock?.restarts ?? [];
  }

  /** Seconds from the first picture, or sound, to the last; null where only the container says. */
  get clockSeconds(): number | null {
    return this.#clock?.seconds ?? null;
  }

  /** The length that FFmpeg states is an estimate; the packets say more. */
  get isEstimated(): boolean {
    if (raw.test(this.container)) return true;
    if (this.container !== 'mp3' || !this.guide) return false;
    const { startTime, duration, timeBase, codecpar } = this.guide;
    // Where a header counts the samples, the encoder's delay is known, and the length is a whole number.
    const perSample = BigInt(Math.round(timeBase.den / (timeBase.num * codecpar.sampleRate)));
    return startTime <= 0n || perSample <= 0n || duration % perSample !== 0n;
  }

  /** The end of the file in seconds on the clock of the streams; Infinity where it is not known. */
  get endSeconds(): number {
    if (this.#clock) return this.#clock.end;
    if (this.isEstimated) return Number.POSITIVE_INFINITY;
    const [start, duration] = [Math.max(0, Number(this.format.startTime)), Number(this.format.duration)];
    return duration > 0 ? (start + duration) / 1e6 : Number.POSITIVE_INFINITY;
  }

  /** Memory is reserved for its index until it is closed. */
  get hasLongIndex(): boolean {
    return this.#memory?.hasLongIndex === true;
  }

  get codec(): string {
    return (this.video && avGetCodecName(this.video.codecpar.codecId)) ?? 'unknown';
  }

  get intraOnly(): boolean {
    return this.video?.codecpar.hasProperties(AV_CODEC_PROP_INTRA_ONLY) ?? false;
  }

  /** A seek may read the file up to the place that is wanted, which takes minutes. */
  get seeksByReading(): boolean {
    return this.bytes > largeBytes && readUpTo.test(this.container);
  }

  /**
   * Ticks from one frame to the next, once a frame was read whose two fields are packets of their own in the
   * file; null otherwise.
   */
  get fieldFrameTicks(): number | null {
    return this.#fields?.frameTicks ?? null;
  }

  /** Finds out `fieldFrameTicks` from the next packets, which can be read again afterwards. */
  lookForFields() {
    if (!this.#fields) return;
    const packets: Packet[] = [];
    while (this.fieldFrameTicks === null && packets.length < mostFieldPackets) {
      const packet = this.next();
      if (!packet) break;
      packets.push(packet);
    }
    this.unread(packets);
  }

  /**
   * Finds out `usualRate` where the container averages, from the next packets, which can be read again
   * afterwards.
   */
  lookForRate() {
    if (!this.video || !averaged.test(this.container)) return;
    const { avgFrameRate: average, rFrameRate: finest, timeBase } = this.video;
    if (average.num * finest.den === finest.num * average.den) return;
    const packets: Packet[] = [];
    for (let bytes = 0; packets.length < mostRatePackets.count && bytes < mostRatePackets.bytes; ) {
      const packet = this.next();
      if (!packet) break;
      bytes += packet.size;
      packets.push(packet);
    }
    const times = packets.flatMap(({ pts }) => ticks(pts) ?? []).sort((a, b) => a - b);
    const complete = this.ended === null ? times.slice(0, -mostRatePackets.reordered) : times;
    this.usualRate = usualRate(complete, timeBase.num / timeBase.den);
    this.unread(packets);
  }

  onlyVideo() {
    this.only(this.video ? [this.video.index] : []);
  }

  /**
   * Reads only these streams from now on; most demuxers skip the packets of the others without reading them.
   */
  only(indexes: readonly number[]) {
    this.#streamIndexes = new Set(indexes);
    const others = this.format.streams.filter(({ index }) => !this.#streamIndexes.has(index));
    // One dense stream of a large file goes on being returned, so that reading a sparse one shows how it goes
    // on.
    const beat = this.bytes > largeBytes && !indexed.test(this.container) ? dense(others) : undefined;
    for (const stream of others) if (stream !== beat) stream.discard = AVDISCARD_ALL;
  }

  /** Every stream is read from now on; `next` goes on returning packets of the same ones. */
  readAll() {
    for (const stream of this.format.streams) stream.discard = AVDISCARD_DEFAULT;
  }

  /**
   * The next packet of the video stream (or of `only`), *moved* to the caller, who frees it; null at the end.
   * The two fields of an interlaced frame are one packet.
   */
  next(): Packet | null {
    const again = this.#unread.shift();
    if (again) return again;
    return this.#fields ? this.#fields.next(() => this.#readPacket()) : this.#readPacket();
  }

  #readPacket(): Packet | null {
    const packet = new Packet();
    packet.alloc();
    if (this.read(packet)) return packet;
    packet.free();
    return null;
  }

  /**
   * Reads the next packet into an empty one of the caller, who unrefs it; false at the end. Ignores `unread`
   * ones.
   */
  read(packet: Packet): boolean {
    for (let failures = 0; failures < mostReadErrors && this.ended === null; ) {
      this.#turn?.throwIfCancelled();
      const result = this.format.readFrameSync(packet);
      if (result >= 0 && this.#streamIndexes.has(packet.streamIndex)) {
        if (this.#clock) this.#moveTimes(packet, this.#clock);
        return true;
      }
      if (result >= 0) packet.unref();
      else if (result === AVERROR_EOF) this.ended = 'clean';
      else if (++failures === mostReadErrors) this.ended = 'broken';
    }
    return false;
  }

  #moveTimes(packet: Packet, clock: SourceClock) {
    const { streamIndex, pts, dts, pos } = packet;
    const { num, den } = this.format.streams[streamIndex]!.timeBase;
    if (pos >= 0n || !this.#shifts.has(streamIndex)) {
      const at = ticks(dts) ?? ticks(pts);
      const place = pos >= 0n ? Number(pos) : this.#place;
      this.#shifts.set(streamIndex, clock.shiftAt(place, at === null ? null : (at * num) / den));
    }
    const shift = BigInt(Math.round((this.#shifts.get(streamIndex)! * den) / num));
    if (pts !== noTimestamp) packet.pts = pts + shift;
    if (dts !== noTimestamp) packet.dts = dts + shift;
  }

  /** Puts packets back, *moved*; `next` returns them first, in this order. */
  unread(packets: Packet[]) {
    this.#unread = [...packets, ...this.#unread];
  }

  /** Seeks to the keyframe at or before `ticks` of the guiding stream; false when the demuxer cannot. */
  seek(ticks: number): boolean {
    if (!this.guide) return false;
    const target = Math.floor(ticks);
    if (this.#clock) {
      const { num, den } = this.guide.timeBase;
      return this.seekToByte(this.#clock.positionBefore((target * num) / den));
    }
    this.#forgetUnread();
    this.ended = null;
    for (const step of this.#steps(target)) this.#seek(this.guide, step);
    return this.#seek(this.guide, target);
  }

  /** Goes on with the first packet from a place in the file on; false when the demuxer cannot. */
  seekToByte(position: number): boolean {
    this.#forgetUnread();
    this.ended = null;
    this.#place = position;
    this.#shifts.clear();
    this.#turn?.throwIfCancelled();
    return this.format.seekFrameSync(-1, BigInt(position), AVSEEK_FLAG_BYTE) >= 0;
  }

  #seek({ index }: Stream, target: number): boolean {
    this.#turn?.throwIfCancelled();
    return this.format.seekFrameSync(index, BigInt(target), AVSEEK_FLAG_BACKWARD) >= 0;
  }

  /**
   * Places on the way to `target`: where FFmpeg reads up to it, each call reads a bounded part of the file.
   */
  *#steps(target: number): Generator<number> {
    const seconds = Number(this.format.duration) / 1e6;
    const { num, den } = this.guide!.timeBase;
    if (!this.seeksByReading || !(seconds > 0)) return;
    const step = Math.max(1, Math.floor((((seconds * den) / num) * largeBytes) / this.bytes));
    for (let at = this.#reached + step; at < target; at += step) {
      yield at;
      this.#reached = at;
    }
  }

  /** Seeks to the first packet. Throws DECODE_FAILED when the demuxer cannot. */
  rewind() {
    // Some demuxers reject a time before that of the first packet.
    const starts = [-(2 ** 40), ticks(this.guide?.startTime ?? noTimestamp) ?? 0, 0];
    if (starts.some((start) => this.seek(start))) return;
    throw mediaErrors.DECODE_FAILED(`${this.path}: cannot be read from the start again`, { path: this.path });
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#forgetUnread();
    this.format.closeInputSync();
    this.format.freeContext();
    this.still?.release();
    this.#memory?.release();
  }

  #forgetUnread() {
    for (const packet of this.#unread) packet.free();
    this.#unread = [];
    this.#fields?.clear();
  }
}

/** Sound before pictures: its packets are smaller. */
function dense(streams: readonly Stream[]): Stream | undefined {
  const ofType = (type: number) =>
    streams.find(
      ({ codecpar, disposition }) =>
        codecpar.codecType === type && (disposition & AV_DISPOSITION_ATTACHED_PIC) === 0,
    );
  return ofType(AVMEDIA_TYPE_AUDIO) ?? ofType(AVMEDIA_TYPE_VIDEO);
}

/** Ends what FFmpeg does to open a file once the turn is cancelled or the limit is reached. */
class OpenLimit {
  readonly #path: string;
  readonly #turn: PacketTurn;
  readonly #limitMs: number;
  readonly #began = performance.now();

  constructor(path: string, turn: PacketTurn, limitMs: number) {
    this.#path = path;
    this.#turn = turn;
    this.#limitMs = limitMs;
  }

  /** FFmpeg's result of a call on `format`. Errors: TOO_SLOW, CANCELLED, and what `call` throws. */
  async within(format: FormatContext, call: () => Promise<number>): Promise<number> {
    const check = setInterval(() => {
      if (this.#isLate() || this.#isCancelled()) format.interrupt();
    }, openLimit.checkMs);
    const result = await call().finally(() => clearInterval(check));
    this.#turn.throwIfCancelled();
    // An interrupted call may return success with the streams found so far.
    if (!this.#isLate()) return result;
    throw mediaErrors.TOO_SLOW(
      `${this.#path}: cannot be opened within ${this.#limitMs / 1000} s: it is damaged, claims far more streams ` +
        'or programs than it has, or its disk is too slow',
      { path: this.#path },
    );
  }

  #isLate(): boolean {
    return performance.now() - this.#began >= this.#limitMs;
  }

  #isCancelled(): boolean {
    try {
      this.#turn.throwIfCancelled();
      return false;
    } catch {
      return true;
    }
  }
}

/** Throws INCOMPLETE: FFmpeg would look for packets in holes for minutes, within one call. */
function expectStored(path: string, { size, storedBytes }: FileStamp) {
  const bytes = Number(size);
  // Some file systems do not say.
  if (bytes < holes.fromBytes || storedBytes === 0 || storedBytes >= bytes * holes.storedShare) return;
  throw mediaErrors.INCOMPLETE(
    `${path}: only ${Math.ceil(storedBytes / 1e6)} of its ${Math.round(bytes / 1e6)} MB are stored: it is ` +
      'still being copied, or copying it has failed',
    { path, stored_bytes: storedBytes },
  );
}

export interface OpenOptions {
  readonly turn: PacketTurn & Pick<Turn, 'reserve'>;
  /** Waited for before memory for a still is: what decoding it needs besides. */
  beforeStill?(): Promise<unknown>;
  /** How long FFmpeg may take. */
  readonly limitMs?: number;
  /**
   * The pictures of a film will be decoded, so memory for large ones is waited for and kept until the source
   * is closed. How many of them are held beside those of the decoder.
   */
  readonly pictures?: number;
}

/** Clocks found last, so that a film of several parts is read through once in each thread. */
const clocks = new Map<string, { readonly stamp: FileStamp; readonly clock: SourceClock | null }>();
const mostClocks = 64;

/** Errors: those of `openSource`. */
async function clockOf(source: Source, stamp: FileStamp, options: OpenOptions): Promise<SourceClock | null> {
  const { path } = source;
  const before = clocks.get(path);
  const isKnown = before && isSameFile(before.stamp, stamp) && before.stamp.changed === stamp.changed;
  if (isKnown) return before.clock;
  const reading = await openFile(path, stamp, options);
  try {
    const limit = new OpenLimit(path, options.turn, clockLimitMs);
    const look = async (packet: Packet) => {
      const { format } = reading;
      try {
        return (await limit.within(format, () => format.readFrame(packet))) >= 0;
      } catch (error) {
        if (mediaErrors.TOO_SLOW.is(error)) return false;
        throw error;
      }
    };
    const clock = await readClock(reading, options.turn, look);
    clocks.delete(path);
    clocks.set(path, { stamp, clock });
    for (const oldest of clocks.keys()) if (clocks.size > mostClocks) clocks.delete(oldest);
    return clock;
  } finally {
    reading.close();
  }
}

/**
 * Opens a media file; a still as soon as the memory to decode it may be used. Errors: FILE_NOT_FOUND,
 * FILE_UNREADABLE, FILE_EMPTY, INCOMPLETE, NOT_MEDIA, TOO_LARGE, TOO_SLOW, CANCELLED. The caller closes it.
 */
export async function openSource(path: string, options: OpenOptions): Promise<Source> {
  const stamp = await readFileStamp(path);
  const source = await openFile(path, stamp, options);
  if (!hasClock(source.container)) return source;
  try {
    source.goBy(await clockOf(source, stamp, options));
    return source;
  } catch (error) {
    source.close();
    throw error;
  }
}

async function openFile(
  path: string,
  stamp: FileStamp,
  { turn, beforeStill, limitMs = openLimit.ms, pictures }: OpenOptions,
): Promise<Source> {
  const { size } = stamp;
  // FFmpeg would take a Motion JPEG stream for a still.
  const forced = (await isJpegFilm(path)) ? InputFormat.findInputFormat('mjpeg') : null;
  const memory = await FilmMemory.ofIndex(path, Number(size), turn);
  const format = new FormatContext();
  let still: CodedStillMemory | null = null;
  const options = Dictionary.fromObject({
    protocol_whitelist: 'file',
    format_whitelist: containers,
    // "a%03d.png" is the name of one file, not the pattern of an image sequence.
    pattern_type: 'none',
    max_streams: String(mostStreams),
  });
  try {
    expectStored(path, stamp);
    format.allocContext();
    format.probesize = (await isTransportStream(path)) ? transportBytes : probeLimits.bytes;
    format.maxAnalyzeDuration = probeLimits.microseconds;
    const limit = new OpenLimit(path, turn, limitMs);
    // Without the prefix FFmpeg would take a name such as "concat:x" for a protocol.
    const open = () => format.openInput(`file:${resolve(path)}`, forced, options);
    checked(await limit.within(format, open), path, 'cannot be opened');
    expectAtMost(path, format.nbPrograms, mostPrograms, 'programs');
    expectAtMost(path, format.streams.filter(hasPictures).length, mostPictureStreams, 'streams of pictures');
    format.probesize = probeLimits.bytes;
    // A packet of Flash video may claim a huge number of keyframes, and FFmpeg allocates memory for all of
    // them.
    if (flash.test(format.iformat?.name ?? '')) format.setFlags(AVFMT_FLAG_IGNIDX);
    if (isStillContainer(format.iformat?.name ?? '')) {
      await beforeStill?.();
      // A still has no index.
      memory.release();
      still = await reserveCodedStill(path, turn);
    } else await memory.forOpening(format);
    await findStreams(path, format, still, limit);
    const source = new Source(path, format, Number(size), turn, still, memory);
    if (still) return source;
    if (source.video && pictures !== undefined) await memory.forDecoding(source.video, pictures);
    else await memory.keepIndex();
    return source;
  } catch (error) {
    format.closeInputSync();
    format.freeContext();
    still?.release();
    memory.release();
    throw mediaErrors.NOT_MEDIA.is(error) ? await orEncrypted(path, error) : error;
  } finally {
    options.free();
  }
}

/** Cover art is no such stream. */
function hasPictures({ codecpar, disposition }: Stream): boolean {
  return codecpar.codecType === AVMEDIA_TYPE_VIDEO && (disposition & AV_DISPOSITION_ATTACHED_PIC) === 0;
}

function expectAtMost(path: string, count: number, most: number, what: string) {
  if (count <= most) return;
  throw mediaErrors.TOO_LARGE(`${path}: has more than ${most} ${what}`, { path });
}

/** Errors: NOT_MEDIA, DECODE_FAILED, TOO_LARGE, TOO_SLOW, CANCELLED. */
async function findStreams(
  path: string,
  format: FormatContext,
  still: CodedStillMemory | null,
  limit: OpenLimit,
) {
  // The one dictionary is that of the first stream, and a still has no other.
  const limits = still && Dictionary.fromObject({ max_pixels: String(still.mostPixels) });
  try {
    // Only the other call takes a dictionary; reading a still is bounded by its memory.
    const status = limits
      ? format.findStreamInfoSync(limits)
      : await limit.within(format, () => format.findStreamInfo());
    checked(status, path, 'its streams cannot be read');
  } finally {
    limits?.free();
  }
  expectAtMost(path, format.streams.length, mostStreams - 1, 'streams');
  if (!still || format.streams.some(({ codecpar }) => codecpar.width > 0 && codecpar.height > 0)) return;
  throw mediaErrors.DECODE_FAILED(
    `${path}: its header is damaged, or the picture is larger than its format and header allow here`,
    { path },
  );
}

// The allowlist of containers. Playlists and image sequences are not in it: a media file must never make the
// program open other files or URLs.

/** FFmpeg's short names, in the form of its `format_whitelist` option. */
const containers = [
  'mov,mp4,m4a,3gp,3g2,mj2',
  'matroska,webm',
  'mpegts,mpegtsraw,mpeg,mpegvideo,m4v,h264,hevc,vvc,av1,obu,ivf,mjpeg,mjpeg_2000,vc1,vc1test,dnxhd,dirac,cavsvideo',
  'mxf,gxf,lxf,avi,flv,live_flv,asf,asf_o,ogg,rm,nut,dv,wtv,rawvideo,yuv4mpegpipe,r3d,bink,smk,fli,nuv,ty,pva,film_cpk',
  'swf,roq,dxa,4xm,vmd,ea,idcin,psxstr,wc3movie,wsvqa,c93,nsv,mv,mtv,cdxl,avs,avs2,avs3,xmv,mpc,mpc8,gif,apng,webp_pipe',
  'wav,w64,aiff,au,caf,mp3,aac,ac3,eac3,ac4,dts,dtshd,truehd,mlp,flac,ape,tak,tta,wv,ogg,amr,amrnb,amrwb,oma,voc,dsf,iff',
  'loas,latm,gsm,ast,adx,aptx,aptx_hd,sbc,qcp,shn,sox,spdif,w64,wsd,xwma,bit,g722,g726,g729,ircam,sds,sdsx,svag,vag',
  'bmp_pipe,dds_pipe,dpx_pipe,exr_pipe,hdr_pipe,j2k_pipe,jpeg_pipe,jpegls_pipe,jpegxl_pipe,jpegxl_anim,pam_pipe,pbm_pipe',
  'pcx_pipe,pfm_pipe,pgm_pipe,pgmyuv_pipe,phm_pipe,pictor_pipe,png_pipe,ppm_pipe,psd_pipe,qdraw_pipe,qoi_pipe,sgi_pipe',
  'sunrast_pipe,svg_pipe,tiff_pipe,vbn_pipe,xbm_pipe,xpm_pipe,xwd_pipe',
].join(',');

/** True for containers that hold exactly one still. */
export function isStillContainer(name: string): boolean {
  return name.endsWith('_pipe') || name === 'image2';
}

// The nominal rate of a film: that of most of its pictures. What containers average is too low where a phone
// dropped pictures, and where the first picture of a fragment counts twice.

/** Rates at which pictures are recorded. */
const nominal: readonly Rational[] = [
  ...[8, 10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 200, 240].map((num) => ({ num, den: 1 })),
  ...[15, 24, 30, 48, 60, 120, 240].map((thousand) => ({ num: thousand * 1000, den: 1001 })),
];
/** Largest share by which a measured rate may differ from the nominal one. */
const mostOff = 0.01;
/** Largest share by which equal distances differ: clocks of phones jitter. */
const jitter = 0.06;
/** Distances needed to say anything, and the share of them that must be equal. */
const fewest = { steps: 8, share: 0.5 };

/** `times`: of consecutive pictures, ascending, in ticks of so many seconds. Null where no rate is usual. */
export function usualRate(times: readonly number[], tick: number): Rational | null {
  const steps = times
    .slice(1)
    .map((time, i) => time - times[i]!)
    .filter((step) => step > 0)
    .sort((a, b) => a - b);
  if (steps.length < fewest.steps) return null;
  const equal = mostEqual(steps);
  if (equal.length < fewest.share * steps.length) return null;
  const step = (equal.reduce((sum, value) => sum + value, 0) / equal.length) * tick;
  const off = ({ num, den }: Rational) => Math.abs((num / den) * step - 1);
  const nearest = nominal.reduce((best, rate) => (off(rate) < off(best) ? rate : best));
  return off(nearest) <= mostOff ? nearest : null;
}

/** The longest run of ascending steps that differ by jitter and rounding only. */
function mostEqual(steps: readonly number[]): readonly number[] {
  let best: readonly number[] = [];
  for (let from = 0, to = 0; from < steps.length; from++) {
    const limit = Math.max(steps[from]! * (1 + 2 * jitter), steps[from]! + 1);
    while (to < steps.length && steps[to]! <= limit) to++;
    if (to - from > best.length) best = steps.slice(from, to);
  }
  return best;
}
