// A copied clip: the packets of pictures and sound as they are, in a container like that of the source.
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import {
  AV_PKT_DATA_SKIP_SAMPLES,
  AV_PKT_FLAG_DISCARD,
  noTimestamp,
  type Packet,
  type Stream,
  ticks,
} from '../ffmpeg.ts';
import { near, seekNear } from '../frames/seek.ts';
import { MomentGrid } from '../grid.ts';
import { readHead, timelineStart } from '../packets/head.ts';
import { packetFacts } from '../packets/packet-facts.ts';
import { packetCheckpoint } from '../source/packet-checkpoint.ts';
import type { OpenOptions, Source } from '../source/source.ts';
import { frameStep } from '../source/stream.ts';
import { ClipFile, containersFor } from './clip-file.ts';
import { type ClipRequest, type CutResult, clipErrors } from './contract.ts';
import type { CutOptions } from './picture-cut.ts';
import { SoundPackets } from './sound-packets.ts';

// The pictures of a copied clip: packets as they are, from the random access point before the start on.

/** Seconds by which a picture may be shown after a cut and still count as shown there. */
const rounding = 0.001;

export class PictureCopy {
  readonly #options: CutOptions;
  readonly #perSecond: number;
  /** Ticks of the first picture of the film, and of the end of the clip. */
  readonly #zero: number;
  #end: number;
  readonly #rounding: number;
  #file: ClipFile | null = null;
  #stream: Stream | null = null;
  /** Packets that were read while the start was looked for, in order. */
  #read: Packet[] = [];
  /**
   * Packets shown after the end: written when one that follows is shown before it, for which they may be
   * needed.
   */
  #tail: Packet[] = [];
  /** Ticks at which the first picture is shown, and up to which those that were written are. */
  #origin: number;
  #until = 0;
  /** True where the first pictures need some that an edit list hides. */
  #isHidden = false;
  #done = false;
  /** Pictures written so far. */
  frames = 0;

  constructor(options: CutOptions) {
    this.#options = options;
    const { source, head, end } = options;
    this.#perSecond = head.video.timeBase.den / head.video.timeBase.num;
    this.#zero = head.start ?? 0;
    this.#origin = this.#zero;
    this.#rounding = Math.min(rounding * this.#perSecond, frameStep(source) / 4);
    this.#end = this.#zero + end * this.#perSecond - this.#rounding;
  }

