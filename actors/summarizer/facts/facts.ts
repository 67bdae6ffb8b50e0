// Facts about a range of a file, each with a reference to its source. A leaf reads them from the stored
// results; a node above joins those of its children, so every statement has its evidence in a leaf.

import { joinRanges } from '../../../runtime/ranges.ts';
import { canName, leastStrength, lexicon, standingOut } from '../concepts/concepts.ts';
import { secondsOf } from '../outline/channels.ts';
import { representativesOf } from '../outline/looks.ts';
import { dot, rowsOf, type SecondRange } from '../outline/summary-inputs.ts';
import { keySentences } from '../text/key-sentences.ts';
import type { Sentence } from '../text/sentences.ts';
import { largest, linesIn, type OutlinedFilm, type ReadLine, type SeenSubject, thingsIn } from './film.ts';

export interface PersonInRange {
  readonly person: string;
  readonly isNamed: boolean;
  readonly seconds: number;
  /** Grid seconds in which the person is seen, some of them. */
  readonly frames: readonly number[];
}

export interface SpeakerShare {
  /** Null for all of whom nobody knows who speaks. */
  readonly speaker: string | null;
  readonly seconds: number;
  /** Numbers of segments, some of them. */
  readonly segments: readonly number[];
}

export interface RangeFacts {
  readonly range: SecondRange;
  readonly seen: readonly SeenSubject[];
  readonly lines: readonly ReadLine[];
  readonly people: readonly PersonInRange[];
  readonly speakers: readonly SpeakerShare[];
  /** Numbers of the sentences that are worth quoting, ascending. */
  readonly sentences: readonly number[];
  /** Seconds with a vector. */
  readonly pictured: number;
  /** Seconds in which somebody speaks. */
  readonly spoken: number;
  /** Grid seconds that stand for the range, some of them. */
  readonly frames: readonly number[];
}

/** Places that are kept of one fact above the leaves. */
export const mostPlaces = 4;

export type FactsOf = (node_id: string) => RangeFacts;

// The facts of a leaf, read from what is stored of the file.

/** Concepts, sentences, frames that stand for it, people and speakers of a leaf. */
const most = { concepts: 12, sentences: 5, frames: 6, people: 80, speakers: 40 };

export function leafFacts(film: OutlinedFilm, range: SecondRange): RangeFacts {
  const { pictures } = film.material;
  const [first, end] = pictures ? rowsOf(pictures.frames, range) : [0, 0];
  const speakers = speakersOf(film, range);
  return {
    range,
    seen: seenOf(film, range),
    lines: linesIn(film, range),
    people: peopleOf(film, range),
    speakers: speakers.speakers,
    sentences: sentencesWithin(film, range),
    pictured: end - first,
    spoken: speakers.spoken,
    frames: pictures ? representativesOf(pictures, range, most.frames) : [],
  };
}

/**
 * Deviations beyond the bound from which on a concept is told: nearer to it, chance brings one now and then.
 */
const sure = 0.5;

/** Things first. A concept that is more exact takes the place of a thing: `a red car` that of `a car`. */
function seenOf(film: OutlinedFilm, range: SecondRange): SeenSubject[] {
  const concepts = conceptsOf(film, range);
  const words = new Set(concepts.flatMap(({ name }) => name.split(' ')));
  const things = thingsIn(film.sights, range, film.material.seconds).filter(
    ({ name }) => !words.has(name.split(' ').at(-1)!),
  );
  return [...things, ...concepts].slice(0, most.concepts);
}

