// Which packets must be decoded to get the pictures of the 1-per-second grid, decided while the file is read.
//
// Packets arrive in decoding order and wait in a queue until it is certain which picture every grid second
// shows. Then, up to the next wanted picture, reference pictures are decoded and all others are dropped.
// Packets before a random access point are dropped too when the wanted picture can be decoded from there. The
// queue holds about one second of packets, however long a GOP is.
import type { PacketFacts } from '../packets/packet-facts.ts';
import type { Section } from './contract.ts';

/** Decision about the oldest undecided packet. Decisions come in the order of the packets. */
export interface Decision {
  /** Index of the packet in decoding order. */
  readonly order: number;
  readonly send: boolean;
  /** Drain and flush the decoder first: decoding restarts with this packet. */
  readonly fresh: boolean;
  /** Its picture is shown at a grid second. It is not sent when its references are missing. */
  readonly isTarget: boolean;
}

/** Grid seconds `[from, to)` that show the same picture; `order` of its packet. */
export interface SharedPicture {
  readonly from: number;
  readonly to: number;
  readonly order: number;
}

export interface PlanOptions {
  /** Latest PTS of a picture that is shown at a grid second. */
  limit(second: number): number;
  /** The requested grid seconds, `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Most pictures that can precede a picture in decoding order and follow it in presentation order. */
  readonly reorder: number;
  /**
   * True when the first packet pushed is the first of the stream, so that no reference before it is missing.
   */
  readonly atStart: boolean;
  /** Limits of the queue. When it is full, references are sent before it is known that they are needed. */
  readonly hold: { readonly packets: number; readonly bytes: number };
  /** While it is true, every picture that can be decoded is. */
  everything?(): boolean;
}

interface Waiting {
  readonly facts: PacketFacts;
  readonly order: number;
  isTarget: boolean;
}

/** `restart`: decoding restarts with this packet. */
type Verdict = 'drop' | 'send' | 'restart';

export class GridPlan {
  readonly #options: PlanOptions;
  #queue: Waiting[] = [];
  #bytes = 0;
  #pushed = 0;
  /** First grid second whose picture is not certain yet. */
  #second: number;
  /** PTS of the packets after the limit of `#second`. */
  #ahead: number[] = [];
  /** The wanted picture found last; the next second shows it too when there is no newer one. */
  #last: Waiting | null = null;
  #settled: SharedPicture[] = [];
  /** True while the decoder was sent every reference since decoding last restarted. */
  #connected: boolean;
  /**
   * PTS of the open random access point at which decoding restarted; its leading pictures cannot be decoded.
   */
  #restartedAt: number | null = null;

  constructor(options: PlanOptions) {
    this.#options = options;
    this.#second = options.from;
    this.#connected = options.atStart;
  }

