// In which seconds of a film the things are seen that a question names.
import type { Track } from '../../things/tracks.ts';
import type { ThingTerm } from './contract.ts';
import type { Shot } from './shots.ts';

/** Grid frames `[start, end)` in which all is as it was asked for. */
export interface Moment {
  readonly start: number;
  readonly end: number;
  /** Of the frame that shows it best: of the weakest of its terms, 0 to 1. */
  readonly score: number;
  /** That frame. */
  readonly best: number;
}

/** A colour that is less of a thing than this is not what a person calls it by. */
const leastColour = 0.2;
/** Of the area of the picture: something this large is seen close, something this small from afar. */
const [close, far] = [0.35, 0.03];

/**
 * `frames`: of the film. Ascending; what is asked for is wanted of each, and nothing of a question without
 * terms.
 */
export function momentsOf(
  tracks: readonly Track[],
  terms: readonly ThingTerm[],
  frames: number,
  shots: readonly Shot[] = [],
): Moment[] {
  if (terms.length === 0) return [];
  let found: Moment[] = [{ start: 0, end: frames, score: 1, best: 0 }];
  for (const term of terms) {
    if (found.length === 0) return [];
    const shown = momentsOfTerm(tracks, term, shots);
    found = term.negated ? without(found, shown) : both(found, shown);
  }
  return found;
}

function momentsOfTerm(tracks: readonly Track[], term: ThingTerm, shots: readonly Shot[]): Moment[] {
  const seen = () =>
    shownBy(
      tracks.filter((track) => suits(track, term)),
      term.count,
    );
  if (term.shot === null) return seen();
  const sized = shots.filter(({ size }) => size === term.shot);
  // A face that fills the picture is a person, whether the detector of things saw one or not.
  return isPlain(term) ? sized.map(({ size: _, ...moment }) => moment) : both(sized, seen());
}

/** Nothing is asked of what it names but that it is there. */
function isPlain({ colours, place, size, count }: ThingTerm): boolean {
  return colours.length === 0 && place === null && size === null && count.least === 1 && count.most === null;
}

/** What is seen in a frame of what the terms want, best first. */
export function seenAt(tracks: readonly Track[], terms: readonly ThingTerm[], frame: number): Track[] {
  const wanted = terms.filter(({ negated }) => !negated);
  const here = tracks.filter(({ start, end }) => start <= frame && frame < end);
  return here.filter((track) => wanted.some((term) => suits(track, term))).sort((a, b) => b.score - a.score);
}

function suits(track: Track, { classes, colours, place, size }: ThingTerm): boolean {
  const isClass = classes.includes(track.class);
  const isColoured =
    colours.length === 0 ||
    track.colours.some((one) => one.share >= leastColour && colours.includes(one.colour));
  return (
    isClass && isColoured && (place === null || isAt(track, place)) && (size === null || isOf(track, size))
  );
}

function isAt({ box: [left, top, width, height] }: Track, place: NonNullable<ThingTerm['place']>): boolean {
  const [x, y] = [left + width / 2, top + height / 2];
  const at = { left: x < 0.45, right: x > 0.55, top: y < 0.45, bottom: y > 0.55 };
  return place === 'centre' ? Math.abs(x - 0.5) < 0.2 && Math.abs(y - 0.5) < 0.25 : at[place];
}

function isOf({ box }: Track, size: NonNullable<ThingTerm['size']>): boolean {
  const area = box[2] * box[3];
  return size === 'close' ? area >= close : area <= far;
}

/** When at least and at most as many of the tracks are seen at once. */
function shownBy(tracks: readonly Track[], { least, most }: ThingTerm['count']): Moment[] {
  const times = [...new Set(tracks.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const found: Moment[] = [];
  const coming = tracks.toSorted((a, b) => a.start - b.start);
  let [next, seen]: [number, Track[]] = [0, []];
  for (let i = 0; i + 1 < times.length; i++) {
    const [start, end] = [times[i]!, times[i + 1]!];
    // A film may have thousands, of which few are seen at once.
    seen = seen.filter((track) => track.end > start);
    for (; coming[next] && coming[next]!.start <= start; next++) seen.push(coming[next]!);
    if (seen.length < Math.max(1, least) || (most !== null && seen.length > most)) continue;
    // Of several that are wanted, the weakest one counts.
    const weakest = seen.toSorted((a, b) => b.score - a.score)[Math.max(1, least) - 1]!;
    found.push({ start, end, score: weakest.score, best: Math.min(end - 1, Math.max(start, weakest.best)) });
  }
  return found;
}

function both(some: readonly Moment[], others: readonly Moment[]): Moment[] {
  const found: Moment[] = [];
  for (const a of some) {
    for (const b of others) {
      const [start, end] = [Math.max(a.start, b.start), Math.min(a.end, b.end)];
      if (start >= end) continue;
      const weaker = a.score < b.score ? a : b;
      found.push({ start, end, score: weaker.score, best: Math.min(end - 1, Math.max(start, weaker.best)) });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function without(some: readonly Moment[], others: readonly Moment[]): Moment[] {
  let left = [...some];
  for (const { start, end } of others) {
    left = left.flatMap((one) => {
      const parts = [
        { ...one, end: Math.min(one.end, start) },
        { ...one, start: Math.max(one.start, end) },
      ];
      return parts
        .filter((part) => part.start < part.end)
        .map((part) => ({ ...part, best: Math.min(part.end - 1, Math.max(part.start, part.best)) }));
    });
  }
  return left;
}
