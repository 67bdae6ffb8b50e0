// Joins the things of a film over its seconds: what stays at its place is one track, however long it stays.
import { overlap } from '../../runtime/picture.ts';
import type { Thing } from './contract.ts';
import { prominenceOf } from './prominence.ts';

/** A thing that stays: what moves on leaves a track for each place. */
export interface ThingTrack {
  readonly class: Thing['class'];
  /** Grid frames from the first in which it is seen to behind the last, `[start, end)`. */
  readonly start: number;
  readonly end: number;
  /** Highest score of its frames. */
  readonly score: number;
  /** The frame that shows it best, and its box there. */
  readonly best: number;
  readonly box: Thing['box'];
  /** Mean over its frames of how much of it each colour is, most first. */
  readonly colours: Thing['colours'];
}

/**
 * Grid frames that a thing may be missed in: it goes behind something, or the detector is unsure for a
 * moment.
 */
const mostMissed = 2;

/** Boxes of one class that share as much of their area are the same thing. */
const sameOverlap = 0.4;

/** Share of a thing from which on a colour is one of it. */
const leastColour = 0.1;

interface Open {
  class: Thing['class'];
  start: number;
  end: number;
  best: number;
  score: number;
  box: Thing['box'];
  /** Prominence in the frame `best`. */
  prominence: number;
  frames: number;
  /** Sums over the frames. */
  readonly colours: Map<Thing['colours'][number]['colour'], number>;
}

/** Takes the things of one frame after the other. */
export class ThingTracker {
  readonly #open: Open[] = [];
  readonly #closed: ThingTrack[] = [];

  /** `frame`: larger than the one before. */
  add(frame: number, things: readonly Thing[]): void {
    this.#close((track) => frame - track.end > mostMissed);
    const free = new Set(this.#open);
    for (const thing of things.toSorted((a, b) => b.score - a.score)) {
      const same = nearest(thing, free);
      if (same !== null) free.delete(same);
      take(same ?? this.#begin(frame, thing), frame, thing);
    }
  }

  /** All that were seen, in the order of their beginning. */
  end(): ThingTrack[] {
    this.#close(() => true);
    return this.#closed.toSorted((a, b) => a.start - b.start || b.score - a.score || a.box[0] - b.box[0]);
  }

  #begin(frame: number, thing: Thing): Open {
    const { class: name, score, box } = thing;
    const track = {
      class: name,
      start: frame,
      end: frame,
      best: frame,
      score,
      box,
      prominence: 0,
      frames: 0,
      colours: new Map(),
    };
    this.#open.push(track);
    return track;
  }

  #close(isOver: (track: Open) => boolean): void {
    for (let i = this.#open.length - 1; i >= 0; i--) {
      const candidate = this.#open[i]!;
      if (!isOver(candidate)) continue;
      this.#open.splice(i, 1);
      const { frames, colours, prominence: _, ...track } = candidate;
      this.#closed.push({ ...track, colours: means(colours, frames) });
    }
  }
}

/** The open track of its class that it shares most of its box with; null where it shares little with each. */
function nearest(thing: Thing, open: ReadonlySet<Open>): Open | null {
  let [best, most]: [Open | null, number] = [null, sameOverlap];
  for (const candidate of open) {
    const shared =
      candidate.class === thing.class && isAlike(candidate, thing) ? overlap(candidate.box, thing.box) : 0;
    if (shared >= most) [best, most] = [candidate, shared];
  }
  return best;
}

/** After a cut another thing may be at the same place. Where either has no colour, nothing is known of it. */
function isAlike({ colours, frames }: Open, thing: Thing): boolean {
  if (colours.size === 0 || thing.colours.length === 0) return true;
  return thing.colours.some(({ colour }) => (colours.get(colour) ?? 0) / frames >= leastColour);
}

function take(track: Open, frame: number, thing: Thing): void {
  const { score, box, colours } = thing;
  const prominence = prominenceOf(thing);
  track.end = frame + 1;
  track.frames++;
  track.score = Math.max(track.score, score);
  if (prominence > track.prominence) [track.best, track.box, track.prominence] = [frame, box, prominence];
  for (const { colour, share } of colours)
    track.colours.set(colour, (track.colours.get(colour) ?? 0) + share);
}

function means(sums: Open['colours'], frames: number): ThingTrack['colours'] {
  return [...sums]
    .map(([colour, sum]) => ({ colour, share: Math.round((100 * sum) / frames) / 100 }))
    .filter(({ share }) => share >= leastColour)
    .sort((a, b) => b.share - a.share);
}
