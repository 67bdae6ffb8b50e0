// A clustering that is under way: which entries there are, in which order, and the way to their vectors. The entries of the
// clustering before come first while they are the same ones, so that what is known of them can be used.

import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { idBytes } from '../../people/entry-id.ts';
import { quality } from '../../people/face-columns.ts';
import { readable } from '../faults.ts';
import type { FacePacks } from './face-packs.ts';
import { checkRows, readVectors } from './face-rows.ts';
import type { ContentFaces, StoredFaces } from './stored-faces.ts';

export interface ClusteringRequest {
  readonly name: string;
  readonly model_key: string;
  readonly hashes: readonly string[];
  readonly eps: number | null;
  readonly min_samples: number;
}

/** The clustering that is stored; `columns` null where they are damaged. */
export interface Earlier {
  readonly state: ClusteringState;
  readonly columns: ClusterColumns | null;
}

interface Content {
  readonly hash: string;
  /** The revision of its faces; 0 where there are none to cluster. */
  readonly mark: number;
  readonly faces: ContentFaces | null;
}

export class OpenClustering {
  readonly request: ClusteringRequest;
  readonly missing: string[] = [];
  readonly unreadable: string[] = [];
  readonly before: { readonly labels: Int32Array; readonly neighbours: Int32Array } | null;
  /** Of the clustering that it began with; null where there was none. */
  readonly shape: number | null;
  readonly seen: number | null;
  readonly media: string[] = [];
  readonly marks: number[] = [];
  readonly ids: Uint8Array;
  readonly mediaOf: Uint32Array;
  readonly frames: Uint32Array;
  readonly weak: Uint8Array;
  readonly quality: Float32Array;
  readonly #rows: Uint32Array;
  readonly #generations: Uint32Array;
  readonly #packs = new Map<number, FacePacks>();
  readonly #dimensions: number;

  /** Reads and checks everything but keeps no vector. The caller closes it. */
  constructor(faces: StoredFaces, request: ClusteringRequest, earlier: Earlier | null) {
    this.request = request;
    this.shape = earlier?.state.shape ?? null;
    this.seen = faces.changes();
    this.#dimensions = faces.dimensions(request.model_key) ?? 1;
    try {
      const contents = this.#contents(faces, earlier);
      const count = contents.reduce((sum, { faces: own }) => sum + (own?.head.count ?? 0), 0);
      this.ids = new Uint8Array(count * idBytes);
      this.mediaOf = new Uint32Array(count);
      this.frames = new Uint32Array(count);
      this.weak = new Uint8Array(count);
      this.quality = new Float32Array(count);
      this.#rows = new Uint32Array(count);
      this.#generations = new Uint32Array(count);
      this.#fill(contents);
      this.before = this.#before(earlier);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get entries(): number {
    return this.mediaOf.length;
  }

  /** Media of the clustering before whose faces are the same first, in their order. */
  #contents(faces: StoredFaces, earlier: Earlier | null): Content[] {
    const known = new Map(earlier?.state.media.map((hash, i) => [hash, earlier.state.marks[i]!]));
    const all = [...new Set([...known.keys(), ...this.request.hashes])].map((hash) =>
      this.#content(faces, hash),
    );
    const isSame = ({ hash, mark }: Content) => mark !== 0 && known.get(hash) === mark;
    return [...all.filter(isSame), ...all.filter((content) => !isSame(content))];
  }

  #content(faces: StoredFaces, hash: string): Content {
    const { model_key } = this.request;
    const read = readable(() => {
      const found = faces.content(model_key, hash);
      if (found !== null && found.head.dimensions !== this.#dimensions) return { found: null };
      if (found !== null && found.head.count > 0) {
        const { head, places, facts } = found;
        const packs = this.#packsOf(faces, head.dimensions, places.generation);
        checkRows(packs.vectors, head.dimensions, places.rows, facts.frames);
      }
      return { found };
    });
    if (read === null) this.unreadable.push(hash);
    else if (read.found === null) this.missing.push(hash);
    return { hash, mark: read?.found?.head.revision ?? 0, faces: read?.found ?? null };
  }

  #packsOf(faces: StoredFaces, dimensions: number, generation: number): FacePacks {
    const open = this.#packs.get(generation) ?? faces.packs(this.request.model_key, dimensions, generation);
    this.#packs.set(generation, open);
    return open;
  }

  #fill(contents: readonly Content[]): void {
    let at = 0;
    for (const { hash, mark, faces } of contents) {
      const position = this.media.push(hash) - 1;
      this.marks.push(mark);
      if (faces === null || faces.head.count === 0) continue;
      const { head, facts, places } = faces;
      this.ids.set(facts.ids, at * idBytes);
      this.frames.set(facts.frames, at);
      this.weak.set(facts.weak, at);
      this.#rows.set(places.rows, at);
      this.mediaOf.fill(position, at, at + head.count);
      this.#generations.fill(places.generation, at, at + head.count);
      for (let i = 0; i < head.count; i++) this.quality[at + i] = quality(facts, i);
      at += head.count;
    }
  }

  #before(earlier: Earlier | null): OpenClustering['before'] {
    const { eps, min_samples, model_key } = this.request;
    if (earlier === null || earlier.columns === null) return null;
    const { state, columns } = earlier;
    const isAlike =
      state.is_whole &&
      state.eps === eps &&
      state.min_samples === min_samples &&
      state.model_key === model_key;
    const { ids, raw, neighbours } = columns;
    // The same ids in the same order, by the same revisions: the same vectors.
    const marks = new Map(this.media.map((hash, i) => [hash, this.marks[i]!]));
    const isSame = state.media.every((hash, i) => state.marks[i] === 0 || state.marks[i] === marks.get(hash));
    if (!isAlike || !isSame || ids.length > this.ids.length) return null;
    if (Buffer.compare(ids, this.ids.subarray(0, ids.length)) !== 0) return null;
    return { labels: raw.slice(), neighbours: neighbours.slice() };
  }

  /** n×d, L2-normalised, *copied*, with a byte each that is 1 for a weak face. Throws STORE_DAMAGED. */
  vectors(from: number, most: number): { vectors: Float32Array<ArrayBuffer>; weak: Uint8Array<ArrayBuffer> } {
    const to = Math.min(this.entries, from + most);
    const count = Math.max(0, to - from);
    const vectors = new Float32Array(count * this.#dimensions);
    for (let at = from; at < to; ) {
      const generation = this.#generations[at]!;
      let end = at + 1;
      while (end < to && this.#generations[end] === generation) end++;
      const { vectors: pack } = this.#packs.get(generation) as FacePacks;
      const [rows, frames] = [this.#rows.subarray(at, end), this.frames.subarray(at, end)];
      readVectors(pack, this.#dimensions, rows, frames, vectors, (at - from) * this.#dimensions);
      at = end;
    }
    return { vectors, weak: Uint8Array.from(this.weak.subarray(from, to)) };
  }

  close(): void {
    for (const packs of this.#packs.values()) packs.close();
    this.#packs.clear();
  }
}
