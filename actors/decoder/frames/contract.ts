// Sections of a film: consecutive grid frames that begin at a random access point, so that several decoders
// can work on one film side by side. Who works on which is in memory that their threads share.
import { type Static, Type } from 'typebox';
import { ask, Bytes, Integers } from '../../../runtime/contract.ts';
import { errorTable } from '../../../runtime/errors.ts';

export const sectionErrors = errorTable({
  SECTIONS_APART: {
    meaning: 'The sections of the film do not follow one another; one decoder decodes it',
    status: 503,
    retryable: true,
  },
});

export const Section = Type.Object({
  /** The first grid frame. */
  frame: Type.Integer({ minimum: 0 }),
  /** The packet at which decoding can start: its time in ticks, and its place in the file in bytes. */
  pts: Type.Integer(),
  position: Type.Integer({ minimum: 0 }),
});
export type Section = Static<typeof Section>;

export const sectionMessages = {
  /**
   * Sections of about `frames` grid frames, in order, the first one some frames behind `from_frame`. Empty
   * for a film that one decoder has to decode alone.
   */
  sections: ask(
    Type.Object({
      path: Type.String(),
      from_frame: Type.Integer({ minimum: 0 }),
      frames: Type.Integer({ minimum: 1 }),
    }),
    Type.Object({ sections: Type.Array(Section) }),
  ),
};

/** One of the decoders that work on a film section by section. */
export const SectionsOf = Type.Object({
  /** The last section goes on to the end of the film. */
  all: Type.Array(Section, { minItems: 1 }),
  /** The memory of a `SectionTable`, *shared*. */
  table: Integers,
  taker: Type.Integer({ minimum: 1 }),
});

/** Decoders that may join in the work on one film, those that have left included. */
export const mostTakers = 255;

/** Takers of the sections. Each decoder is a taker with a number, from 1 on. */
export class SectionTable {
  readonly memory: Int32Array;

  constructor(memory: Int32Array) {
    this.memory = memory;
  }

  static of(sections: number): SectionTable {
    const words = 1 + mostTakers + sections;
    const memory = new Int32Array(new SharedArrayBuffer(4 * words));
    memory[0] = sections;
    return new SectionTable(memory);
  }

  /** Sections that count. */
  get count(): number {
    return Atomics.load(this.memory, 0);
  }

  /** The film turned out to end before this section; the earliest end that any decoder finds counts. */
  endBefore(section: number): void {
    for (let count = this.count; section < count; count = this.count)
      Atomics.compareExchange(this.memory, 0, count, section);
  }

  /** The first section that nobody has; null when there is none, or when the taker was asked to leave. */
  take(taker: number): number | null {
    if (Atomics.load(this.memory, taker) !== 0) return null;
    for (let section = 0; section < this.count; section++) {
      if (Atomics.compareExchange(this.memory, wordOf(section), 0, taker) === 0) return section;
    }
    return null;
  }

  /** Sections that count and that nobody has. */
  get freeSections(): number {
    let takenCount = 0;
    while (takenCount < this.count && this.takerOf(takenCount) !== null) takenCount++;
    return this.count - takenCount;
  }

  /** Null for a section that nobody has taken yet; then nobody has taken one behind it either. */
  takerOf(section: number): number | null {
    return Atomics.load(this.memory, wordOf(section)) || null;
  }

  /** Asks a taker to leave when its section is done. */
  leave(taker: number): void {
    Atomics.store(this.memory, taker, 1);
  }
}

const wordOf = (section: number) => 1 + mostTakers + section;

// Every picture of a film, scaled small.

/**
 * Asks for every picture while the first integer of `all`, which is *shared*, is not 0. Frames of sections,
 * and those that a device decodes, come without.
 */
export const SmallRequest = Type.Object({
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  all: Integers,
});
export type SmallRequest = Static<typeof SmallRequest>;

export const SmallPictures = Type.Object({
  /** Some pictures up to this second are missing, none behind it. */
  after: Type.Number(),
  /** Pictures from this second on may come later. */
  before: Type.Number(),
  /** Seconds of the random access points that were read since the last ones. */
  entries: Type.Array(Type.Number()),
  /** Presentation time of each picture since the last ones, relative to the start of the video. */
  seconds: Type.Array(Type.Number()),
  /** n×height×width×3: red, green and blue, *moved*. */
  pictures: Bytes,
});
export type SmallPictures = Static<typeof SmallPictures>;

/** A part of a film, in seconds, both ends included. */
export const FilmPart = Type.Object({
  from: Type.Number(),
  /** Pictures before it are left out where decoding can begin behind them. */
  needed: Type.Number(),
  to: Type.Number(),
});
export type FilmPart = Static<typeof FilmPart>;

/** Largest error of a rounded time, in seconds. */
const rounding = 0.0005;

/** Where the pictures of a part begin. `entries`: seconds of the random access points before it. */
export function beginOf({ from, needed }: FilmPart, entries: readonly number[]): number {
  return Math.max(from, ...entries.filter((entry) => entry <= needed + rounding));
}

// The black bars of a picture.

const Share = Type.Number({ minimum: 0, maximum: 1 });

/** How wide each of them is, as a share of the width or the height. */
export const BarShares = Type.Object({ left: Share, top: Share, right: Share, bottom: Share });
export type BarShares = Static<typeof BarShares>;