  /** Finds the packet that the clip starts with. Errors: CLIP_OUTSIDE, CLIP_UNTIMED, CANCELLED. */
  async open() {
    const { source, head, start, turn } = this.#options;
    const { path } = source;
    if (!head.timed) throw clipErrors.CLIP_UNTIMED(`${path}: its packets have no times`, { path });
    const grid = new MomentGrid(head.video.timeBase, this.#zero, [start]);
    if (start >= near) await seekNear({ source, reader: head.reader, grid, from: 0, turn }, this.#zero);
    const target = this.#zero + start * this.#perSecond + this.#rounding;
    const reached = await this.#readUpTo(target);
    if (this.#read.length === 0 || reached <= target) {
      throw clipErrors.CLIP_OUTSIDE(`${path}: has no picture at ${start} s`, { path });
    }
  }

  /**
   * Reads up to `target`, and keeps what follows the last random access point before it. Returns the time it
   * got to.
   * Where there is none, it is the start of the film, which may need pictures that are hidden.
   */
  async #readUpTo(target: number): Promise<number> {
    const { source, head, turn } = this.#options;
    const checkpoint = packetCheckpoint(turn);
    let reached = Number.NEGATIVE_INFINITY;
    let isNear = true;
    while (isNear) {
      const packet = source.next();
      if (!packet) break;
      const { entry, pts, shown } = packetFacts(packet, head.reader);
      if (entry !== 'no' && shown && pts !== null && pts <= target) {
        free(this.#read);
        this.#origin = pts;
        this.#isHidden = false;
      } else if (this.#origin === this.#zero && isHidden(packet)) this.#isHidden = true;
      this.#read.push(packet);
      reached = Math.max(reached, this.#endOf(packet));
      isNear = (ticks(packet.dts) ?? pts ?? target) <= target;
      await checkpoint();
    }
    return reached;
  }

  /** Throws CLIP_UNWRITABLE where the container cannot hide what the first pictures need. */
  begin(file: ClipFile, keepsTag: boolean) {
    const { path } = this.#options.source;
    if (this.#isHidden && !file.container.hides) {
      throw clipErrors.CLIP_UNWRITABLE(`${path}: its first pictures need some that are hidden`, { path });
    }
    this.#file = file;
    this.#stream = file.copiedStream(this.#options.head.video, keepsTag);
  }

  /** Seconds of the clock of the streams at which the clip starts. */
  get origin(): number {
    return this.#origin / this.#perSecond;
  }

  /** Seconds of the clip up to which its packets were written. */
  get position(): number {
    return this.#done ? Number.POSITIVE_INFINITY : this.length;
  }

  get length(): number {
    return Math.max(0, this.#until - this.#origin) / this.#perSecond;
  }

  /** Seconds of the source. */
  get span(): { start: number; end: number } {
    const seconds = (at: number) => (at - this.#zero) / this.#perSecond;
    return { start: seconds(this.#origin), end: seconds(this.#until) };
  }

  step() {
    const packet = this.#read.shift() ?? this.#options.source.next();
    if (!packet) {
      this.#finish();
      return;
    }
    const pts = ticks(packet.pts);
    const decoded = ticks(packet.dts) ?? pts;
    if (pts === null || (pts < this.#origin && !(this.#isHidden && isHidden(packet)))) {
      // Needs pictures before the start, or is never shown.
      packet.free();
    } else if (pts < this.#end) {
      for (const earlier of this.#tail.splice(0)) this.#keep(earlier);
      this.#write(packet);
    } else {
      this.#tail.push(packet);
      if (decoded !== null && decoded >= this.#end) this.#finish();
    }
  }

  close() {
    free(this.#read);
    free(this.#tail);
  }

  #finish() {
    free(this.#tail);
    this.#done = true;
  }

  #endOf(packet: Packet): number {
    const pts = ticks(packet.pts);
    const length = Number(packet.duration) > 0 ? Number(packet.duration) : frameStep(this.#options.source);
    return pts === null ? Number.NEGATIVE_INFINITY : pts + length;
  }

  /**
   * A picture after the end that others need: those shown before it belong to the clip too, so that none is
   * missing.
   */
  #keep(packet: Packet) {
    this.#end = Math.max(this.#end, this.#endOf(packet) - this.#rounding);
    this.#write(packet);
  }

  #write(packet: Packet) {
    if ((ticks(packet.pts) ?? this.#origin) >= this.#origin) {
      this.#until = Math.max(this.#until, this.#endOf(packet));
      this.frames++;
    }
    try {
      shift(packet, BigInt(Math.round(this.#origin)));
      this.#file!.write(packet, this.#stream!, this.#options.head.video.timeBase);
    } finally {
      packet.free();
    }
  }
}

/** FFmpeg applies edit lists by marking the packets they hide. */
function isHidden(packet: Packet): boolean {
  return (packet.flags & AV_PKT_FLAG_DISCARD) !== 0;
}

/** Moves the times of a packet so that `origin` becomes 0. */
export function shift(packet: Packet, origin: bigint) {
  if (packet.pts !== noTimestamp) packet.pts -= origin;
  if (packet.dts !== noTimestamp) packet.dts -= origin;
}

function free(packets: Packet[]) {
  for (const packet of packets.splice(0)) packet.free();
}

type Turn = OpenOptions['turn'];

interface Tracks {
  readonly pictures: PictureCopy | null;
  readonly sound: SoundCopy | null;
}

/** Seconds of sound read beyond the end of the clip: packets of several tracks are not in order. */
const beyond = 1;

/** The source stays the caller's. */
export async function copyPackets(source: Source, request: ClipRequest, turn: Turn): Promise<CutResult> {
  const { start_seconds: start, end_seconds: end } = request;
  let pictures: PictureCopy | null = null;
  let packets: SoundPackets | null = null;
  try {
    if (source.video) {
      pictures = new PictureCopy({ source, head: await readHead(source, turn), start, end, turn });
      await pictures.open();
    }
    const zero = pictures ? pictures.origin : (await timelineStart(source, turn)) + start;
    packets = await SoundPackets.open(source.path, zero, { turn });
    const tracks = { pictures, sound: packets && new SoundCopy(packets, zero, pictures !== null) };
    return await write(source, tracks, request, turn);
  } finally {
    packets?.close();
    pictures?.close();
  }
}

async function write(source: Source, tracks: Tracks, request: ClipRequest, turn: Turn): Promise<CutResult> {
  const { pictures, sound } = tracks;
  const { path, start_seconds, end_seconds } = request;
  const start = pictures?.span.start ?? start_seconds;
  const file = begin(source, tracks, request.output);
  try {
    await writePackets(tracks, end_seconds - start, turn);
    if (!pictures && !sound?.span) {
      throw clipErrors.CLIP_OUTSIDE(`${path}: has no sound at ${start_seconds} s`, { path });
    }
    file.finish();
    const { extension } = file.container;
    if (pictures) {
      const span = pictures.span;
      return {
        extension,
        start_seconds: span.start,
        end_seconds: span.end,
        frames: pictures.frames,
        encoder: null,
      };
    }
    const soundSpan = sound!.span!;
    return {
      extension,
      start_seconds: start + soundSpan.start,
      end_seconds: start + soundSpan.end,
      frames: 0,
      encoder: null,
    };
  } finally {
    file.close();
  }
}

/**
 * Opens the first container that takes the packets. Throws CLIP_UNWRITABLE with the reason of the last one.
 */
function begin(source: Source, { pictures, sound }: Tracks, output: string): ClipFile {
  let refusal: unknown = null;
  for (const container of containersFor(source.container, source.path)) {
    const file = new ClipFile(output, container);
    try {
      // Names of codecs in files of the same family; others have names of their own.
      const keepsTag = /^mov/.test(source.container) && container.muxer !== 'matroska';
      pictures?.begin(file, keepsTag);
      sound?.begin(file, keepsTag);
      file.begin();
      return file;
    } catch (error) {
      file.close();
      refusal = error;
    }
  }
  throw refusal;
}

/** Always advances what is behind. `seconds`: length of the clip; its pictures may be shown longer. */
async function writePackets({ pictures, sound }: Tracks, seconds: number, turn: Turn) {
  const checkpoint = createCheckpoint(turn, { every: 16 });
  for (let more = true; more; ) {
    await checkpoint();
    const picturePosition = pictures?.position ?? Number.POSITIVE_INFINITY;
    const length = Math.max(seconds, pictures?.length ?? 0);
    if (sound && sound.position < length + beyond && sound.position <= picturePosition) sound.step(length);
    else if (pictures && picturePosition < Number.POSITIVE_INFINITY) pictures.step();
    else more = false;
  }
}

// The sound of a copied clip: packets of all audio tracks as they are.

/** Seconds that packets of several tracks lie apart in a file, at most. */
const apart = 5;

class SoundCopy {
  #file: ClipFile | null = null;
  readonly #packets: SoundPackets;
  readonly #zero: number;
  /** Seconds of the clock of the streams that become time 0 of the file; null before the first packet. */
  #base: number | null;
  readonly #streams = new Map<Stream, Stream>();
  /** Seconds of the clip up to which packets were read. */
  #read = 0;
  /** Seconds of the clip at which the first packet starts and the last one ends; null while there is none. */
  span: { start: number; end: number } | null = null;

  /**
   * `zero`: start of the clip in seconds of the clock of the streams. Sound alone begins with its first
   * packet, however that lies to it.
   */
  constructor(packets: SoundPackets, zero: number, hasPictures: boolean) {
    this.#packets = packets;
    this.#zero = zero;
    this.#base = hasPictures ? zero : null;
  }

  begin(file: ClipFile, keepsTag: boolean) {
    this.#file = file;
    this.#streams.clear();
    for (const stream of this.#packets.streams) {
      this.#streams.set(stream, file.copiedStream(stream, keepsTag));
    }
  }

  /** Seconds of the clip up to which packets were read; Infinity at the end of the file. */
  get position(): number {
    return this.#read;
  }

  /** Writes the next packet, unless it lies before the clip or from `end` on, in seconds of the clip. */
  step(end: number) {
    const next = this.#packets.next();
    if (!next) {
      this.#read = Number.POSITIVE_INFINITY;
      return;
    }
    const { packet, stream, seconds } = next;
    const { num, den } = stream.timeBase;
    const length = (Number(packet.duration) * num) / den;
    try {
      if (seconds === null) return;
      const at = seconds - this.#zero;
      this.#read = Math.max(this.#read, at > end + apart ? Number.POSITIVE_INFINITY : at);
      // Packets begin and end as near to the clip as they can; a short one has that of its middle.
      const isInside = at >= -length / 2 && at < end - length / 2;
      if (!isInside && !(at <= end / 2 && at + length > end / 2)) return;
      const { start = at, end: until = at } = this.span ?? {};
      this.span = { start: Math.min(start, at), end: Math.max(until, at + length) };
      this.#base ??= seconds;
      if (this.#file!.container.muxer === 'mp3') keepDelay(packet);
      shift(packet, BigInt(Math.round((this.#base * den) / num)));
      this.#file!.write(packet, this.#streams.get(stream)!, stream.timeBase);
    } finally {
      packet.free();
    }
  }
}

/** Samples that decoders of MP3 are late by, and leave out of themselves. */
const decoderDelay = 529;

/**
 * A packet says what its file leaves out at start and end, which is not what the clip does. FFmpeg's muxer
 * takes less than the delay of decoders for a large number.
 */
function keepDelay(packet: Packet) {
  if (!packet.getSideData(AV_PKT_DATA_SKIP_SAMPLES)) return;
  const skips = Buffer.alloc(10);
  skips.writeUInt32LE(decoderDelay, 0);
  packet.addSideData(AV_PKT_DATA_SKIP_SAMPLES, skips);
}
