// One file, outlined: what all texts of its summary are made of.
import { joinRanges } from '../../../runtime/ranges.ts';
import type { Steps } from '../../../runtime/sync/checkpoint.ts';
import { shownScore } from '../../text-reader/contract.ts';
import { confidenceOf } from '../../things/confidence.ts';
import type { ClassName } from '../../things/contract.ts';
import type { GroupName, KnownConcepts } from '../concepts/concepts.ts';
import type { SeenLine, SeenThing } from '../contract.ts';
import { lookScore, type Objective } from '../objective.ts';
import { type LookValues, lookSteps } from '../outline/looks.ts';
import { type Outline, type OutlineNode, outlineSteps } from '../outline/outline.ts';
import {
  dot,
  rowsOf,
  type SecondRange,
  type SpokenLine,
  type SummaryInputs,
} from '../outline/summary-inputs.ts';
import { type Sign, signsOf, usualSigns } from '../text/key-sentences.ts';
import { type Sentence, sentencesOf } from '../text/sentences.ts';

export interface FilmOptions {
  readonly kind: 'video' | 'image' | 'audio';
  /** Seconds of the file; 0 of a still. The grid of the material is up to a second longer. */
  readonly duration: number;
  readonly hasSound: boolean;
  /** BCP 47; `und` when nobody knows. */
  readonly language: string;
  readonly objective: Objective;
  /** In words, as they were asked for; empty without. */
  readonly instructions: string;
  /** d, L2-normalised: those words in the space of the vectors; null without. */
  readonly instructionsVector: Float32Array | null;
  /** Concepts of the model that made the vectors; null when nothing can be named. */
  readonly concepts: KnownConcepts | null;
  readonly sights: Sights;
  /** Ids of people who have a name. */
  readonly named: ReadonlySet<string>;
}

export interface OutlinedFilm extends FilmOptions {
  readonly material: SummaryInputs;
  /** Null where nobody listened. */
  readonly segments: readonly SpokenLine[] | null;
  /** Segments that begin after the end of the grid, and are in no text. */
  readonly late: number;
  readonly sentences: readonly Sentence[];
  readonly outline: Outline;
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  readonly root: OutlineNode;
  readonly looks: ReadonlyMap<string, LookValues>;
  /** How much each node is wanted by the objective; to be compared between nodes. */
  readonly worth: ReadonlyMap<string, number>;
}

export function* outlinedFilmSteps(whole: SummaryInputs, options: FilmOptions): Steps<OutlinedFilm> {
  const { seconds } = whole;
  const within = whole.segments?.filter(({ start_seconds }) => start_seconds < seconds) ?? null;
  const segments =
    within?.map((segment) => (segment.speaker?.trim() === '' ? { ...segment, speaker: null } : segment)) ??
    null;
  const material = { ...whole, segments };
  const outline = yield* outlineSteps(material);
  const language = knownLanguage(options.language);
  yield;
  const sentences = segments ? sentencesOf(segments, language) : [];
  yield;
  const looks = yield* lookSteps(material, outline.shots, outline.nodes);
  yield;
  const worth = yield* worths(material, outline, { ...options, language }, sentences, looks);
  return {
    ...options,
    language,
    material,
    segments,
    late: (whole.segments?.length ?? 0) - (segments?.length ?? 0),
    sentences,
    outline,
    nodes: new Map(outline.nodes.map((node) => [node.node_id, node])),
    root: outline.nodes[0]!,
    looks: new Map(outline.nodes.map(({ node_id }, i) => [node_id, looks[i]!])),
    worth: new Map(outline.nodes.map(({ node_id }, i) => [node_id, worth[i]!])),
  };
}

/** The end of a range as people read it: the last second of the grid is rarely whole. */
export function shownEnd({ material, duration }: OutlinedFilm, { end }: SecondRange): number {
  return end < material.seconds ? end : Math.round(duration);
}

/** ICU refuses what is no tag. */
function knownLanguage(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'und';
  } catch {
    return 'und';
  }
}

/** Number of sentences whose signs are read in one step. */
const sentencesOfStep = 1000;
/** Merit that the range nearest to the instructions has beyond the farthest one. */
const instructed = 1;

