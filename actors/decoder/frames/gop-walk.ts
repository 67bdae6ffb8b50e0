// Exact grid pictures: reads packets in file order, decodes those the plan asks for, and yields the picture
// of every grid second.
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import type { Frame, Packet } from '../ffmpeg.ts';
import type { Ending, Grid } from '../grid.ts';
import { packetFacts } from '../packets/packet-facts.ts';
import { type Hardware, keepPicture, PictureDecoder } from '../packets/picture-decoder.ts';
import type { PictureReader } from '../packets/reference.ts';
import type { PacketTurn } from '../source/packet-checkpoint.ts';
import type { Source } from '../source/source.ts';
import { type Decision, GridPlan, type SharedPicture } from './plan.ts';
import type { SmallPictureMaker, TakenPictures } from './small-pictures.ts';

/** The picture shown at one grid second. */
export interface GridPicture {
  readonly second: number;
  /** PTS of the picture, in seconds from the first presented one. */
  readonly seconds: number;
  /**
   * *Borrowed until the next picture is asked for.* The same object for seconds that show the same picture.
   */
  readonly frame: Frame;
  /** Pictures since the one of the grid second before; missing unless they are asked for. */
  readonly small?: TakenPictures;
}

export interface GopWalkOptions {
  readonly source: Source;
  readonly reader: PictureReader;
  readonly grid: Grid;
  /** Grid seconds `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** False after a seek: the packets before the first one read are missing. */
  readonly atStart: boolean;
  readonly ending: Ending;
  /** The file does not say how long it is. */
  readonly endless?: boolean;
  readonly hardware?: Hardware | null;
  readonly turn: PacketTurn;
  /** *Borrowed.* */
  readonly small?: SmallPictureMaker;
  /** Called for each packet that is read. */
  onPacket?(packet: Packet): void;
  /** Called once, when the walk ends. */
  onEnd?(counts: WalkCounts): void;
}

/** Packets. */
export interface WalkCounts {
  readonly read: number;
  readonly decoded: number;
}

const hold = { packets: 1024, bytes: 64 * 1024 * 1024 };
/** Packets read between two turns of the event loop while none of them is decoded. */
const packetsPerTurn = 64;

/** The pictures of the requested seconds in order. Seconds whose picture cannot be decoded are left out. */
export async function* walkGrid(options: GopWalkOptions): AsyncGenerator<GridPicture> {
  const walk = new Walk(options);
  const checkpoint = createCheckpoint(options.turn);
  try {
    for (let more = true; more; ) {
      more = walk.step();
      for (let picture = walk.take(); picture; picture = walk.take()) yield picture;
      if (walk.dueForCheckpoint()) await checkpoint();
    }
  } finally {
    walk.close();
    options.onEnd?.(walk.counts);
  }
}

/** True when only the timestamps of the pictures say where the video ends. */
export function endsStrictly({ source, endless }: Pick<GopWalkOptions, 'source' | 'endless'>): boolean {
  return source.ended === 'broken' || endless === true;
}

class Walk {
  readonly #options: GopWalkOptions;
  readonly #decoder: PictureDecoder;
  readonly #plan: GridPlan;
  /** Packets the plan has not decided on, or whose decision is not carried out, in order. */
  #packets: Packet[] = [];
  /** Carried out one at a time, so that no more pictures are held than the decoder is late. */
  #decisions: Iterator<Decision> = [].values();
  #isPlanned = false;
  /** PTS to order of the wanted packets that are in the decoder. */
  #awaited = new Map<number, number>();
  /** Decoded pictures that were not yielded yet, by order; null for those that cannot be decoded. */
  #pictures = new Map<number, { frame: Frame; pts: number } | null>();
  #settled: SharedPicture[] = [];
  /** Seconds of the first one settled that were taken. */
  #taken = 0;
  /** Order of the picture yielded last. */
  #current = -1;
  #ended = false;
  #packetsRead = 0;
  /** Packets decoded since the last checkpoint. */
  #decodedSince = 0;

