// The facts of a node above the leaves: those of its children put together.
import type { Range } from '../outline/material.ts';
import { type Facts, mostPlaces, type Seen } from './facts.ts';
import type { OutlinedFilm } from './film.ts';
import { chosenSentences } from './leaf.ts';
import { largest } from './sights.ts';

/** Sentences that may be quoted of a node above the leaves. */
const mostSentences = 10;
const mostLines = 10;

/** `children`: at least one, in the order of time. */
export function joinedFacts(film: OutlinedFilm, range: Range, children: readonly Facts[]): Facts {
  const sum = (count: (facts: Facts) => number) => children.reduce((total, facts) => total + count(facts), 0);
  const sentences = children.flatMap((facts) => facts.sentences);
  const pictured = sum((facts) => facts.pictured);
  // A shot that goes on from one child to the next was counted in both.
  const starts = new Set(film.outline.shots);
  const goingOn = children.slice(1).filter((facts) => facts.shots > 0 && !starts.has(facts.range.start));
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
      (own, seconds, frames) => ({ ...own, seconds, frames }),
    ),
    speakers: joinedPlaces(
      children.map((facts) => facts.speakers),
      ({ speaker }) => speaker,
      ({ segments }) => segments,
      (own, seconds, segments) => ({ ...own, seconds, segments }),
    ),
    sentences: chosenSentences(film, sentences, mostSentences),
    pictured,
    spoken: sum((facts) => facts.spoken),
    shots: Math.max(0, sum((facts) => facts.shots) - goingOn.length),
    frames: children.flatMap((facts) => facts.frames.slice(0, 1)),
  };
}

/** What is seen longest, and strongest, comes first. */
function joinedSeen(children: readonly (readonly Seen[])[]): Seen[] {
  const all = [...Map.groupBy(children.flat(), ({ key }) => key).values()].map((parts): Seen => {
    const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
    const strength =
      parts.reduce((sum, part) => sum + part.strength * part.seconds, 0) / Math.max(1, seconds);
    const strongest = parts.toSorted((a, b) => b.strength - a.strength);
    const frames = strongest.flatMap((part) => part.frames.slice(0, 1)).slice(0, mostPlaces);
    return { ...strongest[0]!, strength, seconds, frames };
  });
  const merit = ({ strength, seconds }: Seen) => strength * Math.sqrt(seconds);
  return all.sort((a, b) => merit(b) - merit(a) || (a.key < b.key ? -1 : 1));
}

/** Those of the same key become one, with some places of each child; the longest first. */
function joinedPlaces<T extends { readonly seconds: number }>(
  children: readonly (readonly T[])[],
  keyOf: (own: T) => string | null,
  placesOf: (own: T) => readonly number[],
  make: (own: T, seconds: number, places: readonly number[]) => T,
): T[] {
  const joined = new Map<string | null, T>();
  for (const own of children.flat()) {
    const before = joined.get(keyOf(own));
    if (!before) joined.set(keyOf(own), own);
    else {
      const places = [...new Set([...placesOf(before), ...placesOf(own)])].slice(0, mostPlaces);
      joined.set(keyOf(own), make(own, before.seconds + own.seconds, places));
    }
  }
  return [...joined.values()].sort((a, b) => b.seconds - a.seconds);
}
