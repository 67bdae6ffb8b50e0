// The vectors of one content as they are stored, page by page, without loading them.
import { countFrames, lowerBound } from '../visual/frames.ts';
import { stride16 } from '../visual/quantize.ts';
import { storeErrors } from './contract.ts';
import { isMissing, readAgain, readable } from './faults.ts';
import type { PictureVectorsRow } from './records.ts';
import { ofContent, type StageRows, type VisualStages } from './visual-stages.ts';

/** Bytes of the rows of one page: read in some 5 ms. */
const pageBytes = 2 << 20;

export interface VectorPage {
  readonly dimensions: number;
  readonly frames: Int32Array<ArrayBuffer>;
  /** n×d, L2-normalised. */
  readonly vectors: Float32Array<ArrayBuffer>;
  /** Frames with which a scene begins. */
  readonly cuts: Int32Array<ArrayBuffer>;
  /** The frame with which the next page begins. */
  readonly next: number | null;
}

/** Frames from `from` on, at most `most` and as many as one turn should read. NOT_ANALYZED, STORE_DAMAGED. */
export function vectorPage(
  stages: VisualStages,
  modelKey: string,
  hash: string,
  from: number,
  most: number,
): VectorPage {
  return readAgain(() => {
    const visual = stages.stage(modelKey, hash);
    if (visual === null || visual.dimensions !== stages.model(modelKey)?.dimensions) {
      throw storeErrors.NOT_ANALYZED(`${hash} has not been analysed with ${modelKey}`, {
        hash,
        model: modelKey,
      });
    }
    const { dimensions } = visual;
    const rows = rowsOf(stages, visual);
    try {
      const first = lowerBound(rows.frames, from);
      const fits = Math.max(1, Math.floor(pageBytes / stride16(dimensions)));
      const last = Math.min(rows.frames.length, first + Math.min(most, fits));
      const vectors = rows.read(first, last - first);
      const next = rows.frames[last] ?? null;
      const starts = visual.scene_starts.filter((at) => at >= first && at < last);
      const cuts = Int32Array.from(starts, (at) => rows.frames[at]!);
      return { dimensions, frames: rows.frames.slice(first, last), vectors, cuts, next };
    } finally {
      rows.close();
    }
  });
}

function rowsOf(stages: VisualStages, visual: PictureVectorsRow): StageRows {
  try {
    return stages.rows(visual);
  } catch (error) {
    throw storeErrors.STORE_DAMAGED.is(error) ? ofContent(visual.hash_str, error) : error;
  }
}

// Some of the vectors that a model stored in an analysis folder, evenly over contents and over their time.
// Only the rows that are taken are read.

export interface VectorSample {
  /** 0 when there is none. */
  readonly dimensions: number;
  /** n×d, L2-normalised: by content, ascending by hash, and by time. */
  readonly vectors: Float32Array<ArrayBuffer>;
}

export interface SampleOptions {
  /** Called between reads; may throw to stop. */
  readonly pause: () => void;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Positions of `count` of `size` things, evenly, each in the middle of its part. */
export function evenly(size: number, count: number): number[] {
  const sampleSize = Math.min(size, count);
  return Array.from({ length: sampleSize }, (_, i) => Math.floor(((i + 0.5) * size) / sampleSize));
}

/**
 * How many to take of each so that all together are `most`: the same of each, and everything of one that has
 * less.
 */
export function equalShares(sizes: readonly number[], most: number): number[] {
  const shares = sizes.map(() => 0);
  const smallestFirst = [...sizes.keys()].sort((a, b) => sizes[a]! - sizes[b]! || a - b);
  let remainingRows = most;
  for (const [i, at] of smallestFirst.entries()) {
    const share = Math.min(sizes[at]!, Math.floor(remainingRows / (sizes.length - i)));
    shares[at] = share;
    remainingRows -= share;
  }
  return shares;
}

/** The same vectors each time while nothing changes. What is damaged is left out, of which `warn` is told. */
export function sampleVectors(
  stages: VisualStages,
  modelKey: string,
  most: number,
  options: SampleOptions,
): VectorSample {
  let attempts = 0;
  return readAgain(() => new Sampling(stages, modelKey, options, attempts++ > 0).take(most));
}

interface Taken {
  readonly visual: PictureVectorsRow;
  readonly count: number;
  /** Where its vectors go, counted in vectors. */
  readonly at: number;
}

class Sampling {
  readonly #stages: VisualStages;
  readonly #modelKey: string;
  readonly #options: SampleOptions;
  readonly #leavesMissingOut: boolean;
  /** Vectors that could not be read. */
  readonly #broken = new Set<number>();