function* worths(
  material: SummaryInputs,
  { nodes }: Outline,
  { objective, instructionsVector, language }: FilmOptions,
  sentences: readonly Sentence[],
  looks: readonly LookValues[],
): Steps<number[]> {
  const nearness = instructionsVector ? nearnessOf(material, nodes, instructionsVector) : null;
  const merits = new Float64Array(sentences.length);
  for (const [i, { text }] of sentences.entries()) {
    if (i % sentencesOfStep === 0) yield;
    merits[i] = askedFor(text, language, objective);
  }
  yield;
  return nodes.map((node, i) => {
    let most = 0;
    for (const [at, { start_seconds }] of sentences.entries())
      if (start_seconds >= node.start && start_seconds < node.end) most = Math.max(most, merits[at]!);
    return lookScore(looks[i]!, objective) + most + instructed * (nearness?.[i] ?? 0);
  });
}

/** Merit that the objective's signs add to a sentence beyond the usual signs. */
function askedFor(text: string, language: string, { signs }: Objective): number {
  let sum = 0;
  for (const sign of signsOf(text, language)) sum += (signs[sign as Sign] ?? 0) - (usualSigns[sign] ?? 0);
  return sum;
}

/** Mean similarity of each range's frames to a direction, scaled from 0 (farthest) to 1 (nearest). */
function nearnessOf(
  { pictures }: SummaryInputs,
  ranges: readonly SecondRange[],
  direction: Float32Array,
): number[] {
  if (!pictures || pictures.dimensions !== direction.length) return ranges.map(() => 0);
  const { vectors, dimensions: d, frames } = pictures;
  const sums = new Float64Array(frames.length + 1);
  for (let row = 0; row < frames.length; row++)
    sums[row + 1] = sums[row]! + dot(vectors, row * d, direction, 0, d);
  const means = ranges.map((range) => {
    const [first, end] = rowsOf(frames, range);
    return end > first ? (sums[end]! - sums[first]!) / (end - first) : null;
  });
  const similarities = means.filter((mean) => mean !== null);
  const [least, most] = [Math.min(...similarities), Math.max(...similarities)];
  return means.map((mean) => (mean === null || most - least < 1e-6 ? 0 : (mean - least) / (most - least)));
}

// Things and printed lines that detectors have seen in a range. Only results that were measured to be right
// in nine of ten cases or more are used (docs/measurements.md).

/** A concept that stands out, or a thing that a detector has seen. */
export interface SeenSubject {
  /** The same wherever it is seen: the name of a concept, the class of a thing. */
  readonly key: string;
  /** Phrase for use within a sentence: `a beach`, `at night`, `people`. */
  readonly name: string;
  readonly group: GroupName | 'things';
  /**
   * Concept: deviations above its usual similarity. Thing: ten times its score. A node above the leaves has
   * the mean over the leaves that show it.
   */
  readonly strength: number;
  /** Concept: seconds with pictures in the leaves that show it. Thing: seconds in which it is seen. */
  readonly seconds: number;
  /** Grid seconds that show it most, the strongest leaf first. */
  readonly frames: readonly number[];
}

export interface ReadLine {
  readonly text: string;
  /** Height of its letters, as a share of the picture's. */
  readonly size: number;
  /** A grid second in which it is read. */
  readonly frame: number;
}

export interface Sights {
  readonly things: readonly SeenThing[];
  readonly lines: readonly SeenLine[];
}

/** A line of one or two letters tells nobody anything. */
const shortest = 3;
/** Lines of a leaf. */
const most = 6;
/** Grid seconds in which a line of a film is read: letters that move or change are misread, and soon gone. */
const leastRead = 2;

/** One, and several; how many is not told. Of all other classes as they are called. */
const otherNames: Partial<Record<ClassName, readonly [one: string, many: string]>> = {
  airplane: ['an aeroplane', 'aeroplanes'],
  bench: ['a bench', 'benches'],
  bus: ['a bus', 'buses'],
  couch: ['a sofa', 'sofas'],
  'dining table': ['a table', 'tables'],
  person: ['a person', 'people'],
  scissors: ['scissors', 'scissors'],
  sheep: ['a sheep', 'sheep'],
  'sports ball': ['a ball', 'balls'],
  tv: ['a screen', 'screens'],
};

function namesOf(name: ClassName): readonly [one: string, many: string] {
  return otherNames[name] ?? [`${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`, `${name}s`];
}

