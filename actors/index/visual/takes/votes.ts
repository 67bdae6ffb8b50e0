// Which frames look like those that are asked for, as votes for the distance in time between the two.
import { backgroundOf } from '../background.ts';
import { everything, type LoadedMedia, type Pick, sceneAt } from '../catalog.ts';
import { lowerBound } from '../frames.ts';
import { type Asking, scan, scorersOf } from '../scan.ts';
import type { Searched } from '../search.ts';
import type { FoundTake, Look, Seed, TakesQuestion } from './look.ts';

/** A frame that looks like those of more contents counts less. */
const fewContents = 8;
/** Distances with equal votes that are compared frame by frame. */
const mostCompared = 256;

/** The votes of the seeds by distance, for one content as it is or mirrored. */
export class Votes {
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

  /** The distance with most votes; of several the one at which most agrees. Null for none. */
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
    const agreeing = offsets.map((offset) => look.agreement(this, offset, this.#seeds));
    return offsets[agreeing.indexOf(Math.max(...agreeing))]!;
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
export function vote(
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
