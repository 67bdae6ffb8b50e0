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
import type { Searched } from '../search.ts';
import { type FoundTake, Look, leastFrames, type TakesQuestion } from './look.ts';
import { vote } from './votes.ts';

/** Where a comparison goes on. */
export interface Place {
  readonly hash_str: string;
  readonly frame_index: number;
}

export interface Compared {
  /** What was looked at; null where there is nothing. */
  readonly asked: string | null;
  readonly takes: FoundTake[];
  /** Contents that this step has begun with. */
  readonly begun: string[];
  /** Null at the end. */
  readonly next: Place | null;
}

type Comparison = Omit<TakesQuestion, 'media' | 'at' | 'isOnce'> & { readonly only: string | null };

/** One step from a place on: of one content, or for null of all of them, in the order of their hashes. */
export function compareFrom(
  at: Searched,
  { only, ...how }: Comparison,
  place: Place | null,
  rows: Int32Array,
): Compared {
  const hashes = only === null ? at.catalog.ordered() : [only];
  const begun: string[] = [];
  let first = place === null ? 0 : hashes.findIndex((hash) => hash >= place.hash_str);
  if (first < 0) first = hashes.length;
  for (const [i, hash] of hashes.slice(first, first + mostContents).entries()) {
    const media = at.catalog.get(hash);
    const frame = hash === place?.hash_str ? place.frame_index : how.from;
    if (frame === how.from) begun.push(hash);
    if (media === undefined || media.frames.length < leastFrames) continue;
    const end = Math.min(how.end, media.frames.at(-1)! + 1);
    const question = { ...how, media, end, at: frame, isOnce: only === null };
    const { takes, next } = takesFrom(at, question, rows);
    const after = hashes[first + i + 1];
    const onward = placeAt(next === null ? after : hash, next ?? how.from);
    return { asked: hash, takes, begun, next: onward };
  }
  return { asked: null, takes: [], begun, next: placeAt(hashes[first + mostContents], how.from) };
}

function placeAt(hash_str: string | undefined, frame_index: number): Place | null {
  return hash_str === undefined ? null : { hash_str, frame_index };
}
/** Contents of too few frames that one step passes. */
const mostContents = 256;
/** Sequences of a step, and those in one content. */
const mostTakes = 64;
const mostOfMedia = 4;

/** What was found, and the frame to go on from; null at the end. `rows`: those of the background. */
function takesFrom(
  at: Searched,
  question: TakesQuestion,
  rows: Int32Array,
): { takes: FoundTake[]; next: number | null } {
  const look = new Look(at.bank, at.catalog, question);
  const { seeds, next } = look.seeds();
  if (seeds.length === 0) return { takes: [], next };
  const votes = vote(at, question, look, seeds, rows);
  const takes: FoundTake[] = [];
  for (const own of votes) {
    for (let found = 0; found < mostOfMedia && takes.length < mostTakes; found++) {
      at.pause();
      const offset = own.take(look);
      if (offset === null) break;
      const take = look.follow(own, offset, seeds);
      own.spend(offset, take);
      if (take !== null) takes.push(take);
    }
  }
  const best = takes.toSorted((a, b) => b.evidence - a.evidence);
  const apart = best.filter((one, i) => !best.slice(0, i).some((better) => isSamePlace(one, better)));
  return { takes: apart.sort((a, b) => a.start - b.start || b.evidence - a.evidence), next };
}

/** A shot that looks the same in a mirror is found twice. */
function isSamePlace(one: FoundTake, other: FoundTake): boolean {
  const meet = (from: number, to: number) =>
    one.start + from < other.end + to && other.start + to < one.end + from;
  return one.media === other.media && meet(0, 0) && meet(one.offset, other.offset);
}
