// From labelled subsegments to turns with names, and the speaker of each span of a transcript.
import { soundRate } from '../decoder/contract.ts';
import type { SpeechRegion } from '../transcriber/contract.ts';
import type { SpeakerTurn } from './contract.ts';

/** A turn of the speaker with that number; seconds, half-open. */
export interface LabelledTurn {
  readonly start: number;
  readonly end: number;
  readonly label: number;
}

/** One channel after clustering; `labels`: the speaker of each subsegment, -1 for none. */
interface LabelledChannel {
  readonly regions: readonly (readonly [number, number])[];
  readonly subsegments: readonly Subsegment[];
  readonly labels: ArrayLike<number>;
}

/**
 * All speech is given to speakers: a subsegment stands for what is nearer to its middle than to the middle of
 * another. A region without a subsegment takes the speaker of the nearest one of the channel. Empty when none
 * has a speaker.
 */
export function turnsOfChannel({ regions, subsegments, labels }: LabelledChannel): LabelledTurn[] {
  const labelled = subsegments.flatMap((subsegment, at) => {
    const label = labels[at]!;
    return label < 0 ? [] : [{ ...subsegment, label, middle: (subsegment.from + subsegment.to) / 2 }];
  });
  if (labelled.length === 0) return [];
  const turns: LabelledTurn[] = [];
  const add = (from: number, to: number, label: number) => {
    const last = turns.at(-1);
    if (to <= from) return;
    if (last && last.label === label && last.end === from / soundRate) {
      turns[turns.length - 1] = { ...last, end: to / soundRate };
    } else {
      turns.push({ start: from / soundRate, end: to / soundRate, label });
    }
  };
  let at = 0;
  regions.forEach(([from, to], region) => {
    while (at < labelled.length && labelled[at]!.region < region) at++;
    const first = at;
    while (at < labelled.length && labelled[at]!.region === region) at++;
    const inside = labelled.slice(first, at);
    if (inside.length === 0) {
      const middle = (from + to) / 2;
      const around = [labelled[first - 1], labelled[first]].filter((neighbour) => neighbour !== undefined);
      const [nearest] = around.sort((a, b) => Math.abs(a.middle - middle) - Math.abs(b.middle - middle));
      add(from, to, nearest!.label);
      return;
    }
    inside.forEach((piece, index) => {
      const before = inside[index - 1];
      const after = inside[index + 1];
      const start = before ? Math.round((before.middle + piece.middle) / 2) : from;
      const end = after ? Math.round((piece.middle + after.middle) / 2) : to;
      add(start, end, piece.label);
    });
  });
  return turns;
}

/**
 * The turns of all channels as one list: turns of one speaker that overlap are one, pauses up to `bridge`
 * seconds are part of a turn where nobody else speaks in between, and speakers are numbered by appearance.
 */
export function namedTurns(turns: readonly LabelledTurn[], bridge = 0): SpeakerTurn[] {
  const sorted = inOrder(turns);
  const merged: { start: number; end: number; label: number }[] = [];
  const lastOf = new Map<number, { start: number; end: number; label: number }>();
  let latest = Number.NEGATIVE_INFINITY;
  for (const turn of sorted) {
    const last = lastOf.get(turn.label);
    const alone = last !== undefined && last.end >= latest;
    if (last && (turn.start <= last.end || (alone && turn.start - last.end <= bridge))) {
      last.end = Math.max(last.end, turn.end);
    } else {
      const copy = { ...turn };
      merged.push(copy);
      lastOf.set(turn.label, copy);
    }
    latest = Math.max(latest, turn.end);
  }
  const names = speakersOfLabels(turns);
  return merged.map(({ start, end, label }) => {
    return { start_seconds: start, end_seconds: end, speaker: names.get(label)! };
  });
}

function inOrder(turns: readonly LabelledTurn[]): LabelledTurn[] {
  return [...turns].sort((a, b) => a.start - b.start || a.end - b.end || a.label - b.label);
}

/** The name of each label, by appearance. */
export function speakersOfLabels(turns: readonly LabelledTurn[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const { label } of inOrder(turns)) {
    if (!names.has(label)) names.set(label, speakerName(names.size));
  }
  return names;
}

function speakerName(number: number): string {
  return `SPEAKER_${String(number).padStart(2, '0')}`;
}

/**
 * For each span (half-open seconds, any order) the speaker that overlaps it most, the earlier one of two
 * equals; where none does, the one whose turn is nearest. Null for all when there are no turns. `turns`
 * ascending by start. `least`: so many speakers have a span if they can.
 */
export function speakersOfSpans(
  turns: readonly SpeakerTurn[],
  spans: readonly (readonly [number, number])[],
  least = 0,
): (string | null)[] {
  const assigned = mainSpeakers(turns, spans);
  const missing = new Set(turns.map(({ speaker }) => speaker));
  for (const speaker of assigned) missing.delete(speaker ?? '');
  for (const speaker of missing) {
    const speakerTurns = turns.filter((turn) => turn.speaker === speaker);
    if (new Set(assigned).size < least) giveOneSpan(assigned, spans, speakerTurns, speaker);
  }
  return assigned;
}

/** Gives a speaker the span in most of which it speaks, among those of speakers who keep another. */
function giveOneSpan(
  speakers: (string | null)[],
  spans: readonly (readonly [number, number])[],
  turns: readonly SpeakerTurn[],
  speaker: string,
): void {
  const counts = new Map<string | null, number>();
  for (const name of speakers) counts.set(name, (counts.get(name) ?? 0) + 1);
  const shares = spans.map(([start, end], at) => {
    if (counts.get(speakers[at]!)! < 2) return 0;
    const parts = turns.map((turn) => Math.min(end, turn.end_seconds) - Math.max(start, turn.start_seconds));
    return parts.reduce((sum, part) => sum + Math.max(0, part), 0) / Math.max(end - start, 1e-3);
  });
  const most = Math.max(...shares);
  if (most > 0) speakers[shares.indexOf(most)] = speaker;
}

