// The vectors of one content as they are stored, page by page, without loading them.
import { lowerBound } from '../visual/frames.ts';
import { stride16 } from '../visual/quantize.ts';
import { storeErrors } from './contract.ts';
import { readAgain } from './faults.ts';
import type { Visual } from './records.ts';
import { ofContent, type StageRows, type VisualStages } from './visual-stages.ts';

/** Bytes of the rows of one page: read in some 5 ms. */
const pageBytes = 2 << 20;

export interface VectorPage {
  readonly dimensions: number;
  readonly frames: Int32Array<ArrayBuffer>;
  /** n×d, L2-normalised. */
  readonly vectors: Float32Array<ArrayBuffer>;
  /** Those of the frames with which a scene begins. */
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

function rowsOf(stages: VisualStages, visual: Visual): StageRows {
  try {
    return stages.rows(visual);
  } catch (error) {
    throw storeErrors.STORE_DAMAGED.is(error) ? ofContent(visual.hash_str, error) : error;
  }
}