  /**
   * `leavesMissingOut`: a file that is missing is damage; else it may have been replaced, and all is read
   * again.
   */
  constructor(stages: VisualStages, modelKey: string, options: SampleOptions, leavesMissingOut: boolean) {
    this.#stages = stages;
    this.#modelKey = modelKey;
    this.#options = options;
    this.#leavesMissingOut = leavesMissingOut;
  }

  take(most: number): VectorSample {
    const dimensions = this.#stages.model(this.#modelKey)?.dimensions ?? 0;
    const visuals = this.#look(dimensions, most);
    const shares = equalShares(visuals.map(rowCount), most);
    const samples: Taken[] = [];
    let total = 0;
    for (const [i, visual] of visuals.entries()) {
      samples.push({ visual, count: shares[i]!, at: total });
      total += shares[i]!;
    }
    const vectors = new Float32Array(total * dimensions);
    for (const sample of samples) this.#read(sample, vectors);
    const whole = this.#withoutBroken(vectors, dimensions);
    return { dimensions: whole.length === 0 ? 0 : dimensions, vectors: whole };
  }

  /** The contents of which some are taken: all of them, or `most` evenly. */
  #look(dimensions: number, most: number): PictureVectorsRow[] {
    const hashes = this.#stages.hashes(this.#modelKey);
    return evenly(hashes.length, most).flatMap((at) => {
      this.#options.pause();
      const hash = hashes[at]!;
      const visual = readable(
        () => this.#stages.stage(this.#modelKey, hash),
        (error) => this.#warn(hash, error),
      );
      return visual?.dimensions === dimensions ? [visual] : [];
    });
  }

  #read({ visual, count, at }: Taken, vectors: Float32Array): void {
    if (count === 0) return;
    this.#options.pause();
    const rows = this.#open(visual);
    if (rows === null) {
      for (let i = 0; i < count; i++) this.#broken.add(at + i);
      return;
    }
    try {
      const positions = evenly(rows.frames.length, count);
      for (let i = 0; i < positions.length; ) {
        let run = 1;
        while (positions[i + run] === positions[i]! + run) run++;
        this.#readRun(rows, positions[i]!, run, vectors, at + i, visual);
        i += run;
      }
    } finally {
      rows.close();
    }
  }

  #readRun(
    rows: StageRows,
    position: number,
    count: number,
    vectors: Float32Array,
    at: number,
    visual: PictureVectorsRow,
  ): void {
    const read = readable(
      () => rows.read(position, count),
      (error) => {
        if (count === 1) this.#warn(visual.hash_str, error);
      },
    );
    if (read !== null) vectors.set(read, at * visual.dimensions);
    else if (count === 1) this.#broken.add(at);
    // One broken row does not take the others with it.
    else for (let i = 0; i < count; i++) this.#readRun(rows, position + i, 1, vectors, at + i, visual);
  }

  /** Null when they are damaged. */
  #open(visual: PictureVectorsRow): StageRows | null {
    try {
      return this.#stages.rows(visual);
    } catch (error) {
      const isDamage = storeErrors.STORE_DAMAGED.is(error);
      if (!isDamage || (isMissing(error) && !this.#leavesMissingOut)) throw error;
      this.#warn(visual.hash_str, error);
      return null;
    }
  }

  #warn(hash: string, error: Error): void {
    this.#options.warn('Stored vectors cannot be read and are left out', { hash, reason: error.message });
  }

  #withoutBroken(vectors: Float32Array<ArrayBuffer>, dimensions: number): Float32Array<ArrayBuffer> {
    if (this.#broken.size === 0) return vectors;
    let count = 0;
    for (let at = 0; at * dimensions < vectors.length; at++) {
      if (this.#broken.has(at)) continue;
      vectors.copyWithin(count * dimensions, at * dimensions, (at + 1) * dimensions);
      count++;
    }
    return vectors.slice(0, count * dimensions);
  }
}

const rowCount = ({ frame_runs }: PictureVectorsRow): number => countFrames(frame_runs);
