// Which packets must be decoded to get the pictures of the 1-per-second grid, decided while the file is read. Pure.
//
// Packets arrive in decoding order and wait in a queue until it is certain which picture every second shows. Then, up
// to the next wanted picture, references are sent, other pictures are dropped, and where a later point to begin at
// makes what lies before it needless, that is dropped too. The queue holds about a second, however long a GOP is.
import type { PacketFacts } from '../packets/packet-facts.ts';

/** What to do with the oldest packet not yet decided. Decisions come in the order of the packets. */
export interface Decision {
  /** Place of the packet in decoding order, counted from 0. */
  readonly order: number;
  readonly send: boolean;
  /** Take out what the decoder still holds and begin anew with this packet. */
  readonly fresh: boolean;
  /** Its picture is shown at a grid second; not sent when there is nothing to decode it from. */
  readonly wanted: boolean;
}

/** The picture that a grid second shows, by the `order` of its packet. */
export interface Settled {
  readonly second: number;
  readonly order: number;
}

export interface GridQuestion {
  /** Latest presentation time a picture may have to be the one shown at a grid second. */
  limit(second: number): number;
  /** Grid seconds `[from, to)` that are asked for. */
  readonly from: number;
  readonly to: number;
  /** Most pictures that can precede a picture in the file and follow it on the screen. */
  readonly reorder: number;
  /** True when the decoder begins at the first packet of the stream, so that nothing before it is missing. */
  readonly atStart: boolean;
  /** Most that is held back: packets and bytes. Beyond it, references are sent before it is known that they are needed. */
  readonly hold: { readonly packets: number; readonly bytes: number };
}

interface Waiting {
  readonly facts: PacketFacts;
  readonly order: number;
  wanted: boolean;
}

type Verdict = 'drop' | 'send' | 'begin';

export class GridPlan {
  readonly #question: GridQuestion;
  #queue: Waiting[] = [];
  #bytes = 0;
  #pushed = 0;
  /** First grid second whose picture is not known yet. */
  #second: number;
  /** Presentation times of packets that lie after the limit of `#second`. */
  #ahead: number[] = [];
  /** The wanted picture found last; it also serves the next second when nothing newer is shown. */
  #last: Waiting | null = null;
  #settled: Settled[] = [];
  /** True while the decoder was given every reference since the point it began at. */
  #connected: boolean;
  /** The open entry the decoder began at; leading pictures of it cannot be decoded. */
  #beganAt: number | null = null;

  constructor(question: GridQuestion) {
    this.#question = question;
    this.#second = question.from;
    this.#connected = question.atStart;
  }

  /** True when no further packet can matter. */
  get done(): boolean {
    return this.#second >= this.#question.to && !this.#queue.some((waiting) => waiting.wanted);
  }