function conceptsOf(
  { material, concepts, instructionsVector }: OutlinedFilm,
  range: SecondRange,
): SeenSubject[] {
  const { pictures } = material;
  if (!pictures || !concepts || !canName(concepts)) return [];
  const d = pictures.dimensions;
  const [first, end] = rowsOf(pictures.frames, range);
  const frames = { vectors: pictures.vectors.subarray(first * d, end * d), dimensions: d };
  const candidates = standingOut(concepts.vectors, frames, concepts.background, exclusive)
    .filter(({ strength }) => strength >= leastStrength(lexicon.length) + sure)
    .map((candidate) => {
      const similarity = instructionsVector
        ? dot(concepts.vectors.vectors, candidate.concept * d, instructionsVector, 0, d)
        : 0;
      // Requested concepts come first: a cosine of 0.5 counts as much as two deviations.
      return { ...candidate, merit: candidate.strength + 4 * similarity };
    });
  return candidates
    .sort((a, b) => b.merit - a.merit)
    .map(({ concept, strength, frame }): SeenSubject => {
      const { name, group } = lexicon[concept]!;
      const frames = [pictures.frames[first + frame]!];
      return { key: name, name, group, strength, seconds: end - first, frames };
    });
}

const exclusive = lexicon.map(({ excludes, group }) => (excludes ? group : null));

function peopleOf({ material, named, duration }: OutlinedFilm, range: SecondRange): PersonInRange[] {
  return material.people
    .flatMap(({ person, frames }) => {
      const [first, end] = rowsOf(frames, range);
      if (end === first) return [];
      const isNamed = named.has(person);
      const places = [...new Set([frames[first]!, frames[(first + end) >> 1]!])];
      // The last second of the grid is rarely whole.
      const seconds = Math.min(end - first, Math.max(1, duration - range.start));
      return [{ person, isNamed, seconds, frames: places }];
    })
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, most.people);
}

/** Segments that are spoken in a range, at least partly. */
export function segmentsWithin({ segments, material }: OutlinedFilm, range: SecondRange): number[] {
  return (segments ?? []).flatMap((segment, number) => {
    const [start, end] = secondsOf(segment, material.seconds);
    return segment.text.trim() !== '' && start < range.end && end > range.start ? [number] : [];
  });
}

function speakersOf(film: OutlinedFilm, range: SecondRange): { speakers: SpeakerShare[]; spoken: number } {
  const numbers = segmentsWithin(film, range);
  const bySpeaker = Map.groupBy(numbers, (number) => film.segments![number]!.speaker);
  const speakers = [...bySpeaker].map(([speaker, segments]) => ({
    speaker,
    seconds: spokenSeconds(film, segments, range),
    segments: segments.slice(0, 2),
  }));
  return {
    speakers: speakers.sort((a, b) => b.seconds - a.seconds).slice(0, most.speakers),
    spoken: spokenSeconds(film, numbers, range),
  };
}

/** Subtitles may have no length. */
const shortestSegment = 0.5;

function spokenSeconds(
  { segments }: OutlinedFilm,
  numbers: readonly number[],
  { start, end }: SecondRange,
): number {
  const within = numbers.map((number): [number, number] => {
    const { start_seconds, end_seconds } = segments![number]!;
    const last = Math.max(end_seconds, start_seconds + shortestSegment);
    return [Math.max(start, start_seconds), Math.min(end, last)];
  });
  return joinRanges(within).reduce((sum, [from, to]) => sum + to - from, 0);
}

/** The sentences that begin in a range and say most of it. */
function sentencesWithin(film: OutlinedFilm, { start, end }: SecondRange): number[] {
  const indices: number[] = [];
  for (const [i, sentence] of film.sentences.entries()) {
    const second = secondOf(film, sentence);
    if (second >= start && second < end) indices.push(i);
  }
  return chosenSentences(film, indices, most.sentences);
}

/** The grid second that a sentence is told with: one of those in which its first segment is spoken. */
export function secondOf({ segments, material }: OutlinedFilm, { start_seconds, first }: Sentence): number {
  const [start, end] = secondsOf(segments![first]!, material.seconds);
  return Math.min(end - 1, Math.max(start, Math.round(start_seconds)));
}

/** The best of some sentences, ascending. */
function chosenSentences(film: OutlinedFilm, candidates: readonly number[], count: number): number[] {
  return scoredSentences(film, candidates, count).map(({ sentence }) => sentence);
}

