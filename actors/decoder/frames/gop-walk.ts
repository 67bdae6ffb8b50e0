// The GOP walk: reads packets, decodes what the plan asks for and hands out the picture of every grid second.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Frame, Packet } from '../ffmpeg.ts';
import type { Ending, Grid } from '../grid.ts';
import type { Hardware } from '../packets/hardware.ts';
import { packetFacts } from '../packets/packet-facts.ts';
import { keepPicture, PictureDecoder } from '../packets/picture-decoder.ts';
import type { PictureReader } from '../packets/reference.ts';
import type { Source } from '../source/source.ts';
import { type Decision, GridPlan, type Settled } from './plan.ts';

/** The picture shown at one grid second. */
export interface GridPicture {
  readonly second: number;
  /** Presentation time of the picture, in seconds from the first presented one. */
  readonly seconds: number;
  /** *Borrowed until the next picture is asked for.* The same object for seconds that show the same picture. */
  readonly frame: Frame;
}

export interface WalkQuestion {
  readonly source: Source;
  readonly reader: PictureReader;
  readonly grid: Grid;
  /** Grid seconds `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** False after a seek: what lies before the first packet is missing. */
  readonly atStart: boolean;
  readonly ending: Ending;
  /** The file does not say how long it is. */
  readonly endless?: boolean;
  readonly hardware?: Hardware | null;
  /** Throws when the work should end; asked for every packet. */
  checkpoint(): void;
  /** Told how many packets were decoded when the walk ends. */
  onEnd?(counts: WalkCounts): void;
}

export interface WalkCounts {
  readonly read: number;
  readonly decoded: number;
}

const hold = { packets: 1024, bytes: 64 * 1024 * 1024 };

/** The pictures of the asked seconds in order. Seconds whose picture cannot be decoded are left out. */
export async function* walkGrid(question: WalkQuestion): AsyncGenerator<GridPicture> {
  const walk = new Walk(question);
  try {
    for (let more = true; more; ) {
      more = walk.step();
      for (let picture = walk.take(); picture; picture = walk.take()) yield picture;
      if (walk.busy()) await eventLoopTurn();
    }
  } finally {
    walk.close();
    question.onEnd?.(walk.counts);
  }
}

/** True when nothing but the pictures themselves says where the video ends. */
export function endsStrictly({ source, to, endless }: WalkQuestion): boolean {
  return source.ended === 'broken' || to === Number.POSITIVE_INFINITY || endless === true;
}

class Walk {
  readonly #question: WalkQuestion;
  readonly #decoder: PictureDecoder;
  readonly #plan: GridPlan;
  /** Packets not yet decided, in order. */
  #packets: Packet[] = [];
  /** Orders of wanted packets that were sent, by presentation time. */
  #awaited = new Map<number, number>();
  /** Decoded pictures that were not yet handed out, by order; null for those that cannot be decoded. */
  #pictures = new Map<number, { frame: Frame; pts: number } | null>();
  #settled: Settled[] = [];
  /** Order of the picture handed out last. */
  #current = -1;
  #ended = false;
  #read = 0;
  #worked = 0;

  constructor(question: WalkQuestion) {
    this.#question = question;
    const { grid, from, to, reader, atStart } = question;
    this.#decoder = PictureDecoder.open(question.source, question);
    this.#plan = new GridPlan({
      limit: (second) => grid.limit(second),
      from,
      to,
      reorder: reader.reorder,
      atStart,
      hold,
    });
  }

  get counts(): WalkCounts {
    return { read: this.#read, decoded: this.#decoder.sent };
  }

  /** Reads one packet and does what can be decided then; false at the end. */
  step(): boolean {
    const { source, reader, grid, ending } = this.#question;
    this.#question.checkpoint();
    const packet = this.#plan.done ? null : source.next();
    if (!packet) {
      this.#carryOut(this.#plan.finish(ending.lastSecond(endsStrictly(this.#question))));
      this.#drain();
      this.#ended = true;
      return false;
    }
    this.#read++;
    this.#packets.push(packet);
    const facts = packetFacts(packet, reader);
    if (facts.shown && facts.pts !== null) {
      ending.add(
        grid.seconds(facts.pts),
        grid.seconds(facts.pts + Number(packet.duration)) - grid.seconds(facts.pts),
      );
    }
    this.#carryOut(this.#plan.push(facts));
    return true;
  }

  /** The next picture in order of seconds; null when it is not there yet. */
  take(): GridPicture | null {
    for (let next = this.#settled[0]; next; next = this.#settled[0]) {
      this.#turnTo(next.order);
      const picture = this.#pictures.get(next.order);
      if (picture === undefined && !this.#ended) return null;
      this.#settled.shift();
      if (!picture) continue;
      const { frame, pts } = picture;
      return { second: next.second, seconds: this.#question.grid.seconds(pts), frame };
    }
    return null;
  }

  /** True when enough was done since the last time that others should have their turn. */
  busy(): boolean {
    if (this.#worked === 0 && this.#read % 64 !== 0) return false;
    this.#worked = 0;
    return true;
  }

  close() {
    for (const packet of this.#packets) packet.free();
    for (const picture of this.#pictures.values()) picture?.frame.free();
    this.#packets = [];
    this.#pictures.clear();
    this.#decoder.close();
  }

  #carryOut(decisions: readonly Decision[]) {
    for (const decision of decisions) {
      const packet = this.#packets.shift();
      if (!packet) break;
      try {
        if (decision.fresh) this.#drain();
        if (decision.send) this.#decode(packet, decision);
        else if (decision.wanted) this.#pictures.set(decision.order, null);
      } finally {
        packet.free();
      }
    }
    this.#settled.push(...this.#plan.takeSettled());
  }

  #decode(packet: Packet, { wanted, order }: Decision) {
    this.#question.checkpoint();
    this.#worked++;
    if (wanted) this.#await(Number(packet.pts), order);
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

  /** Keeps a picture that is wanted. Pictures come out in order, so an awaited earlier one will not come any more. */
  #keep(frame: Frame, pts: number | null) {
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

  /** A picture is not needed any more once a later one is due. */
  #turnTo(order: number) {
    if (order === this.#current) return;
    this.#pictures.get(this.#current)?.frame.free();
    this.#pictures.delete(this.#current);
    this.#current = order;
  }
}
