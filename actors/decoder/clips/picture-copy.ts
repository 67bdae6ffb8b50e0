// The pictures of a copied clip: packets as they are, from the random access point before the start on.
import { AV_PKT_FLAG_DISCARD, noTimestamp, type Packet, type Stream, ticks } from '../ffmpeg.ts';
import { near, seekNear } from '../frames/seek.ts';
import { MomentGrid } from '../grid.ts';
import { packetFacts } from '../packets/packet-facts.ts';
import { packetCheckpoint } from '../source/packet-checkpoint.ts';
import { frameStep } from '../source/stream.ts';
import type { ClipFile } from './clip-file.ts';
import { clipErrors } from './contract.ts';
import type { CutOptions } from './picture-cut.ts';

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
    const wanted = this.#zero + start * this.#perSecond + this.#rounding;
    const reached = await this.#readUpTo(wanted);
    if (this.#read.length === 0 || reached <= wanted) {
      throw clipErrors.CLIP_OUTSIDE(`${path}: has no picture at ${start} s`, { path });
    }
  }

  /**
   * Reads up to `wanted`, and keeps what follows the last random access point before it; the time it got to.
   * Where there is none, it is the start of the film, which may need pictures that are hidden.
   */
  async #readUpTo(wanted: number): Promise<number> {
    const { source, head, turn } = this.#options;
    const checkpoint = packetCheckpoint(turn);
    let reached = Number.NEGATIVE_INFINITY;
    let isNear = true;
    while (isNear) {
      const packet = source.next();
      if (!packet) break;
      const { entry, pts, shown } = packetFacts(packet, head.reader);
      if (entry !== 'no' && shown && pts !== null && pts <= wanted) {
        free(this.#read);
        this.#origin = pts;
        this.#isHidden = false;
      } else if (this.#origin === this.#zero && isHidden(packet)) this.#isHidden = true;
      this.#read.push(packet);
      reached = Math.max(reached, this.#endOf(packet));
      isNear = (ticks(packet.dts) ?? pts ?? wanted) <= wanted;
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

  /** Writes the next packet that is in the clip. */
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