/** Sentences by number with what they are worth, ascending; what is said again in the same words once. */
export function scoredSentences(film: OutlinedFilm, numbers: readonly number[], count: number) {
  const { sentences, language, named, objective, instructions } = film;
  const byWords = new Map(numbers.toReversed().map((i) => [lettersOf(sentences[i]!.text), i]));
  const indices = [...byWords.values()].reverse();
  const speakers = indices.flatMap((i) => sentences[i]!.speaker ?? []);
  const request = { count, language, names: [...named, ...speakers], signs: objective.signs };
  const about = instructions === '' ? {} : { about: instructions };
  const texts = indices.map((i) => sentences[i]!);
  return keySentences(texts, { ...request, ...about }).map(({ sentence, score }) => ({
    sentence: indices[sentence]!,
    score,
  }));
}

const lettersOf = (text: string) => text.toLocaleLowerCase('en').replace(/[^\p{L}\p{N}]/gu, '');

// The facts of a node above the leaves: those of its children put together.

/** Sentences that may be quoted of a node above the leaves. */
const mostSentences = 10;
const mostLines = 10;

/** `children`: at least one, in the order of time. */
export function joinedFacts(
  film: OutlinedFilm,
  range: SecondRange,
  children: readonly RangeFacts[],
): RangeFacts {
  const sum = (count: (facts: RangeFacts) => number) =>
    children.reduce((total, facts) => total + count(facts), 0);
  const sentences = children.flatMap((facts) => facts.sentences);
  const pictured = sum((facts) => facts.pictured);
  return {
    range,
    seen: joinedSeen(children.map((facts) => facts.seen)),
    lines: largest(
      children.flatMap((facts) => facts.lines),
      mostLines,
    ),
    people: joinedPlaces(
      children.map((facts) => facts.people),
      ({ person }) => person,
      ({ frames }) => frames,
      (person, seconds, frames) => ({ ...person, seconds, frames }),
    ),
    speakers: joinedPlaces(
      children.map((facts) => facts.speakers),
      ({ speaker }) => speaker,
      ({ segments }) => segments,
      (speaker, seconds, segments) => ({ ...speaker, seconds, segments }),
    ),
    sentences: chosenSentences(film, sentences, mostSentences),
    pictured,
    spoken: sum((facts) => facts.spoken),
    frames: children.flatMap((facts) => facts.frames.slice(0, 1)),
  };
}

/** Joins what the children show; the longest and strongest come first. */
function joinedSeen(children: readonly (readonly SeenSubject[])[]): SeenSubject[] {
  const all = [...Map.groupBy(children.flat(), ({ key }) => key).values()].map((parts): SeenSubject => {
    const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
    const strength =
      parts.reduce((sum, part) => sum + part.strength * part.seconds, 0) / Math.max(1, seconds);
    const strongest = parts.toSorted((a, b) => b.strength - a.strength);
    const frames = strongest.flatMap((part) => part.frames.slice(0, 1)).slice(0, mostPlaces);
    return { ...strongest[0]!, strength, seconds, frames };
  });
  const merit = ({ strength, seconds }: SeenSubject) => strength * Math.sqrt(seconds);
  return all.sort((a, b) => merit(b) - merit(a) || (a.key < b.key ? -1 : 1));
}

/** Merges entries of the same key, with some places of each child; the longest come first. */
function joinedPlaces<T extends { readonly seconds: number }>(
  children: readonly (readonly T[])[],
  keyOf: (entry: T) => string | null,
  placesOf: (entry: T) => readonly number[],
  make: (entry: T, seconds: number, places: readonly number[]) => T,
): T[] {
  const joined = new Map<string | null, T>();
  for (const entry of children.flat()) {
    const before = joined.get(keyOf(entry));
    if (!before) joined.set(keyOf(entry), entry);
    else {
      const places = [...new Set([...placesOf(before), ...placesOf(entry)])].slice(0, mostPlaces);
      joined.set(keyOf(entry), make(entry, before.seconds + entry.seconds, places));
    }
  }
  return [...joined.values()].sort((a, b) => b.seconds - a.seconds);
}
