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

import { backgroundOf } from '../background.ts';
import { everything, type LoadedMedia, type Pick, sceneAt } from '../catalog.ts';
import { lowerBound } from '../frames.ts';
import { type Asking, scan, scorersOf } from '../scan.ts';
import type { Searched } from '../search.ts';
import { type FoundTake, Look, leastFrames, type Seed, type TakesQuestion } from './look.ts';

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

// Which frames look like those that are asked for, as votes for the distance in time between the two.

/** A frame that looks like those of more contents counts less. */
const fewContents = 8;
/** Distances with equal votes that are compared frame by frame. */
const mostCompared = 256;

/** The votes of the seeds by distance, for one content as it is or mirrored. */
class Votes {
  readonly media: LoadedMedia;
  readonly isMirrored: boolean;
  readonly #seeds: readonly Seed[];
  /** Of the distance of each index, the last seed being the 0 of the first frame. */
  readonly #counts: Uint8Array;
  readonly #last: number;

  constructor(media: LoadedMedia, isMirrored: boolean, seeds: readonly Seed[]) {
    this.media = media;
    this.isMirrored = isMirrored;
    this.#seeds = seeds;
    this.#last = seeds.at(-1)!.frame;
    this.#counts = new Uint8Array(media.frames.at(-1)! + 1 + this.#last - seeds[0]!.frame);
  }

  add(seed: Seed, frame: number): void {
    this.#counts[frame - seed.frame + this.#last]!++;
  }

  /** The distance with most votes; of several the one at which most is alike. Null for none. */
  take(look: Look): number | null {
    const most = this.#counts.reduce((max, count) => Math.max(max, count), 0);
    if (most === 0) return null;
    // Seeds are where little moves, so one vote less says little.
    const enough = Math.max(1, most - 1);
    const equal: number[] = [];
    for (const [at, count] of this.#counts.entries()) if (count >= enough) equal.push(at - this.#last);
    const every = Math.ceil(equal.length / mostCompared);
    const some = this.#best(look, every === 1 ? equal : equal.filter((_, i) => i % every === 0));
    return every === 1
      ? some
      : this.#best(
          look,
          equal.filter((one) => Math.abs(one - some) < every),
        );
  }

  #best(look: Look, offsets: readonly number[]): number {
    if (offsets.length === 1) return offsets[0]!;
    const alike = offsets.map((offset) => look.likeness(this, offset, this.#seeds));
    return offsets[alike.indexOf(Math.max(...alike))]!;
  }

  /** Distances that lead into the scenes of a sequence are not taken again: any of them fits a still shot. */
  spend(offset: number, found: FoundTake | null): void {
    const { frames, scenes } = this.media;
    if (found === null) {
      this.#counts.fill(0, Math.max(0, offset + this.#last - 1), offset + this.#last + 2);
      return;
    }
    const sceneOf = (frame: number) => sceneAt(this.media, Math.max(0, lowerBound(frames, frame + 1) - 1));
    const first = frames[scenes[sceneOf(found.start + offset)]!]!;
    const end = scenes[sceneOf(found.end - 1 + offset) + 1];
    const last = end === undefined ? frames.at(-1)! : frames[end]! - 1;
    // From the last seed to the first frame, up to the first seed and the last frame.
    this.#counts.fill(0, first, last + 1 + this.#last - this.#seeds[0]!.frame);
  }
}

/** Scans the seeds, and sets what they count. */
function vote(
  at: Searched,
  { media, least, above, mirror, isOnce }: TakesQuestion,
  look: Look,
  seeds: readonly Seed[],
  rows: Int32Array,
): Votes[] {
  const vectors = seeds.map(({ frame }) => look.vector(frame));
  const asked = mirror === null ? vectors : [...vectors, ...vectors.map((one) => mirrored(one, mirror))];
  const scorers = scorersOf(
    at.bank,
    asked.map((vector) => ({ bases: [vector], exclude: [] })),
  );
  for (const [i, seed] of seeds.entries())
    seed.bar = Math.max(least, Math.min(backgroundOf(rows, scorers[i]!).centre + above, (1 + least) / 2));
  const picks = at.catalog.picks(everything).filter(({ run }) => !isOnce || run.media.hash >= media.hash);
  const all = [new Map<LoadedMedia, Votes>(), new Map<LoadedMedia, Votes>()];
  const contents = seeds.map(() => new Set<LoadedMedia>());
  const asking = asked.map((_, query): Asking => {
    const seed = seeds[query % seeds.length]!;
    const votes = all[query < seeds.length ? 0 : 1]!;
    const take = ({ run }: Pick, row: number) => {
      const position = run.position + row - run.row;
      const frame = run.media.frames[position]!;
      if (run.media === media) {
        if (sceneAt(media, position) === seed.scene || (isOnce && frame < seed.frame)) return;
      } else contents[query % seeds.length]!.add(run.media);
      let own = votes.get(run.media);
      if (own === undefined) {
        own = new Votes(run.media, votes !== all[0], seeds);
        votes.set(run.media, own);
      }
      own.add(seed, frame);
    };
    return { picks, query, lanes: 1, threshold: seed.bar, take };
  });
  scan(at.bank, asking, at.pause);
  for (const [i, seed] of seeds.entries()) seed.weight = Math.min(1, fewContents / contents[i]!.size);
  return all.flatMap((votes) => [...votes.values()]);
}

function mirrored(vector: Float32Array, mirror: readonly number[]): Float32Array {
  return vector.map((_, i) => vector[mirror[i]!]!);
}
