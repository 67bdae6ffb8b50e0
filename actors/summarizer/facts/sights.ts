// What detectors have seen of a range: things, and lines of printed text. Only what was measured to be right
// in nine of ten cases or more is taken (docs/measurements.md).
import { shownScore } from '../../text-reader/contract.ts';
import { believedScore, type MeasuredClass, measuredClasses } from '../../things/contract.ts';
import type { GroupName } from '../concepts/lexicon.ts';
import type { SeenLine, SeenThing } from '../contract.ts';
import type { Range } from '../outline/material.ts';

/** A concept that stands out, or a thing that a detector has seen. */
export interface Seen {
  /** The same wherever it is seen: the name of a concept, the class of a thing. */
  readonly key: string;
  /** As it stands in a sentence: `a beach`, `at night`, `people`. */
  readonly name: string;
  readonly group: GroupName | 'things';
  /**
   * Of a concept, deviations above what is usual; of a thing, ten times its score. Of a node above the
   * leaves, the mean over the leaves that show it.
   */
  readonly strength: number;
  /**
   * Of a concept, seconds with pictures of the leaves that show it; of a thing, seconds in which it is seen.
   */
  readonly seconds: number;
  /** Grid seconds that show it most, the strongest leaf first. */
  readonly frames: readonly number[];
}

/** A line of printed text. */
export interface ReadLine {
  readonly text: string;
  /** Height of its letters, as a share of the picture's. */
  readonly size: number;
  /** A grid second in which it is read. */
  readonly frame: number;
}

/** What the detectors have seen of one file. */
export interface Sights {
  readonly things: readonly SeenThing[];
  readonly lines: readonly SeenLine[];
}

/** A line of one or two letters tells nobody anything. */
const shortest = 3;
/** Lines of a leaf. */
const most = 6;

/** One, and several: their number was right in half of the pictures only, so it is not told. */
const names: Readonly<Record<MeasuredClass, readonly [one: string, many: string]>> = {
  airplane: ['an aeroplane', 'aeroplanes'],
  bicycle: ['a bicycle', 'bicycles'],
  bird: ['a bird', 'birds'],
  boat: ['a boat', 'boats'],
  bottle: ['a bottle', 'bottles'],
  bus: ['a bus', 'buses'],
  car: ['a car', 'cars'],
  cat: ['a cat', 'cats'],
  chair: ['a chair', 'chairs'],
  couch: ['a sofa', 'sofas'],
  cow: ['a cow', 'cows'],
  'dining table': ['a table', 'tables'],
  dog: ['a dog', 'dogs'],
  horse: ['a horse', 'horses'],
  motorcycle: ['a motorcycle', 'motorcycles'],
  person: ['a person', 'people'],
  'potted plant': ['a potted plant', 'potted plants'],
  sheep: ['a sheep', 'sheep'],
  train: ['a train', 'trains'],
  tv: ['a screen', 'screens'],
};

/** What is seen longest comes first. */
export function thingsIn({ things }: Sights, range: Range): Seen[] {
  const within = things.filter(
    ({ score, start, end }) => score >= believedScore && start < range.end && end > range.start,
  );
  return measuredClasses
    .flatMap((name): Seen[] => {
      const tracks = within.filter((thing) => thing.class === name);
      if (tracks.length === 0) return [];
      const seen = secondsOf(tracks, range);
      const strongest = tracks.reduce((best, track) => (track.score > best.score ? track : best));
      return [
        {
          key: name,
          name: names[name][Math.max(...seen.values()) > 1 ? 1 : 0],
          group: 'things',
          strength: 10 * strongest.score,
          seconds: seen.size,
          frames: [placeIn(strongest, range)],
        },
      ];
    })
    .sort((a, b) => b.seconds - a.seconds || b.strength - a.strength);
}

/** How many of the tracks are seen in each grid second in which one is. */
function secondsOf(tracks: readonly Range[], range: Range): Map<number, number> {
  const seen = new Map<number, number>();
  for (const { start, end } of tracks)
    for (let second = Math.max(start, range.start); second < Math.min(end, range.end); second++)
      seen.set(second, (seen.get(second) ?? 0) + 1);
  return seen;
}

/** The second that shows it best, or the nearest one of the range. */
const placeIn = ({ best, start, end }: SeenThing | SeenLine, range: Range): number =>
  Math.min(Math.min(end, range.end) - 1, Math.max(start, range.start, best));

/** In the order of time; of many those in the largest letters. */
export function linesIn({ lines }: Sights, range: Range): ReadLine[] {
  const own = lines
    .filter(
      ({ score, text, start, end }) =>
        score >= shownScore && [...text].length >= shortest && start < range.end && end > range.start,
    )
    .map((line) => ({ text: line.text, size: line.height, frame: placeIn(line, range) }));
  return largest(own, most);
}

/** Boxes of lines in one size of letters differ by those that reach below the line. */
const sizeOf = ({ size }: ReadLine) => Math.round(2 * Math.log2(size));

/** So many of the lines, each text once and whole, in the order of time; of lines in one size the first. */
export function largest(lines: readonly ReadLine[], count: number): ReadLine[] {
  const once = new Map<string, ReadLine>();
  const keyOf = ({ text }: ReadLine) => text.toLocaleLowerCase('en').replace(/\s/gu, '');
  const keys = lines.map(keyOf);
  for (const line of lines.toSorted((a, b) => sizeOf(b) - sizeOf(a) || a.frame - b.frame)) {
    const key = keyOf(line);
    // A text that is typed letter by letter is read as many lines, of which the last has all.
    const isBegun = keys.some((other) => other.length > key.length && other.startsWith(key));
    if (!isBegun && !once.has(key)) once.set(key, line);
  }
  return [...once.values()].slice(0, count).sort((a, b) => a.frame - b.frame);
}
