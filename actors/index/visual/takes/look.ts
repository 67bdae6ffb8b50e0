// Compares frames of what is asked for with others, one by one, at 8 bits.
import { type Catalog, type LoadedMedia, type RowRun, rowAmong } from '../catalog.ts';
import { positionOf } from '../frames.ts';
import { paddedLength } from '../quantize.ts';
import { mostTogether } from '../scan.ts';
import type { SearchedVectors } from '../search.ts';
import type { RowBank } from '../segment.ts';

export interface TakesQuestion {
  readonly media: LoadedMedia;
  /** Frames that are asked for; what begins before is found as well. */
  readonly from: number;
  readonly end: number;
  /** Where to go on: a step looks at some frames from here. */
  readonly at: number;
  /** Seconds for each of which one frame is a seed. */
  readonly step: number;
  /**
   * Frames agree from this cosine on, where that is `above` the usual one; where everything is alike, from
   * half way to the same picture on.
   */
  readonly least: number;
  readonly above: number;
  /** Makes the vector of the mirrored picture; null where mirrored ones are not looked for. */
  readonly mirror: readonly number[] | null;
  /** Vectors of pictures of a single colour. */
  readonly blank: readonly Float32Array[];
  /** Each pair of contents is looked at once, from the one whose hash is lower. */
  readonly isOnce: boolean;
}

/** The frames `[start, end)` of what is asked for are those from `start + offset` on of `media`. */
export interface FoundTake {
  readonly media: LoadedMedia;
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly isMirrored: boolean;
  /** Frames that agree. */
  readonly frames: number;
  /** The sum of what they count. */
  readonly evidence: number;
  /** All of them have the same vector. */
  readonly isEqual: boolean;
}

/** A frame that stands for a second or more of what is asked for. */
export interface Sought {
  readonly frame: number;
  readonly vector: Float32Array;
}

export interface Barred extends Sought {
  /** The cosine from which on it agrees. */
  readonly bar: number;
}

export interface Seed extends Barred {
  /** Weight, 1 at most. */
  readonly weight: number;
}

/** A sequence needs so much evidence, or nearly all that its shorter content can have; and so many frames. */
const leastEvidence = 3;
const leastShare = 0.75;
export const leastFrames = 3;
/** Seconds without a frame that agrees, after which a sequence has ended. */
const mostBetween = 4;
/**
 * How many times as far from the same picture as the bar a frame may be to tell one place from another.
 * Frames that agree cannot: a street that is empty now and then looks the same whenever it is.
 */
const likenessReach = 4;
/** Blocks that one step looks at. */
const mostBlocks = 64;

/** Content that frames are compared with. */
interface Copy {
  readonly media: LoadedMedia;
  readonly isMirrored: boolean;
}

export class TakesScan {
  readonly #bank: RowBank;
  readonly #catalog: Catalog;
  readonly #question: TakesQuestion;
  readonly #runs: readonly RowRun[];
  readonly #mirror: Uint8Array;

  /** `runs`: where the rows of what is asked for are. */
  constructor(
    { bank, catalog }: Pick<SearchedVectors, 'bank' | 'catalog'>,
    question: TakesQuestion,
    runs: readonly RowRun[],
  ) {
    this.#bank = bank;
    this.#catalog = catalog;
    this.#question = question;
    this.#runs = runs;
    this.#mirror = new Uint8Array(bank.stride);
  }