/** Things seen in the range; the longest come first. */
export function thingsIn({ things }: Sights, range: SecondRange, gridFrames: number): SeenSubject[] {
  const within = things.filter(
    (thing) =>
      thing.start < range.end && thing.end > range.start && confidenceOf(thing, gridFrames) === 'strong',
  );
  return [...Map.groupBy(within, (thing) => thing.class)]
    .map(([name, tracks]): SeenSubject => {
      const strongest = tracks.reduce((best, track) => (track.score > best.score ? track : best));
      return {
        key: name,
        name: namesOf(name)[areSeveral(tracks, range) ? 1 : 0],
        group: 'things',
        strength: 10 * strongest.score,
        seconds: secondsSeen(tracks, range),
        frames: [placeIn(strongest, range)],
      };
    })
    .sort((a, b) => b.seconds - a.seconds || b.strength - a.strength);
}

function secondsSeen(tracks: readonly SecondRange[], range: SecondRange): number {
  const within = tracks.map(({ start, end }): [number, number] => [
    Math.max(start, range.start),
    Math.min(end, range.end),
  ]);
  return joinRanges(within).reduce((sum, [start, end]) => sum + end - start, 0);
}

/** Boxes of one thing share more of the smaller one: half a person is found beside the whole one. */
const mostShared = 0.2;
/** A thing that moves leaves tracks that may overlap by the seconds in which it was missed. */
const leastTogether = 2;

/** True if two of the tracks are two things: seen at the same time, apart from each other. */
function areSeveral(tracks: readonly SeenThing[], range: SecondRange): boolean {
  const least = Math.min(leastTogether, range.end - range.start);
  return tracks.some((track, at) =>
    tracks
      .slice(at + 1)
      .some(
        (second) =>
          secondsTogether(track, second, range) >= least && sharedArea(track.box, second.box) <= mostShared,
      ),
  );
}

const secondsTogether = (a: SecondRange, b: SecondRange, { start, end }: SecondRange) =>
  Math.min(a.end, b.end, end) - Math.max(a.start, b.start, start);

/** Share of the smaller box that lies in the other one. */
function sharedArea([ax, ay, aw, ah]: SeenThing['box'], [bx, by, bw, bh]: SeenThing['box']): number {
  const width = Math.min(ax + aw, bx + bw) - Math.max(ax, bx);
  const height = Math.min(ay + ah, by + bh) - Math.max(ay, by);
  return (Math.max(0, width) * Math.max(0, height)) / Math.max(1e-9, Math.min(aw * ah, bw * bh));
}

/** True if a detector found anything in a range, sure enough to be told or not. */
export function isAnythingFound({ things, lines }: Sights, range: SecondRange): boolean {
  return [...things, ...lines].some(({ start, end }) => start < range.end && end > range.start);
}

/** The second that shows it best, or the nearest one of the range. */
const placeIn = ({ best, start, end }: SeenThing | SeenLine, range: SecondRange): number =>
  Math.min(Math.min(end, range.end) - 1, Math.max(start, range.start, best));

/** In the order of time; of many those in the largest letters. */
export function linesIn({ sights, kind }: FilmOptions, range: SecondRange): ReadLine[] {
  const least = kind === 'image' ? 1 : leastRead;
  const lines = sights.lines
    .filter(({ score, text }) => score >= shownScore && [...text].length >= shortest)
    .filter(({ start, end }) => end - start >= least && start < range.end && end > range.start)
    .map((line) => ({ text: line.text, size: line.height, frame: placeIn(line, range) }));
  return largest(lines, most);
}

/** Boxes of lines in one size of letters differ by those that reach below the line. */
const sizeOf = ({ size }: ReadLine) => Math.round(2 * Math.log2(size));

/**
 * The `count` largest lines, in order of time, each text once and complete. Among lines of one size the first
 * wins.
 */
export function largest(lines: readonly ReadLine[], count: number): ReadLine[] {
  const once = new Map<string, ReadLine>();
  const keyOf = ({ text }: ReadLine) => text.toLocaleLowerCase('en').replace(/\s/gu, '');
  const keys = lines.map(keyOf);
  for (const line of lines.toSorted((a, b) => sizeOf(b) - sizeOf(a) || a.frame - b.frame)) {
    const key = keyOf(line);
    // A text that is typed letter by letter is read as many lines, of which the last has all.
    const isBegun = keys.some((longer) => longer.length > key.length && longer.startsWith(key));
    if (!isBegun && !once.has(key)) once.set(key, line);
  }
  return [...once.values()].slice(0, count).sort((a, b) => a.frame - b.frame);
}
