// Media in memory as the index holds them: rows of 8 bits in a bank, which are given back and used again, and
// beside them the same vectors at 16 bits.
import { Catalog, type LoadedMedia, type RowRun } from '../../../../actors/index/visual/catalog.ts';
import { readRow16, stride16, writeRow8, writeRow16 } from '../../../../actors/index/visual/quantize.ts';
import type { SearchedVectors } from '../../../../actors/index/visual/search.ts';
import { RowBank } from '../../../../actors/index/visual/segment.ts';

export interface Film {
  readonly hash: string;
  /** One a frame. */
  readonly vectors: readonly Float32Array[];
  /** Positions at which scenes begin; left out: each frame is one. */
  readonly scenes?: ArrayLike<number>;
  /** Left out: 0, 1, 2 … */
  readonly frames?: ArrayLike<number>;
}

export class Library implements SearchedVectors {
  readonly bank: RowBank;
  readonly catalog = new Catalog();
  readonly pause = (): void => {};
  /** Vectors that were read at 16 bits. */
  reads = 0;
  readonly #fine = new Map<number, Float32Array | null>();

  /** `threads`: that scan it. */
  constructor(dimensions: number, segmentBytes = 1 << 20, threads = 1) {
    this.bank = new RowBank(dimensions, segmentBytes, threads);
  }

  readonly fine: SearchedVectors['fine'] = (_run, row, count) => {
    this.reads += count;
    return Array.from({ length: count }, (_, i) => this.vector(row + i));
  };

  /** Of a row, at 16 bits; null where it is damaged. */
  vector(row: number): Float32Array | null {
    return this.#fine.get(row) ?? null;
  }

  damage(row: number): void {
    this.#fine.set(row, null);
  }

  /** Takes films in, up to `piece` rows of each in turn, in the place of those of the same hash. */
  add(films: readonly Film[], piece = Number.POSITIVE_INFINITY): void {
    const parts = films.map((film) => ({ film, media: mediaOf(film), runs: [] as RowRun[] }));
    const left = parts.map(({ film }) => film.vectors.length);
    while (left.some((rows) => rows > 0)) {
      for (const [i, { film, media, runs }] of parts.entries()) {
        if (left[i] === 0) continue;
        const position = film.vectors.length - left[i]!;
        const { row, count } = this.bank.allocate(Math.min(piece, left[i]!));
        this.#write(row, film.vectors.slice(position, position + count));
        runs.push({ media, row, count, position });
        left[i]! -= count;
      }
    }
    for (const { media, runs } of parts) this.#release(this.catalog.add(media, runs));
  }

  forget(hash: string): void {
    this.#release(this.catalog.remove(hash));
  }

  #release(runs: readonly RowRun[]): void {
    for (const { row, count } of runs) this.bank.release(row, count);
  }

  #write(row: number, vectors: readonly Float32Array[]): void {
    const { dimensions, stride } = this.bank;
    const own = new Uint8Array(stride16(dimensions));
    this.bank.fill(row, vectors.length, (bytes) => {
      for (const [i, vector] of vectors.entries()) writeRow8(vector, bytes, i * stride);
    });
    for (const [i, vector] of vectors.entries()) {
      writeRow16(vector, 0, own, 0);
      this.#fine.set(row + i, readRow16(own, dimensions, 0));
    }
  }
}

function mediaOf({ hash, vectors, scenes, frames }: Film): LoadedMedia {
  const positions = Int32Array.from(vectors.keys());
  return {
    ...{ hash, path: `/${hash}`, revision: 1, file: '', start: 0 },
    frames: frames ? Int32Array.from(frames) : positions,
    scenes: scenes ? Int32Array.from(scenes) : positions,
    shots: null,
  };
}

/** The vectors of n×d. */
export function rowsOf(vectors: Float32Array, dimensions: number): Float32Array[] {
  return Array.from({ length: vectors.length / dimensions }, (_, i) =>
    vectors.slice(i * dimensions, (i + 1) * dimensions),
  );
}

/** Positions 0, `every`, 2 × `every` … */
export function scenesEvery(every: number, count: number): number[] {
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every);
}
