// Which frames look like those that are asked for, as votes for the distance in time between the two, and the
// sequences at the distances with most of them.
import { compareText } from '../../../../runtime/text.ts';
import { everything, type LoadedMedia, type Pick, sceneAt } from '../catalog.ts';
import type { RankedTake } from '../contract.ts';
import { lowerBound, positionOf } from '../frames.ts';
import { type Asking, scan, scorersOf } from '../scan.ts';
import type { SearchedVectors } from '../search.ts';
import type { Barred, FoundTake, Seed, TakesQuestion, TakesScan } from './look.ts';

/** Sequences of a step, and those in one content. */
const mostTakes = 64;
const mostOfMedia = 4;
/** A frame that looks like those of more contents counts less. */
const fewContents = 8;
/** Distances with equal votes that are compared frame by frame. */
const mostCompared = 256;

/** The votes of the seeds by distance, for one content as it is or mirrored. */
export class Votes {
  readonly media: LoadedMedia;
  readonly isMirrored: boolean;
  readonly #seeds: readonly Barred[];
  /** Votes for each distance; index 0 is the last seed at the first frame. */
  readonly #counts: Uint8Array;
  readonly #last: number;

  constructor(media: LoadedMedia, isMirrored: boolean, seeds: readonly Barred[]) {
    this.media = media;
    this.isMirrored = isMirrored;
    this.#seeds = seeds;
    this.#last = seeds.at(-1)!.frame;
    this.#counts = new Uint8Array(media.frames.at(-1)! + 1 + this.#last - seeds[0]!.frame);
  }

  add(seed: Barred, frame: number): void {
    this.#counts[frame - seed.frame + this.#last]!++;
  }

  /** The distance with most votes; of several the one at which most is alike. Null for none. */
  take(look: TakesScan): number | null {
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
          equal.filter((candidate) => Math.abs(candidate - some) < every),
        );
  }

  #best(look: TakesScan, offsets: readonly number[]): number {
    if (offsets.length === 1) return offsets[0]!;
    const alike = offsets.map((offset) => look.likeness(this, offset, this.#seeds));
    return offsets[alike.indexOf(Math.max(...alike))]!;
  }

  /** Distances that lead into the scenes of a sequence are not taken again: any of them fits a still shot. */
  spend(offset: number, take: FoundTake | null): void {
    const { frames, scenes } = this.media;
    if (take === null) {
      this.#counts.fill(0, Math.max(0, offset + this.#last - 1), offset + this.#last + 2);
      return;
    }
    const sceneOf = (frame: number) => sceneAt(this.media, Math.max(0, lowerBound(frames, frame + 1) - 1));
    const first = frames[scenes[sceneOf(take.start + offset)]!]!;
    const end = scenes[sceneOf(take.end - 1 + offset) + 1];
    const last = end === undefined ? frames.at(-1)! : frames[end]! - 1;
    // From the last seed to the first frame, up to the first seed and the last frame.
    this.#counts.fill(0, first, last + 1 + this.#last - this.#seeds[0]!.frame);
  }
}

/** `contents`: how many of the library have a frame that is like each of them. */
export function withWeights(seeds: readonly Barred[], contents: readonly number[]): Seed[] {
  return seeds.map((seed, i) => ({ ...seed, weight: Math.min(1, fewContents / contents[i]!) }));
}

interface Voted {
  /** Votes by content, those of mirrored ones last. */
  readonly votes: readonly Votes[];
  /** For each seed, how many other contents have a frame that is like it. */
  readonly contents: number[];
}

/** Scans what is loaded. Sets the queries of the bank. */
export function vote(
  at: SearchedVectors,
  { media, mirror, isOnce }: { [K in 'media' | 'mirror' | 'isOnce']: TakesQuestion[K] },
  seeds: readonly Barred[],
): Voted {
  const vectors = seeds.map(({ vector }) => vector);
  const queries =
    mirror === null ? vectors : [...vectors, ...vectors.map((vector) => mirrored(vector, mirror))];
  scorersOf(
    at.bank,
    queries.map((vector) => ({ bases: [vector], exclude: [] })),
  );
  const picks = at.catalog.picks(everything).filter(({ run }) => !isOnce || run.media.hash >= media.hash);
  const all = [new Map<LoadedMedia, Votes>(), new Map<LoadedMedia, Votes>()];
  const contents = seeds.map(() => new Set<LoadedMedia>());
  const scenes = seeds.map(({ frame }) => sceneAt(media, positionOf(media.frames, frame)));
  const asking = queries.map((_, query): Asking => {
    const i = query % seeds.length;
    const seed = seeds[i]!;
    const votes = all[query < seeds.length ? 0 : 1]!;
    const take = ({ run }: Pick, row: number) => {
      const position = run.position + row - run.row;
      const frame = run.media.frames[position]!;
      if (run.media === media) {
        if (sceneAt(media, position) === scenes[i] || (isOnce && frame < seed.frame)) return;
      } else contents[i]!.add(run.media);
      let mediaVotes = votes.get(run.media);
      if (mediaVotes === undefined) {
        mediaVotes = new Votes(run.media, votes !== all[0], seeds);
        votes.set(run.media, mediaVotes);
      }
      mediaVotes.add(seed, frame);
    };
    return { picks, query, lanes: 1, threshold: seed.bar, take };
  });
  scan(at.bank, asking, at.pause);
  const votes = all.flatMap((some) =>
    [...some.values()].sort((a, b) => compareText(a.media.hash, b.media.hash)),
  );
  return { votes, contents: contents.map(({ size }) => size) };
}

function mirrored(vector: Float32Array, mirror: readonly number[]): Float32Array {
  return vector.map((_, i) => vector[mirror[i]!]!);
}

/** The sequences, in the order of the votes. */
export function followed(
  look: TakesScan,
  votes: readonly Votes[],
  seeds: readonly Seed[],
  pause: () => void,
): RankedTake[] {
  const takes: RankedTake[] = [];
  for (const mediaVotes of votes) {
    for (let count = 0; count < mostOfMedia && takes.length < mostTakes; count++) {
      pause();
      const offset = mediaVotes.take(look);
      if (offset === null) break;
      const take = look.follow(mediaVotes, offset, seeds);
      mediaVotes.spend(offset, take);
      if (take !== null) takes.push(told(take));
    }
  }
  return takes;
}

function told({ media, isMirrored, isEqual, ...take }: FoundTake): RankedTake {
  return { hash_str: media.hash, mirrored: isMirrored, equal: isEqual, ...take };
}

/** Sequences for the answer. */
export function chosen(all: readonly RankedTake[]): RankedTake[] {
  const takes = all
    .toSorted((a, b) => Number(a.mirrored) - Number(b.mirrored) || compareText(a.hash_str, b.hash_str))
    .slice(0, mostTakes);
  const best = takes.toSorted((a, b) => b.evidence - a.evidence);
  const apart = best.filter((take, i) => !best.slice(0, i).some((better) => isSamePlace(take, better)));
  return apart.sort((a, b) => a.start - b.start || b.evidence - a.evidence);
}

/** A shot that looks the same in a mirror is found twice. */
function isSamePlace(take: RankedTake, otherTake: RankedTake): boolean {
  const meet = (from: number, to: number) =>
    take.start + from < otherTake.end + to && otherTake.start + to < take.end + from;
  return take.hash_str === otherTake.hash_str && meet(0, 0) && meet(take.offset, otherTake.offset);
}