  /** Next seeds from `at` on, as many as are scanned together. */
  seeds(): { seeds: Sought[]; next: number | null } {
    const { at, end, step, mirror } = this.#question;
    const most = mirror === null ? mostTogether : mostTogether / 2;
    const seeds: Sought[] = [];
    let block = Math.floor(at / step);
    for (
      const last = block + mostBlocks;
      block * step < end && block < last && seeds.length < most;
      block++
    ) {
      const frame = this.#seedIn(block);
      if (frame === null || frame < at || frame >= end) continue;
      seeds.push({ frame, vector: this.#vector(frame) });
    }
    return { seeds, next: block * step < end ? block * step : null };
  }

  /**
   * The frame of a block that is most like its neighbours: where little moves, half a second makes no other
   * picture. Null where there is none, or that is of a single colour.
   */
  #seedIn(block: number): number | null {
    const { media, step, blank, least } = this.#question;
    let [best, most]: [number | null, number] = [null, Number.NEGATIVE_INFINITY];
    for (let frame = block * step; frame < (block + 1) * step; frame++) {
      if (this.#bytes(media, frame) === null) continue;
      const ownCopy = { media, isMirrored: false };
      const alike = step === 1 ? 0 : Math.min(this.score(ownCopy, frame, -1), this.score(ownCopy, frame, 1));
      if (alike > most) [best, most] = [frame, alike];
    }
    if (best === null) return null;
    const vector = this.#vector(best);
    const isBlank = blank.some(
      (blankVector) => blankVector.reduce((sum, value, i) => sum + value * vector[i]!, 0) >= least,
    );
    return isBlank ? null : best;
  }

  #vector(frame: number): Float32Array {
    const bytes = this.#bytes(this.#question.media, frame)!;
    const scale = scaleOf(bytes, this.#bank);
    return Float32Array.from(
      new Int8Array(bytes.buffer, bytes.byteOffset, this.#bank.dimensions),
      (v) => v * scale,
    );
  }

  /** The 8-bit row of a frame; null where it is not loaded. */
  #bytes(media: LoadedMedia, frame: number): Uint8Array | null {
    const position = media.frames[frame] === frame ? frame : positionOf(media.frames, frame);
    if (position < 0) return null;
    const isAsked = media === this.#question.media;
    const { row } = isAsked ? rowAmong(this.#runs, media, position) : this.#catalog.rowOf(media, position);
    return this.#bank.bytes(row, 1);
  }

  /** The cosine of a frame that is asked for to the one at this distance; -1 where one is missing. */
  score({ media, isMirrored }: Copy, frame: number, offset: number): number {
    const ownBytes = this.#bytes(this.#question.media, frame);
    const otherBytes = this.#bytes(media, frame + offset);
    if (ownBytes === null || otherBytes === null) return -1;
    return product(isMirrored ? this.#turned(ownBytes) : ownBytes, otherBytes, this.#bank);
  }

  #turned(bytes: Uint8Array): Uint8Array {
    const mirror = this.#question.mirror!;
    this.#mirror.set(bytes);
    for (let i = 0; i < mirror.length; i++) this.#mirror[i] = bytes[mirror[i]!]!;
    return this.#mirror;
  }

  /** How much alike is what lies between the seeds, and a little around them, at a distance. */
  likeness(copy: Copy, offset: number, seeds: readonly Barred[]): number {
    const [first, last] = [seeds[0]!.frame - mostBetween, seeds.at(-1)!.frame + mostBetween];
    const floor = 1 - likenessReach * (1 - seeds[0]!.bar);
    let sum = 0;
    for (let frame = first; frame <= last; frame++)
      sum += Math.max(0, this.score(copy, frame, offset) - floor);
    return sum;
  }

  /** The sequence at a distance; null where there is none, or a step before found it. */
  follow(copy: Copy, offset: number, seeds: readonly Seed[]): FoundTake | null {
    const first = seeds.find(
      (seed) => this.#nearest(copy, seed.frame, offset, [-1, 1], seed.bar) >= seed.bar,
    );
    if (first === undefined) return null;
    const back = this.#walk(copy, offset, seeds, first.frame - 1, -1);
    if (back === null) return null;
    const forth = this.#walk(copy, offset, seeds, first.frame, 1)!;
    const { media, isMirrored } = copy;
    const { media: questionMedia } = this.#question;
    const [start, end] = [back.reached ?? first.frame, (forth.reached ?? first.frame) + 1];
    const frames = back.frames + forth.frames;
    const evidence = back.evidence + forth.evidence;
    const isOverlap = media === questionMedia && Math.abs(offset) < end - start;
    const all = Math.min(questionMedia.frames.length, media.frames.length);
    if (isOverlap || frames < leastFrames || frames < (end - start) / 2) return null;
    if (evidence < Math.min(leastEvidence, leastShare * all)) return null;
    const isEqual = back.isEqual && forth.isEqual;
    return { media, start, end, offset, isMirrored, frames, evidence, isEqual };
  }

  /** From a frame on as long as frames agree; null where a seed of a step before agrees. */
  #walk(copy: Copy, offset: number, seeds: readonly Seed[], from: number, way: 1 | -1) {
    const { at, from: questionStart, step } = this.#question;
    const within = { frames: 0, evidence: 0, isEqual: !copy.isMirrored };
    let [walk, reached] = [{ ...within }, null as number | null];
    let seed = way === 1 ? 0 : seeds.findLastIndex(({ frame }) => frame <= from + 1);
    for (let frame = from, missed = 0; missed <= mostBetween; frame += way) {
      const next = seeds[seed + way];
      if (next !== undefined && Math.abs(next.frame - frame) < Math.abs(seeds[seed]!.frame - frame))
        seed += way;
      const { bar, weight } = seeds[seed]!;
      const outward = this.#nearest(copy, frame, offset, [way], bar);
      const score = outward >= bar ? outward : this.#nearest(copy, frame, offset, [-way], bar);
      if (score < bar) {
        missed++;
        continue;
      }
      if (way < 0 && frame < at && frame >= questionStart && this.#seedIn(Math.floor(frame / step)) === frame)
        return null;
      missed = 0;
      within.frames++;
      within.evidence += weight * Math.min(1, (score - bar) / (1 - bar));
      within.isEqual &&= this.#isSame(copy.media, frame, offset);
      // Similarity to a frame inside the sequence alone does not make it longer.
      if (outward >= bar) [walk, reached] = [{ ...within }, frame];
    }
    return { ...walk, reached };
  }

  /** To the frame at this distance or, where that does not reach `enough`, to those a second off. */
  #nearest(copy: Copy, frame: number, offset: number, off: readonly number[], enough: number): number {
    const exact = this.score(copy, frame, offset);
    if (exact >= enough || exact === -1) return exact;
    return Math.max(exact, ...off.map((second) => this.score(copy, frame, offset + second)));
  }

  #isSame(media: LoadedMedia, frame: number, offset: number): boolean {
    const [ownBytes, otherBytes] = [
      this.#bytes(this.#question.media, frame),
      this.#bytes(media, frame + offset),
    ];
    return ownBytes !== null && otherBytes !== null && Buffer.compare(ownBytes, otherBytes) === 0;
  }
}

function scaleOf(bytes: Uint8Array, { dimensions }: RowBank): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getFloat32(paddedLength(dimensions), true);
}

/** The cosine of two 8-bit rows. */
function product(first: Uint8Array, second: Uint8Array, bank: RowBank): number {
  const { dimensions } = bank;
  const a = new Int8Array(first.buffer, first.byteOffset, dimensions);
  const b = new Int8Array(second.buffer, second.byteOffset, dimensions);
  let sum = 0;
  for (let i = 0; i < dimensions; i++) sum += a[i]! * b[i]!;
  return sum * scaleOf(first, bank) * scaleOf(second, bank);
}
