// Cuts speech into overlapping subsegments, short enough that one speaker speaks in each, while speech is
// being detected.
import { soundRate } from '../decoder/contract.ts';
import type { SpeechRegion } from '../transcriber/contract.ts';

export interface SubsegmentOptions {
  /** Samples of a subsegment, and from the start of one to that of the next. */
  readonly length: number;
  readonly hop: number;
  /** Samples under which a region of speech is too short to be embedded. */
  readonly min: number;
}

export const defaultSubsegments: SubsegmentOptions = {
  length: 1.5 * soundRate,
  hop: 0.5 * soundRate,
  min: 0.4 * soundRate,
};

/** A part of one region of speech; samples, half-open. */
export interface Subsegment {
  readonly from: number;
  readonly to: number;
  /** Place of the region in `Subsegmenter.regions`. */
  readonly region: number;
}

/**
 * Takes the speech of one channel as it settles. A region is covered by subsegments of full length, the last
 * of which ends with it; a shorter region is one subsegment, and one below `min` has none.
 */
export class Subsegmenter {
  /** Regions that touched are joined. *Read only.* */
  readonly regions: [number, number][] = [];
  readonly #options: SubsegmentOptions;
  /** Start of the next subsegment of the last region, while that is open: it may still grow. */
  #next = 0;
  #open = false;

  constructor(options: SubsegmentOptions = defaultSubsegments) {
    this.#options = options;
  }

  /**
   * `speech`: ascending, after what came before; nothing before `settled` will change. Answers the
   * subsegments now known.
   */
  add(speech: readonly SpeechRegion[], settled: number): Subsegment[] {
    const found: Subsegment[] = [];
    for (const [from, to] of speech) {
      const last = this.regions.at(-1);
      if (this.#open && last && from <= last[1]) {
        last[1] = Math.max(last[1], to);
      } else {
        this.#close(found);
        this.regions.push([from, to]);
        this.#next = from;
        this.#open = true;
      }
      this.#cut(found);
    }
    const last = this.regions.at(-1);
    if (last && settled > last[1]) this.#close(found);
    return found;
  }

  /** No more speech comes. */
  end(): Subsegment[] {
    const found: Subsegment[] = [];
    this.#close(found);
    return found;
  }

  /** The first sample that a later subsegment may need: what lies before it can be dropped. */
  needed(settled: number): number {
    return this.#open ? Math.min(settled, this.#openFrom()) : settled;
  }

  /** The last subsegment of a region begins at most one hop earlier, so that it ends with the region. */
  #openFrom(): number {
    const [from] = this.regions.at(-1)!;
    return Math.max(from, this.#next - this.#options.hop);
  }

  #cut(found: Subsegment[]): void {
    const { length, hop } = this.#options;
    const region = this.regions.length - 1;
    const [, end] = this.regions[region]!;
    for (; this.#next + length <= end; this.#next += hop) {
      found.push({ from: this.#next, to: this.#next + length, region });
    }
  }

  #close(found: Subsegment[]): void {
    if (!this.#open) return;
    this.#open = false;
    const { length, hop, min } = this.#options;
    const region = this.regions.length - 1;
    const [from, to] = this.regions[region]!;
    if (to - from < length) {
      if (to - from >= min) found.push({ from, to, region });
      return;
    }
    const covered = this.#next - hop + length;
    if (to - covered >= hop / 4) found.push({ from: to - length, to, region });
  }
}
