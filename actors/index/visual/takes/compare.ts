// Finds where else a shot is: sequences of frames that look the same, second by second, in other contents and
// elsewhere in the same one.
//
// Some frames of what is asked for, its seeds, are scanned against everything. Each frame that one is like
// votes for the distance in time between the two. The distances with most votes are then walked along, frame
// by frame, in both directions, as long as the frames agree: an interruption of four seconds is bridged, as
// for scenes, and a frame may be a second off, since the grids of two copies rarely meet.
//
// A sequence needs several frames that agree, and each counts by how near it is, from 0 at the bar to 1 for
// the same picture. A frame that looks like those of many contents counts little, and one of a single colour
// nothing: black looks like black everywhere.

import { backgroundOf, type ScoreBackground } from '../background.ts';
import type { Catalog } from '../catalog.ts';
import type { RankedTake } from '../contract.ts';
import { scorersOf } from '../scan.ts';
import type { SearchedVectors } from '../search.ts';
import { type Barred, leastFrames, type Sought, type TakesQuestion, TakesScan } from './look.ts';
import { chosen, followed, vote, withWeights } from './votes.ts';

/** Where a comparison goes on. */
export interface TakesCursor {
  readonly hash_str: string;
  readonly frame_index: number;
}

export interface Compared {
  /** Compared content; null if there is none. */
  readonly source_hash: string | null;
  readonly takes: RankedTake[];
  /** Contents that this step has begun with. */
  readonly begun: string[];
  /** Null at the end. */
  readonly next: TakesCursor | null;
}

export type TakesComparison = Omit<TakesQuestion, 'media' | 'at' | 'isOnce'> & {
  readonly only: string | null;
};

interface Step {
  /** Current question; null if there is none. */
  readonly question: TakesQuestion | null;
  readonly begun: string[];
  /** Where the next step begins, by the frame to go on from. */
  after(next: number | null): TakesCursor | null;
}

/** Contents of a step from a place on: one, or for null all of them, in the order of hashes. */
function stepFrom(catalog: Catalog, { only, ...how }: TakesComparison, place: TakesCursor | null): Step {
  const hashes = only === null ? catalog.ordered() : [only];
  const begun: string[] = [];
  let first = place === null ? 0 : hashes.findIndex((hash) => hash >= place.hash_str);
  if (first < 0) first = hashes.length;
  for (const [i, hash] of hashes.slice(first, first + mostContents).entries()) {
    const media = catalog.get(hash);
    const frame = hash === place?.hash_str ? place.frame_index : how.from;
    if (frame === how.from) begun.push(hash);
    if (media === undefined || media.frames.length < leastFrames) continue;
    const end = Math.min(how.end, media.frames.at(-1)! + 1);
    const question = { ...how, media, end, at: frame, isOnce: only === null };
    const onward = hashes[first + i + 1];
    return { question, begun, after: (next) => placeAt(next === null ? onward : hash, next ?? how.from) };
  }
  return { question: null, begun, after: () => placeAt(hashes[first + mostContents], how.from) };
}

function placeAt(hash_str: string | undefined, frame_index: number): TakesCursor | null {
  return hash_str === undefined ? null : { hash_str, frame_index };
}
/** Contents of too few frames that one step passes. */
const mostContents = 256;

/** `usual`: what is usual in the library by each of them. */
function withBars(
  seeds: readonly Sought[],
  { least, above }: Pick<TakesComparison, 'least' | 'above'>,
  usual: readonly ScoreBackground[],
): Barred[] {
  return seeds.map((seed, i) => {
    const bar = Math.max(least, Math.min(usual[i]!.centre + above, (1 + least) / 2));
    return { ...seed, bar };
  });
}

/** A step where all vectors are in memory. `rows`: those of the background. */
export function compareFrom(
  at: SearchedVectors,
  how: TakesComparison,
  place: TakesCursor | null,
  rows: Int32Array,
): Compared {
  const { question, begun, after } = stepFrom(at.catalog, how, place);
  if (question === null) return { source_hash: null, takes: [], begun, next: after(null) };
  const { hash } = question.media;
  const look = new TakesScan(at, question, at.catalog.runsOf(hash));
  const { seeds, next } = look.seeds();
  if (seeds.length === 0) return { source_hash: hash, takes: [], begun, next: after(next) };
  const scorers = scorersOf(
    at.bank,
    seeds.map(({ vector }) => ({ bases: [vector], exclude: [] })),
  );
  const barred = withBars(
    seeds,
    how,
    scorers.map((scorer) => backgroundOf(rows, scorer)),
  );
  const { votes, contents } = vote(at, question, barred);
  const takes = followed(look, votes, withWeights(barred, contents), at.pause);
  return { source_hash: hash, takes: chosen(takes), begun, next: after(next) };
}
