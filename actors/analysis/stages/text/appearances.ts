// Lines of text over time: what is read in one second after the other and is the same line becomes one, with
// the reading that is best.

import { overlap } from '../../../../runtime/picture.ts';
import { slipsBetween } from '../../../../runtime/text.ts';
import type { WrittenLine } from '../../../index/written/contract.ts';
import {
  doubtedScore,
  searchedScore,
  shownScore,
  type TextBox,
  type TextLine,
} from '../../../text-reader/contract.ts';

/** Grid frames in a row in which a line may be missed and is there all the same. */
const mostMissed = 2;
/** Overlap of two boxes, as intersection over union, from which one line may be in the place of the other. */
const samePlace = 0.5;
/** Part of the letters by which two readings of one line may differ. */
const misread = 0.25;
/** Lines of one media at most: where there are more, those that are read best are kept. */
export const mostOfMedia = 50_000;

/** A line that is seen, or was a moment ago. */
interface Seen extends WrittenLine {
  /** Where it was last. */
  readonly place: TextBox;
  /** As letters are compared. */
  readonly letters: string;
  /** Frames of the longest other reading of it, uncertain itself, in whose place it came. */
  readonly rival: number;
}

export class Appearances {
  #seen: Seen[];
  #ended: WrittenLine[] = [];

  /** `seen`: of `state`, to go on with. */
  constructor(seen: readonly unknown[] = []) {
    this.#seen = seen as Seen[];
  }

  /** What is seen at a grid frame; frames come in their order. */
  add(frame: number, lines: readonly TextLine[]): void {
    const isOver = ({ end }: Seen) => frame - end > mostMissed;
    this.#end(this.#seen.filter(isOver));
    let earlier = this.#seen.filter((one) => !isOver(one));
    const now: Seen[] = [];
    for (const line of lines.filter(isText)) {
      const letters = lettersOf(line.text);
      const known = bestOf(earlier, line, letters);
      if (known === null) {
        const { text, score, box } = line;
        const began = {
          text,
          score,
          box,
          best: frame,
          start: frame,
          end: frame + 1,
          place: box,
          letters,
          rival: 0,
        };
        const rivals = earlier.filter((one) => one.score < shownScore && isOtherReading(one, began));
        now.push({ ...began, rival: Math.max(0, ...rivals.map(lasts)) });
        continue;
      }
      earlier = earlier.filter((one) => one !== known);
      const { text, score, box } = line;
      const better = score > known.score ? { text, score, box, letters, best: frame } : {};
      now.push({ ...known, ...better, end: frame + 1, place: box });
    }
    this.#seen = [...earlier, ...now];
  }

  /** Lines that have ended since this was called last. */
  takeEnded(): WrittenLine[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Lines that may go on, to be kept as JSON. */
  state(): readonly unknown[] {
    return this.#seen;
  }

  /** No more frames come: the lines that have not ended yet. */
  finish(): WrittenLine[] {
    this.#end(this.#seen);
    this.#seen = [];
    return this.takeEnded();
  }

  /** A line in whose place another reading of it is seen longer is not certain. */
  #end(lines: readonly Seen[]): void {
    for (const one of lines) {
      const rivals = this.#seen.filter((other) => isOtherReading(one, other));
      const isDoubted = Math.max(one.rival, ...rivals.map(lasts)) > lasts(one);
      this.#ended.push(plain(isDoubted ? { ...one, score: Math.min(one.score, doubtedScore) } : one));
    }
  }
}

/** In the order of their beginning, then from top to bottom; at most `mostOfMedia`. */
export function inOrder(lines: readonly WrittenLine[]): WrittenLine[] {
  const best =
    lines.length > mostOfMedia
      ? lines.toSorted((a, b) => b.score - a.score).slice(0, mostOfMedia)
      : [...lines];
  return best.sort((a, b) => a.start - b.start || a.box[1] - b.box[1] || a.box[0] - b.box[0]);
}

function plain({ text, score, box, best, start, end }: Seen): WrittenLine {
  return { text, score, box, best, start, end };
}

/** One sign that is not certain is a stroke of something else. */
function isText({ text, score }: TextLine): boolean {
  if (!(score >= searchedScore) || !/[\p{L}\p{N}]/u.test(text)) return false;
  return [...text].length > 1 || score >= shownScore;
}

/** What two readings of one line have in common: case, width and spaces do not count. */
function lettersOf(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
}

/** The same text goes before another one in the same place, and of several the nearest. */
function bestOf(seen: readonly Seen[], line: TextLine, letters: string): Seen | null {
  const same = seen.filter((one) => one.letters === letters);
  const [nearest = null] = (same.length > 0 ? same : seen.filter((one) => isReading(one, line, letters)))
    .map((one) => ({ one, near: overlap(one.place, line.box) }))
    .sort((a, b) => b.near - a.near);
  return nearest?.one ?? null;
}

/**
 * Another reading of the same line: in its place, hardly different, and one of the two uncertain. Digits are
 * told apart.
 */
function isReading(one: Seen, { score, box }: TextLine, letters: string): boolean {
  if (score >= shownScore && one.score >= shownScore) return false;
  return digitsOf(one.letters) === digitsOf(letters) && isNearly(one, box, letters);
}

/** The same, however certain. A clock that goes on is none. */
function isOtherReading(one: Seen, { place, letters }: Seen): boolean {
  const others = (text: string) => text.replace(/\p{N}/gu, '');
  return others(one.letters) !== others(letters) && isNearly(one, place, letters);
}

function isNearly(one: Seen, place: TextBox, letters: string): boolean {
  if (overlap(one.place, place) < samePlace) return false;
  const most = Math.floor(misread * Math.max(one.letters.length, letters.length));
  return slipsBetween(one.letters, letters) <= most;
}

const digitsOf = (text: string) => text.replace(/\P{N}/gu, '');

const lasts = ({ start, end }: Seen) => end - start;