  /** Takes the next packet in decoding order; answers what is certain now about the oldest ones. */
  push(facts: PacketFacts): Decision[] {
    const decisions: Decision[] = [];
    this.#queue.push({ facts, order: this.#pushed++, wanted: false });
    this.#bytes += facts.size;
    if (facts.pts !== null && facts.pts > this.#limit()) this.#ahead.push(facts.pts);
    while (this.#second < this.#question.to && this.#ahead.length > this.#question.reorder) this.#settle();
    this.#commitWanted(decisions, false);
    this.#forget(decisions);
    this.#relieve(decisions);
    return decisions;
  }

  /**
   * The file has ended: settles what is left. `lastSecond` is the first grid second that no picture covers any more.
   */
  finish(lastSecond: number): Decision[] {
    const decisions: Decision[] = [];
    while (this.#second < Math.min(this.#question.to, lastSecond)) this.#settle();
    this.#commitWanted(decisions, true);
    this.#take(this.#queue.length, decisions, () => 'drop');
    return decisions;
  }

  /** Seconds whose picture became known since the last call, in order. */
  takeSettled(): Settled[] {
    const settled = this.#settled;
    this.#settled = [];
    return settled;
  }

  #limit(): number {
    return this.#question.limit(this.#second);
  }

  /** Finds the picture shown at `#second` and goes on to the next second. */
  #settle() {
    const limit = this.#limit();
    let best = this.#last;
    for (const waiting of this.#queue) {
      const { pts, shown } = waiting.facts;
      if (!shown || pts === null || pts > limit) continue;
      if (best === null || pts > (best.facts.pts ?? 0)) best = waiting;
    }
    if (best) {
      best.wanted = true;
      this.#last = best;
      this.#settled.push({ second: this.#second, order: best.order });
    }
    this.#second++;
    const next = this.#limit();
    this.#ahead = this.#ahead.filter((pts) => pts > next);
  }

  /** Decides up to and with each wanted picture, as far as every second before its neighbours is settled. */
  #commitWanted(decisions: Decision[], ended: boolean) {
    for (;;) {
      const target = this.#queue.findIndex((waiting) => waiting.wanted);
      if (target < 0 || !(ended || this.#settledAround(target))) return;
      const begin = this.#beginning(target);
      if (begin >= 0) this.#jump(begin, decisions);
      const last = this.#queue.findIndex((waiting) => waiting.wanted);
      // The entry that was jumped to may have been the target itself.
      if (begin !== target) this.#take(last + 1, decisions, (waiting) => this.#asNeeded(waiting));
    }
  }

  /**
   * True when it is settled which pictures up to the target are wanted. A picture decoded before the target but shown
   * after it may still turn out to be the one of a later second.
   */
  #settledAround(target: number): boolean {
    let latest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i <= target; i++) latest = Math.max(latest, this.#queue[i]!.facts.pts ?? latest);
    if (this.#second >= this.#question.to) return true;
    return this.#question.limit(this.#second - 1) >= latest;
  }

  /** Index of the latest packet that decoding can begin at to reach the target; -1 to go on from where the decoder is. */
  #beginning(target: number): number {
    for (let i = target; i >= 0; i--) {
      if (this.#canBeginAt(i, this.#queue[target]!)) return this.#worthIt(i) ? i : -1;
    }
    return -1;
  }

  #canBeginAt(index: number, target: Waiting): boolean {
    const { entry, pts } = this.#queue[index]!.facts;
    if (entry === 'closed') return true;
    if (entry === 'no' || pts === null || (target.facts.pts ?? 0) < pts) return false;
    // Leading pictures of an open entry need what lies before it.
    for (let i = index + 1; i < this.#queue.length; i++) {
      const other = this.#queue[i]!;
      if (other.facts.entry !== 'no') return true;
      if (other.wanted && (other.facts.pts ?? 0) < pts) return false;
    }
    return true;
  }

  /** Beginning anew saves something, or is the only way. */
  #worthIt(index: number): boolean {
    if (!this.#connected) return true;
    for (let i = 0; i < index; i++) if (this.#queue[i]!.facts.reference) return true;
    return false;
  }

  /** Drops what lies before `index` and sends the packet there as the first one. */
  #jump(index: number, decisions: Decision[]) {
    this.#take(index, decisions, () => 'drop');
    this.#connected = true;
    const { entry, pts } = this.#queue[0]!.facts;
    this.#beganAt = entry === 'open' ? pts : null;
    this.#take(1, decisions, () => 'begin');
  }

  #asNeeded({ facts, wanted }: Waiting): Verdict {
    const { reference, skipped, pts, entry } = facts;
    if (entry !== 'no') this.#beganAt = null;
    if (wanted) return 'send';
    const lost = skipped && this.#beganAt !== null && pts !== null && pts < this.#beganAt;
    return reference && !lost ? 'send' : 'drop';
  }

  /** Drops what lies before an entry that no picture still to be found can need. */
  #forget(decisions: Decision[]) {
    if (this.#second >= this.#question.to || this.#queue.some((waiting) => waiting.wanted)) return;
    const limit = this.#limit();
    for (let i = this.#queue.length - 1; i > 0; i--) {
      const { entry, pts, shown } = this.#queue[i]!.facts;
      if (entry === 'no' || !shown || pts === null || pts > limit) continue;
      for (let j = 0; j < i; j++) if (this.#queue[j]!.facts.reference) this.#connected = false;
      this.#take(i, decisions, () => 'drop');
      return;
    }
  }

  /** Holding too much: sends the oldest references, although what they lead to may turn out not to be wanted. */
  #relieve(decisions: Decision[]) {
    const { packets, bytes } = this.#question.hold;
    while (this.#queue.length > packets || (this.#bytes > bytes && this.#queue.length > 2)) {
      if (this.#connected) this.#take(1, decisions, (waiting) => this.#asNeeded(waiting));
      else if (this.#queue[0]!.facts.entry !== 'no') this.#jump(0, decisions);
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
        fresh: what === 'begin',
        wanted: waiting.wanted,
      });
    }
  }
}
