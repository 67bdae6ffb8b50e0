// One clustering in the face actor: the stored vectors are added page by page, then it works until it is
// done.
import type { ClusterLabels } from '../../../faces/contract.ts';
import type { Index } from '../parts.ts';
import type { Faces } from './model.ts';

/** Entries read at a time: some megabytes. */
const PAGE = 4096;
/** What of the whole it is to read the vectors. */
const READING = 0.1;

export interface EarlierLabels {
  readonly labels: Int32Array;
  readonly neighbours: Int32Array;
}

/** What the index has begun. */
export interface Entries {
  readonly clustering: number;
  readonly entries: number;
  /** Of the last clustering by the same numbers; null when that is of no use. */
  readonly before: EarlierLabels | null;
}

export interface ClusterParts {
  readonly index: Index;
  readonly faces: Faces;
  readonly signal: AbortSignal;
  /** The eps of the row of the model of the vectors. */
  readonly ownEps: number;
  /** How much is done, 0 to 1. */
  readonly progress: (fraction: number) => void;
}

export interface Distances {
  /** Null: found from the distances. */
  readonly eps: number | null;
  readonly min_samples: number;
}

export class Clusterer {
  readonly #parts: ClusterParts;
  /** Null without entries: then nothing was opened. */
  #open: number | null = null;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
  }

  /** Null for no entries. */
  async labels(stored: Entries, distances: Distances): Promise<ClusterLabels | null> {
    const { faces, signal, progress } = this.#parts;
    await this.#fill(stored);
    const clustering = this.#open;
    if (clustering === null) return null;
    for (;;) {
      const { done, fraction } = await faces.ask('cluster_step', { clustering, ...distances }, { signal });
      progress(READING + (1 - READING) * fraction);
      if (done) break;
    }
    return faces.ask('cluster_labels', { clustering }, { signal });
  }

  /** A row for each reference, with the similarity of each group. `references`: m×d, *moved*. */
  async similarities(groups: Int32Array, references: Float32Array<ArrayBuffer>, count: number) {
    if (this.#open === null) return Array.from({ length: count }, () => new Float32Array(0));
    const { faces, signal } = this.#parts;
    const request = { clustering: this.#open, groups, references };
    const call = { signal, transfer: [references.buffer] };
    const { groups: width, similarities } = await faces.ask('cluster_similarities', request, call);
    return Array.from({ length: count }, (_, row) => similarities.subarray(row * width, (row + 1) * width));
  }

  /** Does not throw: a face actor that is down keeps nothing. */
  async close(): Promise<void> {
    if (this.#open === null) return;
    await this.#parts.faces.ask('cluster_close', { clustering: this.#open }).catch(() => {});
  }

  async #fill({ clustering: from, entries, before }: Entries): Promise<void> {
    const { index, faces, signal, progress } = this.#parts;
    for (let at = 0; at < entries; ) {
      const query = { clustering: from, from: at, most: PAGE };
      const { vectors, weak } = await index.ask('clustering_vectors', query, { signal });
      this.#open ??= await this.#begin(vectors.length / weak.length, before);
      at += weak.length;
      const request = { clustering: this.#open, vectors, weak };
      const transfer = [...new Set([vectors.buffer, weak.buffer])] as ArrayBuffer[];
      await faces.ask('cluster_add', request, { signal, transfer });
      progress((READING * at) / entries);
    }
  }

  async #begin(dimensions: number, before: EarlierLabels | null): Promise<number> {
    // Not cancellable: what was opened has to be known here, or nobody would close it.
    const copied = before && { labels: before.labels, neighbours: before.neighbours };
    const { faces, ownEps: own_eps } = this.#parts;
    return (await faces.ask('cluster_open', { dimensions, own_eps, before: copied })).clustering;
  }
}