  constructor(options: GopWalkOptions) {
    this.#options = options;
    const { grid, from, to, reader, atStart, small } = options;
    this.#decoder = PictureDecoder.open(options.source, options);
    this.#plan = new GridPlan({
      limit: (second) => grid.limit(second),
      from,
      to,
      reorder: reader.reorder,
      atStart,
      hold,
      ...(small && { everything: () => small.isAsked }),
    });
  }

  get counts(): WalkCounts {
    return { read: this.#packetsRead, decoded: this.#decoder.sent };
  }

  /** Decodes a packet that the plan has decided on, or reads one where there is none; false at the end. */
  step(): boolean {
    const { source, ending, turn } = this.#options;
    turn.throwIfCancelled();
    if (this.#decodeNext()) return true;
    const packet = this.#plan.done ? null : source.next();
    if (packet) this.#read(packet);
    else if (this.#isPlanned) {
      this.#drain();
      this.#ended = true;
      return false;
    } else {
      this.#isPlanned = true;
      this.#decide(this.#plan.finish(ending.lastSecond(endsStrictly(this.#options))));
    }
    return true;
  }

  /** Carries out decisions up to one that decodes a packet; false when none is left. */
  #decodeNext(): boolean {
    for (let next = this.#decisions.next(); !next.done; next = this.#decisions.next()) {
      this.#carryOut(next.value);
      if (next.value.send) return true;
    }
    return false;
  }

  #read(packet: Packet) {
    const { reader, grid, ending, onPacket, small } = this.#options;
    onPacket?.(packet);
    this.#packetsRead++;
    this.#packets.push(packet);
    const facts = packetFacts(packet, reader);
    small?.onPacket(facts);
    if (facts.shown && facts.pts !== null) {
      ending.add(
        grid.seconds(facts.pts),
        grid.seconds(facts.pts + Number(packet.duration)) - grid.seconds(facts.pts),
      );
    }
    this.#decide(this.#plan.push(facts));
  }

  #decide(decisions: readonly Decision[]) {
    this.#decisions = decisions.values();
    this.#settled.push(...this.#plan.takeSettled());
  }

  /** The next picture in order of seconds; null when it is not decoded yet. */
  take(): GridPicture | null {
    for (let next = this.#settled[0]; next; next = this.#settled[0]) {
      this.#makeCurrent(next.order);
      const picture = this.#pictures.get(next.order);
      if (picture === undefined && !this.#ended) return null;
      if (this.#isHeldBack(next)) return null;
      const second = next.from + this.#taken++;
      if (!picture || second + 1 >= next.to) {
        this.#settled.shift();
        this.#taken = 0;
      }
      if (!picture) continue;
      const { frame, pts } = picture;
      const { grid, small, source } = this.#options;
      const until = this.#ended && source.ended !== null ? Number.POSITIVE_INFINITY : second;
      return { second, seconds: grid.seconds(pts), frame, ...(small && { small: small.take(until) }) };
    }
    return null;
  }

  /** The last grid second waits for the small pictures behind it. */
  #isHeldBack({ from }: SharedPicture): boolean {
    const { small, to } = this.#options;
    return !this.#ended && small?.isAsked === true && from + this.#taken === to - 1;
  }

  /**
   * True after every decoded packet (milliseconds), or after some packets that were only read (microseconds).
   */
  dueForCheckpoint(): boolean {
    if (this.#decodedSince === 0 && this.#packetsRead % packetsPerTurn !== 0) return false;
    this.#decodedSince = 0;
    return true;
  }

  close() {
    for (const packet of this.#packets) packet.free();
    for (const picture of this.#pictures.values()) picture?.frame.free();
    this.#packets = [];
    this.#pictures.clear();
    this.#decoder.close();
  }

  #carryOut(decision: Decision) {
    const packet = this.#packets.shift();
    if (!packet) return;
    try {
      if (decision.fresh) this.#drain();
      this.#options.small?.onDecision(packet, decision);
      if (decision.send) this.#decode(packet, decision);
      else if (decision.isTarget) this.#pictures.set(decision.order, null);
    } finally {
      packet.free();
    }
  }

  #decode(packet: Packet, { isTarget, order }: Decision) {
    this.#options.turn.throwIfCancelled();
    this.#decodedSince++;
    if (isTarget) this.#await(Number(packet.pts), order);
    this.#decoder.send(packet, (frame, pts) => this.#keep(frame, pts));
  }

  #await(pts: number, order: number) {
    const same = this.#awaited.get(pts);
    if (same !== undefined) this.#pictures.set(same, null);
    this.#awaited.set(pts, order);
  }

  #drain() {
    this.#decoder.drain((frame, pts) => this.#keep(frame, pts));
    for (const order of this.#awaited.values()) this.#pictures.set(order, null);
    this.#awaited.clear();
  }

  /**
   * Keeps a wanted picture. Pictures come out in presentation order, so an earlier one still awaited is lost.
   */
  #keep(frame: Frame, pts: number | null) {
    if (pts !== null) this.#options.small?.onPicture(frame, pts);
    const order = pts === null ? undefined : this.#awaited.get(pts);
    if (order === undefined || pts === null) return;
    this.#awaited.delete(pts);
    const copy = keepPicture(frame);
    this.#pictures.set(order, copy && { frame: copy, pts });
    for (const [earlier, lost] of this.#awaited) {
      if (earlier > pts) continue;
      this.#awaited.delete(earlier);
      this.#pictures.set(lost, null);
    }
  }

  /** Frees the picture yielded last when another one is due. */
  #makeCurrent(order: number) {
    if (order === this.#current) return;
    this.#pictures.get(this.#current)?.frame.free();
    this.#pictures.delete(this.#current);
    this.#current = order;
  }
}