function mainSpeakers(
  turns: readonly SpeakerTurn[],
  spans: readonly (readonly [number, number])[],
): (string | null)[] {
  // For each turn, the turn up to it that ends last. Its ends ascend, so the first turn that may overlap a
  // span is found by binary search.
  let last: SpeakerTurn | undefined;
  const latestEnding = turns.map((turn) => {
    last = last && last.end_seconds >= turn.end_seconds ? last : turn;
    return last;
  });
  return spans.map(([start, end]) => {
    const first = firstAt(latestEnding, ({ end_seconds }) => end_seconds > start);
    const overlap = new Map<string, number>();
    for (let at = first; at < turns.length && turns[at]!.start_seconds < end; at++) {
      const turn = turns[at]!;
      const seconds = Math.min(end, turn.end_seconds) - Math.max(start, turn.start_seconds);
      if (seconds > 0) overlap.set(turn.speaker, (overlap.get(turn.speaker) ?? 0) + seconds);
    }
    let best: string | null = null;
    let most = 0;
    for (const [speaker, seconds] of overlap) {
      if (seconds > most) {
        most = seconds;
        best = speaker;
      }
    }
    return best ?? nearestSpeaker(latestEnding[first - 1], turns[first], start, end);
  });
}

/**
 * Speaker of the latest turn before or the earliest turn behind, whichever is nearer; the one before if both
 * are as near.
 */
function nearestSpeaker(
  before: SpeakerTurn | undefined,
  after: SpeakerTurn | undefined,
  start: number,
  end: number,
): string | null {
  const wait = after ? Math.max(0, after.start_seconds - end) : Number.POSITIVE_INFINITY;
  const since = before ? start - before.end_seconds : Number.POSITIVE_INFINITY;
  return (since <= wait ? before : after)?.speaker ?? null;
}

/** Binary search: the first place whose value fulfils a condition that all later ones fulfil as well. */
function firstAt<T>(values: readonly T[], fulfils: (value: T) => boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fulfils(values[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Cuts speech into overlapping subsegments, short enough that one speaker speaks in each, while speech is
// being detected.

export interface SubsegmentOptions {
  /** Samples of a subsegment, and from the start of one to that of the next. */
  readonly length: number;
  readonly hop: number;
  /** Samples under which a region of speech is too short to be embedded. */
  readonly min: number;
}

export const defaultSubsegments: SubsegmentOptions = {
  length: 1.5 * soundRate,
  hop: 0.5 * soundRate,
  min: 0.4 * soundRate,
};

/** A part of one region of speech; samples, half-open. */
export interface Subsegment {
  readonly from: number;
  readonly to: number;
  /** Place of the region in `Subsegmenter.regions`. */
  readonly region: number;
}

/**
 * Takes the speech of one channel as it settles. A region is covered by subsegments of full length, the last
 * of which ends with it; a shorter region is one subsegment, and one below `min` has none.
 */
export class Subsegmenter {
  /** Regions that touched are joined. *Read only.* */
  readonly regions: [number, number][] = [];
  readonly #options: SubsegmentOptions;
  /** Start of the next subsegment of the last region, while that is open: it may still grow. */
  #next = 0;
  #open = false;

  constructor(options: SubsegmentOptions = defaultSubsegments) {
    this.#options = options;
  }

  /**
   * `speech`: ascending, after what came before; nothing before `settled` will change. Answers the
   * subsegments now known.
   */
  add(speech: readonly SpeechRegion[], settled: number): Subsegment[] {
    const pieces: Subsegment[] = [];
    for (const [from, to] of speech) {
      const last = this.regions.at(-1);
      if (this.#open && last && from <= last[1]) {
        last[1] = Math.max(last[1], to);
      } else {
        this.#close(pieces);
        this.regions.push([from, to]);
        this.#next = from;
        this.#open = true;
      }
      this.#cut(pieces);
    }
    const last = this.regions.at(-1);
    if (last && settled > last[1]) this.#close(pieces);
    return pieces;
  }

  /** No more speech comes. */
  end(): Subsegment[] {
    const pieces: Subsegment[] = [];
    this.#close(pieces);
    return pieces;
  }

  /** The first sample that a later subsegment may need: what lies before it can be dropped. */
  needed(settled: number): number {
    return this.#open ? Math.min(settled, this.#openFrom()) : settled;
  }

  /** The last subsegment of a region begins at most one hop earlier, so that it ends with the region. */
  #openFrom(): number {
    const [from] = this.regions.at(-1)!;
    return Math.max(from, this.#next - this.#options.hop);
  }

  #cut(pieces: Subsegment[]): void {
    const { length, hop } = this.#options;
    const region = this.regions.length - 1;
    const [, end] = this.regions[region]!;
    for (; this.#next + length <= end; this.#next += hop) {
      pieces.push({ from: this.#next, to: this.#next + length, region });
    }
  }

  #close(pieces: Subsegment[]): void {
    if (!this.#open) return;
    this.#open = false;
    const { length, hop, min } = this.#options;
    const region = this.regions.length - 1;
    const [from, to] = this.regions[region]!;
    if (to - from < length) {
      if (to - from >= min) pieces.push({ from, to, region });
      return;
    }
    const covered = this.#next - hop + length;
    if (to - covered >= hop / 4) pieces.push({ from: to - length, to, region });
  }
}
