// The facts of a leaf, read from what is stored of the file.
import { canName } from '../concepts/known-concepts.ts';
import { lexicon } from '../concepts/lexicon.ts';
import { leastStrength, standingOut } from '../concepts/standing-out.ts';
import { secondsOf } from '../outline/channels.ts';
import { type Range, rowsOf } from '../outline/material.ts';
import { representativesOf } from '../outline/representatives.ts';
import { dot } from '../outline/vector.ts';
import { keySentences } from '../text/key-sentences.ts';
import type { Sentence } from '../text/sentences.ts';
import type { Facts, Seen, SeenPerson, Speaker } from './facts.ts';
import type { OutlinedFilm } from './film.ts';
import { linesIn, thingsIn } from './sights.ts';

/** Concepts, sentences, frames that stand for it, people and speakers of a leaf. */
const most = { concepts: 12, sentences: 5, frames: 6, people: 80, speakers: 40 };

/** `mostFrames`: that stand for the leaf. */
export function leafFacts(film: OutlinedFilm, range: Range, mostFrames = most.frames): Facts {
  const { pictures } = film.material;
  const [first, end] = pictures ? rowsOf(pictures.frames, range) : [0, 0];
  const speakers = speakersOf(film, range);
  return {
    range,
    seen: seenOf(film, range),
    lines: linesIn(film.sights, range),
    people: peopleOf(film, range),
    speakers: speakers.speakers,
    sentences: sentencesWithin(film, range),
    pictured: end - first,
    spoken: speakers.spoken,
    shots: shotsWithin(film, range),
    frames: pictures ? representativesOf(pictures, range, mostFrames).map(({ frame }) => frame) : [],
  };
}

/**
 * Deviations beyond the bound from which on a concept is told: nearer to it, chance brings one now and then.
 */
const sure = 0.5;

/** Things first. A concept that is more exact takes the place of a thing: `a red car` that of `a car`. */
function seenOf(film: OutlinedFilm, range: Range): Seen[] {
  const concepts = conceptsOf(film, range);
  const words = new Set(concepts.flatMap(({ name }) => name.split(' ')));
  const things = thingsIn(film.sights, range).filter(({ name }) => !words.has(name.split(' ').at(-1)!));
  return [...things, ...concepts].slice(0, most.concepts);
}

function conceptsOf({ material, concepts, instructionsVector }: OutlinedFilm, range: Range): Seen[] {
  const { pictures } = material;
  if (!pictures || !concepts || !canName(concepts)) return [];
  const d = pictures.dimensions;
  const [first, end] = rowsOf(pictures.frames, range);
  const frames = { vectors: pictures.vectors.subarray(first * d, end * d), dimensions: d };
  const found = standingOut(concepts.vectors, frames, concepts.background, exclusive)
    .filter(({ strength }) => strength >= leastStrength(lexicon.length) + sure)
    .map((own) => {
      const asked = instructionsVector
        ? dot(concepts.vectors.vectors, own.concept * d, instructionsVector, 0, d)
        : 0;
      // What was asked for comes first; a cosine of 0.5 counts as much as two deviations.
      return { ...own, merit: own.strength + 4 * asked };
    });
  return found
    .sort((a, b) => b.merit - a.merit)
    .map(({ concept, strength, frame }): Seen => {
      const { name, group } = lexicon[concept]!;
      const frames = [pictures.frames[first + frame]!];
      return { key: name, name, group, strength, seconds: end - first, frames };
    });
}

const exclusive = lexicon.map(({ excludes, group }) => (excludes ? group : null));

function peopleOf({ material, named }: OutlinedFilm, range: Range): SeenPerson[] {
  return material.people
    .flatMap(({ person, frames }) => {
      const [first, end] = rowsOf(frames, range);
      if (end === first) return [];
      const isNamed = named.has(person);
      const places = [...new Set([frames[first]!, frames[(first + end) >> 1]!])];
      return [{ person, isNamed, seconds: end - first, frames: places }];
    })
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, most.people);
}

/** Segments that are spoken in a range, at least partly. */
export function segmentsWithin({ segments, material }: OutlinedFilm, range: Range): number[] {
  return (segments ?? []).flatMap((segment, number) => {
    const [start, end] = secondsOf(segment, material.seconds);
    return segment.text.trim() !== '' && start < range.end && end > range.start ? [number] : [];
  });
}

function speakersOf(film: OutlinedFilm, range: Range): { speakers: Speaker[]; spoken: number } {
  const bySpeaker = new Map<string | null, { seconds: Set<number>; segments: number[] }>();
  const all = new Set<number>();
  for (const number of segmentsWithin(film, range)) {
    const segment = film.segments![number]!;
    const own = bySpeaker.get(segment.speaker) ?? { seconds: new Set(), segments: [] };
    bySpeaker.set(segment.speaker, own);
    own.segments.push(number);
    const [start, end] = secondsOf(segment, film.material.seconds);
    for (let second = Math.max(start, range.start); second < Math.min(end, range.end); second++) {
      own.seconds.add(second);
      all.add(second);
    }
  }
  const speakers = [...bySpeaker].map(([speaker, { seconds, segments }]) => ({
    speaker,
    seconds: seconds.size,
    segments: segments.slice(0, 2),
  }));
  return {
    speakers: speakers.sort((a, b) => b.seconds - a.seconds).slice(0, most.speakers),
    spoken: all.size,
  };
}

/** The sentences that begin in a range and say most of it. */
function sentencesWithin(film: OutlinedFilm, { start, end }: Range): number[] {
  const own: number[] = [];
  for (const [i, sentence] of film.sentences.entries()) {
    const second = secondOf(film, sentence);
    if (second >= start && second < end) own.push(i);
  }
  return chosenSentences(film, own, most.sentences);
}

/** The grid second that a sentence is told with: one of those in which its first segment is spoken. */
export function secondOf({ segments, material }: OutlinedFilm, { start_seconds, first }: Sentence): number {
  const [start, end] = secondsOf(segments![first]!, material.seconds);
  return Math.min(end - 1, Math.max(start, Math.round(start_seconds)));
}

/** The best of some sentences, ascending. */
export function chosenSentences(film: OutlinedFilm, own: readonly number[], count: number): number[] {
  return scoredSentences(film, own, count).map(({ sentence }) => sentence);
}

/** Sentences by number with what they are worth, ascending. */
export function scoredSentences(film: OutlinedFilm, own: readonly number[], count: number) {
  const { sentences, language, named, objective, instructions } = film;
  const speakers = own.flatMap((i) => sentences[i]!.speaker ?? []);
  const request = { count, language, names: [...named, ...speakers], signs: objective.signs };
  const about = instructions === '' ? {} : { about: instructions };
  const texts = own.map((i) => sentences[i]!);
  return keySentences(texts, { ...request, ...about }).map(({ sentence, score }) => ({
    sentence: own[sentence]!,
    score,
  }));
}

function shotsWithin({ outline: { shots } }: OutlinedFilm, range: Range): number {
  if (shots.length === 0) return 0;
  const [first, end] = rowsOf(shots, range);
  return end - first + (shots[first] === range.start ? 0 : 1);
}
