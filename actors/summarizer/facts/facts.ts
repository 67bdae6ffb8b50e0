// What is known of a range of a file, each with where it can be checked. Facts of a leaf are read from the
// material; those of a node above are the facts of its children put together, so that all that is told of it
// has its evidence in a leaf.
import type { GroupName } from '../concepts/lexicon.ts';
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

export interface SeenPerson {
  readonly person: string;
  readonly isNamed: boolean;
  readonly seconds: number;
  /** Grid seconds in which the person is seen, some of them. */
  readonly frames: readonly number[];
}

export interface Speaker {
  /** Null for all of whom nobody knows who speaks. */
  readonly speaker: string | null;
  readonly seconds: number;
  /** Numbers of segments, some of them. */
  readonly segments: readonly number[];
}

export interface Facts {
  readonly range: Range;
  readonly seen: readonly Seen[];
  readonly lines: readonly ReadLine[];
  readonly people: readonly SeenPerson[];
  readonly speakers: readonly Speaker[];
  /** Numbers of the sentences that are worth quoting, ascending. */
  readonly sentences: readonly number[];
  /** Seconds with a vector. */
  readonly pictured: number;
  /** Seconds in which somebody speaks. */
  readonly spoken: number;
  /** Shots that are at least partly in the range; 0 without pictures. */
  readonly shots: number;
  /** Grid seconds that stand for the range, some of them. */
  readonly frames: readonly number[];
}

/** Places that are kept of one fact above the leaves. */
export const mostPlaces = 4;

export type FactsOf = (node_id: string) => Facts;