  /** True when no further packet can matter. */
  get done(): boolean {
    const { to, reorder } = this.#options;
    if (this.#second < to || this.#queue.some((waiting) => waiting.isTarget)) return false;
    return !this.#goesOn || this.#ahead.length > reorder;
  }

  /** Takes the next packet in decoding order; returns the decisions that are certain now. */
  push(facts: PacketFacts): Decision[] {
    const decisions: Decision[] = [];
    this.#queue.push({ facts, order: this.#pushed++, isTarget: false });
    this.#bytes += facts.size;
    if (facts.pts !== null && facts.pts > this.#limit()) this.#ahead.push(facts.pts);
    const { to, reorder } = this.#options;
    while (this.#second < to && this.#ahead.length > reorder) this.#settle(to);
    this.#commitWanted(decisions, false);
    this.#dropObsolete(decisions);
    this.#shrinkQueue(decisions);
    return decisions;
  }

  /**
   * At the end of the file: decides on all packets left. `lastSecond`: the first grid second without a
   * picture.
   */
  finish(lastSecond: number): Decision[] {
    const decisions: Decision[] = [];
    const end = Math.min(this.#options.to, lastSecond);
    while (this.#second < end) this.#settle(end);
    this.#commitWanted(decisions, true);
    this.#take(this.#queue.length, decisions, (waiting) => (this.#goesOn ? this.#asNeeded(waiting) : 'drop'));
    return decisions;
  }

  /** Seconds whose picture became certain since the last call, in order. */
  takeSettled(): SharedPicture[] {
    const settled = this.#settled;
    this.#settled = [];
    return settled;
  }

  #limit(): number {
    return this.#options.limit(this.#second);
  }

  /** Every picture is decoded, and no reference is missing. */
  get #goesOn(): boolean {
    return this.#connected && this.#options.everything?.() === true;
  }

  /**
   * Finds the picture shown at `#second` and advances to the first second that may show another one, at most
   * to `end`. A file can claim billions of seconds between two pictures, so they are not counted one by one.
   */
  #settle(end: number) {
    const limit = this.#limit();
    let best = this.#last;
    for (const waiting of this.#queue) {
      const { pts, shown } = waiting.facts;
      if (!shown || pts === null || pts > limit) continue;
      if (best === null || pts > (best.facts.pts ?? 0)) best = waiting;
    }
    const from = this.#second;
    const later = this.#ahead.reduce((least, pts) => Math.min(least, pts), Number.POSITIVE_INFINITY);
    this.#second = this.#firstSecondReaching(later, end);
    if (best) {
      best.isTarget = true;
      this.#last = best;
      this.#settled.push({ from, to: this.#second, order: best.order });
    }
    const next = this.#limit();
    this.#ahead = this.#ahead.filter((pts) => pts > next);
  }

  /** The first second after `#second` whose limit is not before `pts`, at most `end`. */
  #firstSecondReaching(pts: number, end: number): number {
    const { limit } = this.#options;
    let before = this.#second;
    let step = 1;
    while (before + step < end && limit(before + step) < pts) {
      before += step;
      step *= 2;
    }
    for (let reaching = Math.min(end, before + step); ; ) {
      if (reaching - before <= 1) return reaching;
      const middle = Math.floor((before + reaching) / 2);
      if (limit(middle) < pts) before = middle;
      else reaching = middle;
    }
  }

  /** Decides on all packets up to each wanted picture, as far as it is certain which of them are wanted. */
  #commitWanted(decisions: Decision[], ended: boolean) {
    for (;;) {
      const target = this.#queue.findIndex((waiting) => waiting.isTarget);
      if (target < 0 || !(ended || this.#settledAround(target))) return;
      const entry = this.#entryFor(target);
      if (entry >= 0) this.#restartAt(entry, decisions);
      const last = this.#queue.findIndex((waiting) => waiting.isTarget);
      // The target may itself be the random access point, which is sent already.
      if (entry !== target) this.#take(last + 1, decisions, (waiting) => this.#asNeeded(waiting));
    }
  }

  /**
   * True when it is certain which of the packets up to the target are wanted. A picture decoded before the
   * target but shown after it may still be the one of a later second.
   */
  #settledAround(target: number): boolean {
    let latest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i <= target; i++) latest = Math.max(latest, this.#queue[i]!.facts.pts ?? latest);
    if (this.#second >= this.#options.to) return true;
    return this.#options.limit(this.#second - 1) >= latest;
  }

  /**
   * Index of the latest random access point from which the target can be decoded; -1 to continue without a
   * restart.
   */
  #entryFor(target: number): number {
    for (let i = target; i >= 0; i--) {
      if (this.#canRestartAt(i, this.#queue[target]!)) return this.#shouldRestartAt(i) ? i : -1;
    }
    return -1;
  }

  #canRestartAt(index: number, target: Waiting): boolean {
    const { entry, pts } = this.#queue[index]!.facts;
    if (entry === 'closed') return true;
    if (entry === 'no' || pts === null || (target.facts.pts ?? 0) < pts) return false;
    // The leading pictures of an open GOP reference pictures before it.
    for (let i = index + 1; i < this.#queue.length; i++) {
      const packet = this.#queue[i]!;
      if (packet.facts.entry !== 'no') return true;
      if (packet.isTarget && (packet.facts.pts ?? 0) < pts) return false;
    }
    return true;
  }

  /** True when a restart saves decoding references, or when references are missing without it. */
  #shouldRestartAt(index: number): boolean {
    if (!this.#connected) return true;
    if (this.#goesOn) return false;
    for (let i = 0; i < index; i++) if (this.#queue[i]!.facts.reference) return true;
    return false;
  }

  /** Drops the packets before `index` and restarts decoding with the packet there. */
  #restartAt(index: number, decisions: Decision[]) {
    this.#take(index, decisions, () => 'drop');
    this.#connected = true;
    const { entry, pts } = this.#queue[0]!.facts;
    this.#restartedAt = entry === 'open' ? pts : null;
    this.#take(1, decisions, () => 'restart');
  }

  /** Wanted pictures and references are sent, unless their own references are missing after a restart. */
  #asNeeded({ facts, isTarget }: Waiting): Verdict {
    const { reference, skipped, pts, entry } = facts;
    if (entry !== 'no') this.#restartedAt = null;
    if (isTarget) return 'send';
    const lost = skipped && this.#restartedAt !== null && pts !== null && pts < this.#restartedAt;
    return (reference || this.#goesOn) && !lost ? 'send' : 'drop';
  }

  /** Drops packets before a random access point that no picture of a later second can reference. */
  #dropObsolete(decisions: Decision[]) {
    if (this.#second >= this.#options.to || this.#queue.some((waiting) => waiting.isTarget)) return;
    const limit = this.#limit();
    for (let i = this.#queue.length - 1; i > 0; i--) {
      const { entry, pts, shown } = this.#queue[i]!.facts;
      if (entry === 'no' || !shown || pts === null || pts > limit) continue;
      if (this.#goesOn) return void this.#take(i, decisions, (waiting) => this.#asNeeded(waiting));
      for (let j = 0; j < i; j++) if (this.#queue[j]!.facts.reference) this.#connected = false;
      this.#take(i, decisions, () => 'drop');
      return;
    }
  }

  /**
   * Keeps the queue within its limits: sends its oldest references, although they may turn out not to be
   * needed.
   */
  #shrinkQueue(decisions: Decision[]) {
    const { packets, bytes } = this.#options.hold;
    while (this.#queue.length > packets || (this.#bytes > bytes && this.#queue.length > 2)) {
      if (this.#connected) this.#take(1, decisions, (waiting) => this.#asNeeded(waiting));
      else if (this.#queue[0]!.facts.entry !== 'no') this.#restartAt(0, decisions);
      else this.#take(1, decisions, () => 'drop');
    }
  }

  #take(count: number, decisions: Decision[], verdict: (waiting: Waiting) => Verdict) {
    for (const waiting of this.#queue.splice(0, count)) {
      this.#bytes -= waiting.facts.size;
      const what = verdict(waiting);
      decisions.push({
        order: waiting.order,
        send: what !== 'drop',
        fresh: what === 'restart',
        isTarget: waiting.isTarget,
      });
    }
  }
}

// Where the sections of a film begin, so that little is decoded twice.

export interface SectionPlan {
  /** Grid frames `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Wanted length of a section. */
  readonly frames: number;
}

/**
 * Sections in order of their frames, none of which begins at `from` or before it. `entryBefore`: the last
 * random access point before a grid frame, with the first frame that can be decoded from there; null where
 * there is none. None at all where the file and its times are not in the same order.
 */
export async function planSections(
  { from, to, frames }: SectionPlan,
  entryBefore: (frame: number) => Promise<Section | null>,
): Promise<Section[]> {
  const sections: Section[] = [];
  for (let frame = from + frames; frame < to; ) {
    const entry = await entryBefore(frame);
    // The rest is one section.
    if (entry === null) break;
    const last = sections.at(-1);
    const isLater = entry.frame > (last?.frame ?? from);
    if (isLater && last && (entry.pts <= last.pts || entry.position <= last.position)) return [];
    if (isLater) sections.push(entry);
    frame = (isLater ? entry.frame : frame) + frames;
  }
  return sections;
}
